/**
 * A host that calls tools, many at a time, until it is told to stop or killed. `argv[2]` is JSON: `owner`, `home`, `history`,
 * `seed`, `servers`, `canaries`, `callers`. Every call carries a mark of its own, and an answer has to bring it back.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { HoltError, openHost } from '../../../dist/index.js';
import { canariesIn, createRandom, followInput, openNotes } from './notes.mjs';

const task = JSON.parse(process.argv[2]);
const { owner, home, canaries } = task;
const note = openNotes(task.history, owner);
const random = createRandom(task.seed);
const never = Object.keys(task.servers);
const isOver = followInput(note, owner);
let count = 0;

const host = await openHost({
  home,
  cwd: home,
  env: { PATH: process.env.PATH, HOME: home, SOAK_OWNER: owner, ...task.env },
  servers: task.servers,
  policy: { default: 'allow', deny: never.map((server) => `mcp__${server}__never`) },
  timeouts: { startMs: 6000 },
});
note('rules', {
  owner,
  state: 'set',
  table: { '*': 'allow', ...Object.fromEntries(never.map((server) => [`${server}/never`, 'deny'])) },
});
listen();
void host.connect().then(() => process.stdout.write('up\n'));
await Promise.all(Array.from({ length: task.callers }, (_, caller) => callOn(`c${caller}`)));
note('closing', { owner, step: 'calls over' });
await host.close();
note('closing', { owner, step: 'closed' });
process.stdin.destroy();

function listen() {
  const names = [
    'mcp.phase',
    'mcp.status.changed',
    'mcp.tools.changed',
    'mcp.warning',
    'mcp.tool.called',
    'mcp.tool.mutated',
    'mcp.log',
  ];
  for (const name of names)
    host.on(name, (event) => {
      if (name === 'mcp.phase')
        note('phase', { owner, server: event.server, from: event.from, to: event.to });
      look('events', JSON.stringify(event));
    });
}

/** What is told to a program is told to its logs: no secret may be in it. */
function look(to, told) {
  const found = canariesIn(told, canaries);
  if (found.length > 0) note('outbound', { to, bytes: told.length, canaries: found });
}

async function callOn(caller) {
  while (!isOver()) {
    await pause(random.between(5, 80));
    const server = random.pick(never);
    if (random.chance(0.02)) await host.disconnect(server);
    if (host.status()[server]?.status === 'failed' && random.chance(0.3)) void host.connect(server);
    await callOne(caller, server);
  }
}

async function callOne(caller, server) {
  const tool = random.pick(task.tools[server]);
  const mark = `${owner}.${(count += 1)}`;
  const signal = random.chance(0.1) ? AbortSignal.timeout(random.between(1, 150)) : undefined;
  const delivered = (part, got) => note('delivered', { owner, mark, got, part });
  note('call', { owner, mark, server, tool });
  try {
    const result = await host.call(
      `mcp__${server}__${tool}`,
      { mark, delay: random.pick([0, 0, 0, 20, 120]) },
      { timeoutMs: 1500, caller, signal, onProgress: ({ message = '' }) => delivered('progress', message) },
    );
    look('results', JSON.stringify(result));
    if (result.ok) delivered('result', result.text);
    else note('failed', { owner, mark, code: result.error?.code ?? 'tool-error' });
  } catch (error) {
    look('errors', `${error.stack} ${JSON.stringify(error)}`);
    note('failed', { owner, mark, code: error.code ?? String(error) });
    if (!HoltError.is(error)) note('wrong', { what: `${owner}: a call threw ${error.stack}` });
  }
}
