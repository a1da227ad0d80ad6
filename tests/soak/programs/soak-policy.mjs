/**
 * A host whose rules change while it calls tools, and whose servers change their tools. `argv[2]` is JSON: `owner`, `home`,
 * `history`, `seed`, `servers`, `versions` (server to file), `callers`. What is noted before it is done is never too late.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { HoltError, openHost } from '../../../dist/index.js';
import { createRandom, followInput, openNotes } from './notes.mjs';

const task = JSON.parse(process.argv[2]);
const { owner, home } = task;
const note = openNotes(task.history, owner);
const random = createRandom(task.seed);
const servers = Object.keys(task.servers);
const tools = ['read', 'write', 'drop'];
const places = servers.flatMap((server) => tools.map((tool) => ({ server, tool })));
const isOver = followInput(note, owner);
let isHeld = false;
const underway = new Set();
let count = 0;

mkdirSync(path.join(home, '.holt'), { recursive: true });
const config = path.join(home, '.holt', 'config.json');
const host = await openHost({
  home,
  cwd: home,
  env: { PATH: process.env.PATH, HOME: home, SOAK_OWNER: owner },
  servers: task.servers,
  timeouts: { startMs: 6000 },
  interaction: { askPermission },
});
host.on('mcp.phase', ({ server, from, to }) => note('phase', { owner, server, from, to }));
await changeRules();
await host.tools({ wait: 'settled' });
await acceptAll();
process.stdout.write('up\n');
await Promise.all([
  ...Array.from({ length: task.callers }, () => loop(5, 60, callOne)),
  loop(40, 250, changeRules),
  loop(1000, 2500, changeTools),
]);
await host.close();
process.stdin.destroy();

async function loop(low, high, work) {
  while (!isOver()) {
    await pause(random.between(low, high));
    if (!isOver()) await work();
  }
}

/** Every place has a rule; `announce` may always be called. */
function makeRules() {
  const table = Object.fromEntries(
    places.map(({ server, tool }) => [`${server}/${tool}`, random.pick(['allow', 'allow', 'ask', 'deny'])]),
  );
  for (const server of servers) table[`${server}/announce`] = 'allow';
  return table;
}

function writeRules(table) {
  const rules = { allow: [], ask: [], deny: [] };
  for (const [place, verdict] of Object.entries(table))
    rules[verdict].push(`mcp__${place.replace('/', '__')}`);
  writeFileSync(`${config}.new`, JSON.stringify({ permissions: rules }));
  renameSync(`${config}.new`, config);
}

/** Noted before it is written: from then on until it was read either may hold. */
async function changeRules() {
  const table = makeRules();
  note('rules', { owner, state: 'changing', table });
  writeRules(table);
  await host.reload();
  note('rules', { owner, state: 'set', table });
}

async function askPermission({ server, tool, arguments: { mark } }) {
  await pause(random.between(0, 20));
  const answer = random.pick(['once', 'once', 'deny', 'deny', random.chance(0.03) ? 'run' : 'deny']);
  note('answer', { owner, mark, server, tool, answer });
  return answer;
}

async function callOne() {
  if (isHeld) return;
  const { server, tool } = random.pick(places);
  if (host.status()[server]?.status === 'failed' && random.chance(0.3)) void host.connect(server);
  const call = callTool(server, tool).finally(() => underway.delete(call));
  underway.add(call);
  await call;
}

async function callTool(server, tool) {
  const mark = `${owner}.${(count += 1)}`;
  note('call', { owner, mark, server, tool });
  try {
    const result = await host.call(`mcp__${server}__${tool}`, { mark }, { timeoutMs: 1500 });
    if (result.ok) note('delivered', { owner, mark, got: result.text, part: 'result' });
    else note('failed', { owner, mark, code: result.error?.code ?? 'tool-error' });
  } catch (error) {
    note('failed', { owner, mark, code: error.code ?? String(error) });
    if (!HoltError.is(error)) note('wrong', { what: `${owner}: a call threw ${error.stack}` });
  }
}

/** While nothing is underway, so that no call can have been decided on what the tool was before. */
async function changeTools() {
  const server = random.pick(servers);
  isHeld = true;
  while (underway.size > 0) await Promise.all(underway);
  const version = Number(readFileSync(task.versions[server], 'utf8')) + 1;
  const noticed = mutation(server);
  writeFileSync(task.versions[server], `${version}`);
  note('fault', { fault: 'tools changed', target: server });
  await callTool(server, 'announce');
  if (!(await Promise.race([noticed, pause(2000)]))) {
    // Nobody was told: then it has to be seen with the next connection.
    await host.disconnect(server);
    await host.connect(server);
  }
  isHeld = false;
  await pause(random.between(100, 600));
  await acceptAll();
}

function mutation(server) {
  return new Promise((resolve) => {
    const stop = host.on('mcp.tool.mutated', (event) => {
      if (event.server !== server) return;
      stop();
      resolve(true);
    });
  });
}

async function acceptAll() {
  for (const server of new Set(host.withheld().map((held) => held.server))) {
    const version = readFileSync(task.versions[server], 'utf8').trim();
    for (const tool of [...tools, 'announce']) {
      const digest = createHash('sha256').update(`${tool} ${version}`).digest('hex').slice(0, 12);
      note('approve', { owner, server, tool, digest });
    }
    await host
      .acceptPins(server)
      .catch((error) => note('failed', { owner, mark: '', code: error.code ?? String(error) }));
  }
}
