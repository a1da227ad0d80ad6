/** The checks for one agent and one scope: each side writes, removes and switches, and the other must report the same. */

import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { openSandbox } from './sandbox.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const url = 'http://127.0.0.1:9/mcp';

export const checkNames = {
  'agent-adds': 'the agent adds, holt reads the same',
  'agent-switches': 'the agent disables and enables, holt reads the same',
  'agent-removes': 'the agent removes, holt no longer lists it',
  'holt-adds': 'holt adds, the agent reads the same',
  'holt-disables': 'holt disables, the agent says so',
  'holt-enables': 'holt enables, the agent says so',
  'holt-removes': 'holt removes, the agent no longer lists it',
  'holt-undo': '`holt undo` restores every byte, and the agent reads the file',
  'moved-home': 'holt reads where a variable has moved the agent’s files',
  references: 'holt imports a reference to a variable, a session fills it in',
  rejected: 'what the agent rejects, holt lists as rejected',
  session: 'a session starts what is on, and not what holt disabled',
};

/** One `{ check, scope, outcome, reason }` for each check. */
export async function checkScope(driver, scope, report) {
  const sandbox = openSandbox(driver, scope);
  const results = [];
  const note = (name, outcome, reason) => {
    const result = { agent: driver.id, scope, check: name, outcome, reason };
    results.push(result);
    report(result);
  };
  const check = async (name, work) => {
    try {
      note(name, (await work()) ?? 'pass');
    } catch (error) {
      // Folders differ between runs and machines; the page must not.
      note(name, 'fail', withoutPlaces(error.message, sandbox));
    }
  };
  try {
    const parts = { driver, scope, sandbox, undone: [] };
    await check('agent-adds', () => agentAdds(parts));
    await check('agent-switches', () => agentSwitches(parts));
    await check('holt-adds', () => holtAdds(parts));
    await check('holt-disables', () => holtDisables(parts));
    await check('holt-enables', () => holtEnables(parts));
    if (scope === 'project') await check('rejected', () => showsRejected(parts));
    await check('session', () => sessionObeys(parts));
    await check('references', () => importsReference(parts));
    if (scope === 'user') await check('moved-home', () => followsVariable(parts));
    await check('holt-removes', () => holtRemoves(parts));
    await check('agent-removes', () => agentRemoves(parts));
    await check('holt-undo', () => undoRestores(parts));
  } finally {
    sandbox.close();
  }
  return results;
}

function withoutPlaces(message, { home }) {
  const places = [path.dirname(home), path.join(folder, '..', '..')];
  return places.reduce((text, place) => text.replaceAll(place, '…'), message);
}

function serversFor({ driver, scope, sandbox }, by) {
  const stdio = {
    name: `${by}-${scope}-program`,
    transport: 'stdio',
    command: process.execPath,
    args: [
      path.join(folder, 'server.mjs'),
      '--started',
      sandbox.started,
      `${by}-${scope}-program`,
      'two words',
    ],
    env: { HOLT_LEVEL: '2', HOLT_WORDS: 'two words' },
  };
  const headers = { 'X-Team': 'core', Authorization: 'Bearer made-up-token-0123' };
  const remote = { transport: 'http', url, headers };
  const own = by === 'agent' ? driver.remote?.(remote) : undefined;
  return { stdio, remote: { name: `${by}-${scope}-remote`, ...(own ?? remote) } };
}

async function agentAdds(parts) {
  const { driver, scope, sandbox } = parts;
  const { stdio, remote } = serversFor(parts, 'agent');
  for (const server of [stdio, remote]) {
    const args = driver.add({ name: server.name, scope, server });
    if (args === undefined) return 'not offered';
    await succeed(sandbox.agent(args), args);
    const approval = driver.approve?.({ name: server.name, scope });
    if (approval !== undefined) await succeed(sandbox.agent(approval), approval);
  }
  for (const server of [stdio, remote]) await holtReads(parts, server);
}

/** Every field of the entry, where it is written, and that it is on. */
async function holtReads({ driver, scope, sandbox }, server) {
  const rows = await holtLists({ driver, sandbox });
  const row = rows.find(({ name }) => name === server.name);
  if (row === undefined) throw new Error(`holt list --agent ${driver.id} does not have ${server.name}`);
  const { server: got } = await holtJson(sandbox, ['get', server.name]);
  const { origin } = got;
  same('scope', origin.scope, scope);
  same('file and line', [row.file, row.line], [origin.file, origin.line]);
  same('transport', got.transport, server.transport);
  same('enabled', [row.enabled, got.enabled], [true, true]);
  const line = readFileSync(origin.file, 'utf8').split('\n')[origin.line - 1] ?? '';
  if (!line.includes(server.name))
    throw new Error(`${origin.file}:${origin.line} is not the entry of ${server.name}`);
  if (server.transport === 'stdio') {
    same('command', [got.command, ...got.args], [server.command, ...server.args]);
    same('names of variables', sorted(Object.keys(got.env)), sorted(Object.keys(server.env)));
  } else {
    same('url', got.url, server.url);
    same('names of headers', sorted(Object.keys(got.headers)), sorted(Object.keys(server.headers)));
  }
}

async function agentSwitches(parts) {
  const { driver, scope, sandbox } = parts;
  if (driver.switch === undefined) return 'not offered';
  const { name } = serversFor(parts, 'agent').stdio;
  await holtAddsUnlessThere(parts, serversFor(parts, 'agent').stdio);
  for (const on of [false, true]) {
    const args = driver.switch({ name, scope, on });
    await succeed(sandbox.agent(args), args);
    const seen = await looksAt(parts, name);
    if (seen?.state !== (on ? 'on' : 'off')) return 'no effect';
    const row = (await holtLists(parts)).find((one) => one.name === name);
    same(`enabled after ${args.join(' ')}`, row?.enabled, on);
  }
}

/** Where the agent cannot add in this scope, its other commands are tried on what holt wrote. */
async function holtAddsUnlessThere(parts, server) {
  const rows = await holtLists(parts);
  if (!rows.some(({ name }) => name === server.name)) await holtWrites(parts, addWithHolt(parts, server));
}

async function holtAdds(parts) {
  const { stdio, remote } = serversFor(parts, 'holt');
  for (const server of [stdio, remote]) {
    await holtWrites(parts, addWithHolt(parts, server));
    const approval = parts.driver.approve?.({ name: server.name, scope: parts.scope });
    if (approval !== undefined) await succeed(parts.sandbox.agent(approval), approval);
  }
  const seen = await parts.driver.look(parts.sandbox, [stdio.name, remote.name]);
  for (const server of [stdio, remote]) agrees(seen.get(server.name), server, parts.scope);
}

function addWithHolt({ driver, scope }, { name, transport, command, args, env, url: to, headers }) {
  const start = ['add', name, '--agent', driver.id, '--scope', scope, '--yes'];
  if (transport !== 'stdio')
    return [...start, '--transport', transport, '--url', to, ...flags('--header', headers, ': ')];
  return [...start, ...flags('--env', env, '='), '--', command, ...args];
}

function agrees(seen, server, scope) {
  if (seen === undefined) throw new Error(`the agent does not list ${server.name}`);
  const known = (label, got, wanted) => got === undefined || same(`the agent’s ${label}`, got, wanted);
  known('scope', seen.scope, scope);
  known('transport', seen.transport, server.transport);
  same('the agent’s state', seen.state, 'on');
  known('command', seen.command, server.command);
  known('arguments', seen.args, server.args);
  known('arguments', seen.shownArgs, server.args?.join(' '));
  known('command line', seen.shownCommand, [server.command, ...(server.args ?? [])].join(' '));
  known('variables', sorted(seen.env), sorted(Object.keys(server.env ?? {})));
  known('url', seen.url, server.url);
  known('headers', sorted(seen.headers), sorted(Object.keys(server.headers ?? {})));
}

/** Off in the agent's own words. A list that does not know its own switch is no proof: there the session is asked. */
async function holtDisables(parts) {
  const { driver, scope, sandbox } = parts;
  const names = Object.values(serversFor(parts, 'holt')).map(({ name }) => name);
  for (const name of names) await disable(parts, name);
  if (driver.listIgnoresSwitch === true) return 'not shown';
  const seen = await driver.look(sandbox, names);
  const states = names.map((name) => seen.get(name)?.state);
  const wanted = driver.offState?.(scope) ?? 'off';
  same('the agent’s states', states, [wanted, wanted]);
  const listed = (await driver.listed?.(sandbox)) ?? [];
  if (wanted === 'rejected' && names.some((name) => listed.includes(name)))
    throw new Error('the agent still lists a server that it calls rejected');
}

async function disable(parts, name) {
  const { how } = await holtWrites(parts, ['disable', name, '--agent', parts.driver.id]);
  if (how === 'override') throw new Error('only holt is told: the agent’s own switch is not written');
  const row = (await holtLists(parts)).find((one) => one.name === name);
  same('holt says enabled', row?.enabled, false);
}

async function holtEnables(parts) {
  for (const server of Object.values(serversFor(parts, 'holt'))) {
    await holtWrites(parts, ['enable', server.name, '--agent', parts.driver.id]);
    agrees(await looksAt(parts, server.name), server, parts.scope);
  }
}

/** A rejection as the agent itself writes it: by its command, or as its dialog does. */
async function showsRejected(parts) {
  const { driver, scope, sandbox } = parts;
  const { name } = serversFor(parts, 'holt').stdio;
  const rejection = driver.rejection?.(scope);
  if (rejection === undefined) return 'not offered';
  await rejection.reject(sandbox, name);
  const seen = await looksAt(parts, name);
  same('the agent’s state', seen?.state, 'rejected');
  const row = (await holtLists(parts)).find((one) => one.name === name);
  same('holt says enabled', row?.enabled, false);
  const { stdout } = await sandbox.holt(['get', name]);
  if (!/rejected in /.test(stdout)) throw new Error(`holt get ${name} does not say that it is rejected`);
  await rejection.accept(sandbox, name);
  const again = (await holtLists(parts)).find((one) => one.name === name);
  same('holt says enabled', again?.enabled, true);
}

/**
 * No model answers, so the session fails or is ended. It starts its servers together before that: what has not started
 * three seconds after its neighbour was left out.
 */
async function sessionObeys(parts) {
  const { driver, scope, sandbox } = parts;
  if (driver.session === undefined) return 'not run';
  const { stdio } = serversFor(parts, 'holt');
  const other = serversFor(parts, 'other').stdio;
  await holtWrites(parts, addWithHolt(parts, other));
  const approval = driver.approve?.({ name: other.name, scope });
  if (approval !== undefined) await succeed(sandbox.agent(approval), approval);
  await disable(parts, stdio.name);
  sandbox.write(sandbox.started, ''); // What an agent's list or holt has started before does not count.
  const started = () => (sandbox.read(sandbox.started) ?? '').split('\n');
  const isStarted = ({ name }) => started().some((line) => line.startsWith(name));
  const { args, env } = driver.session;
  const { stderr } = await sandbox.agent(args, { more: env, until: () => isStarted(other), grace: 3 });
  if (!isStarted(other)) throw new Error(`a session does not start ${other.name}: ${lastWords(stderr)}`);
  if (isStarted(stdio)) throw new Error(`a session starts ${stdio.name} although holt disabled it`);
  await holtWrites(parts, ['enable', stdio.name, '--agent', driver.id]);
  await holtWrites(parts, ['remove', other.name, '--agent', driver.id]);
}

/** Each agent spells references in its own way; what counts is the value that the server is started with. */
async function importsReference(parts) {
  const { driver, scope, sandbox } = parts;
  if (driver.session === undefined) return 'not run';
  const name = `imported-${scope}-program`;
  const start = ['add', name, '--agent', 'holt', '--user', '--yes', '--env', 'HOLT_GIVEN=${HOLT_GIVEN}'];
  const { command, args } = serversFor(parts, 'holt').stdio;
  await holtJson(sandbox, [...start, '--', command, ...args.slice(0, 3), name]);
  await holtWrites(parts, ['import', '--from', 'holt', '--to', driver.id, '--scope', scope, '--yes', name]);
  const more = { ...driver.session.env, HOLT_GIVEN: 'from-the-environment' };
  const approval = driver.approve?.({ name, scope });
  // Qwen Code approves an entry as it is with its variables filled in.
  if (approval !== undefined) await succeed(sandbox.agent(approval, { more }), approval);
  sandbox.write(sandbox.started, '');
  const line = () => (sandbox.read(sandbox.started) ?? '').split('\n').find((each) => each.startsWith(name));
  const { stderr } = await sandbox.agent(driver.session.args, { more, until: () => line() !== undefined });
  if (line() === undefined) throw new Error(`a session does not start ${name}: ${lastWords(stderr)}`);
  same('what the server was given', line(), `${name} given from-the-environment`);
  await holtJson(sandbox, ['remove', name, '--everywhere']);
}

/** In a sandbox of its own: the agent would find its usual files gone. */
async function followsVariable({ driver, scope }) {
  const { movedHome } = driver;
  const sandbox = openSandbox(driver, 'moved');
  try {
    const moved = path.join(sandbox.home, 'elsewhere');
    mkdirSync(moved);
    const more = { [movedHome]: moved };
    const server = serversFor({ driver, scope, sandbox }, 'moved').stdio;
    const args = driver.add({ name: server.name, scope, server });
    await succeed(sandbox.agent(args, { more }), args);
    const { stdout } = await succeed(
      sandbox.holt(['list', '--all', '--json', '--agent', driver.id], { more }),
      ['holt', 'list'],
    );
    const row = JSON.parse(stdout).servers.find(({ name }) => name === server.name);
    if (row === undefined) throw new Error(`holt does not read what ${movedHome} moves`);
    if (!row.file.startsWith(moved)) throw new Error(`holt reads ${row.file}`);
  } finally {
    sandbox.close();
  }
}

async function holtRemoves(parts) {
  const { stdio, remote } = serversFor(parts, 'holt');
  for (const { name } of [stdio, remote])
    await holtWrites(parts, ['remove', name, '--agent', parts.driver.id]);
  const seen = await parts.driver.look(parts.sandbox, [stdio.name, remote.name]);
  if (seen.size > 0) throw new Error(`the agent still lists ${[...seen.keys()].join(', ')}`);
}

async function agentRemoves(parts) {
  const { driver, scope, sandbox } = parts;
  const { stdio, remote } = serversFor(parts, 'agent');
  for (const server of [stdio, remote]) {
    const args = driver.remove?.({ name: server.name, scope });
    if (args === undefined) return 'not offered';
    await holtAddsUnlessThere(parts, server);
    await succeed(sandbox.agent(args), args);
  }
  const left = (await holtLists(parts)).filter(({ name }) => [stdio.name, remote.name].includes(name));
  if (left.length > 0) throw new Error(`holt still lists ${left.map(({ name }) => name).join(', ')}`);
}

/** Every write was taken back and made again; at the end one is taken back for good, and the agent reads what is left. */
async function undoRestores(parts) {
  const { undone } = parts;
  const first = undone.find(({ differs }) => differs.length > 0);
  if (first !== undefined) throw new Error(`after ${first.what} and undo: ${first.differs.join(', ')}`);
  if (undone.length === 0) throw new Error('nothing was written');
  const server = { ...serversFor(parts, 'holt').stdio, name: `last-${parts.scope}-program` };
  await holtWrites(parts, addWithHolt(parts, server));
  await holtJson(parts.sandbox, ['remove', server.name, '--agent', parts.driver.id]);
  await holtJson(parts.sandbox, ['undo']);
  const seen = await looksAt(parts, server.name);
  if (seen === undefined) throw new Error('the agent does not list a server whose removal was taken back');
}

/** Makes a change, takes it back, compares every file with what it was, and makes the change again. */
async function holtWrites(parts, args) {
  const { sandbox, undone } = parts;
  const before = snapshot(sandbox);
  await holtJson(sandbox, args);
  const changed = differences(before, snapshot(sandbox));
  await holtJson(sandbox, ['undo']);
  const differs = changed.length === 0 ? ['nothing was written'] : differences(before, snapshot(sandbox));
  undone.push({ what: `holt ${args[0]}`, differs });
  return holtJson(sandbox, args);
}

function snapshot({ home, project }) {
  const files = [home, project].flatMap((base) =>
    readdirSync(base, { recursive: true }).map((name) => path.join(base, name)),
  );
  const kept = files.filter((file) => !/[/\\](?:\.holt|\.git|node_modules)(?:[/\\]|$)/.test(file));
  const small = kept.filter((file) => statSync(file).isFile() && statSync(file).size < 1_000_000);
  return new Map(small.map((file) => [file, readFileSync(file, 'latin1')]));
}

function differences(before, after) {
  const files = new Set([...before.keys(), ...after.keys()]);
  return [...files].filter((file) => before.get(file) !== after.get(file)).map((file) => path.basename(file));
}

async function looksAt({ driver, sandbox }, name) {
  return (await driver.look(sandbox, [name])).get(name);
}

async function holtLists({ driver, sandbox }) {
  const { servers } = await holtJson(sandbox, ['list', '--all', '--agent', driver.id]);
  return servers;
}

async function holtJson(sandbox, args) {
  const cut = args.includes('--') ? args.indexOf('--') : args.length;
  const { stdout } = await succeed(sandbox.holt(args.toSpliced(cut, 0, '--json')), ['holt', ...args]);
  return JSON.parse(stdout);
}

async function succeed(running, args) {
  const ended = await running;
  if (ended.code === 0) return ended;
  throw new Error(
    `${args.slice(0, 3).join(' ')}: exit ${ended.code}: ${lastWords(ended.stderr + ended.stdout)}`,
  );
}

function lastWords(text) {
  return text.trim().split('\n').slice(-3).join(' ');
}

function flags(flag, record, sign) {
  return Object.entries(record).flatMap(([key, value]) => [flag, `${key}${sign}${value}`]);
}

function sorted(names) {
  return names?.toSorted();
}

function same(what, got, wanted) {
  if (JSON.stringify(got) === JSON.stringify(wanted)) return;
  throw new Error(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`);
}
