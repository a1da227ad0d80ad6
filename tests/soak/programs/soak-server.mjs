/**
 * A server over standard streams that writes down what it gets. `argv[2]` is JSON: `server`, `history` (a file), `canaries` to
 * look for, `tools` by name; `daemon` leaves a process behind; `versions` is a file whose text is part of every description.
 * SIGUSR2 adds a tool and tells of it. Tools: `echo` answers with its mark, `progress` tells some before, `twice` answers two
 * times, `stale` first answers a call that is over with what belongs to this one, `late` answers when nobody waits any more.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { send, speak, text, tool } from '../../fixtures/servers/shared/speak.mjs';
import { canariesIn, openNotes } from './notes.mjs';

const task = JSON.parse(process.argv[2]);
const { server, canaries } = task;
const { SOAK_OWNER: owner = '', HOLT_RUN: cookie = '' } = process.env;
const note = openNotes(task.history, `${server} ${process.pid}`);
note('spawn', { owner, server, pid: process.pid, cookie });

const surroundings = JSON.stringify([process.env, process.argv.slice(3)]);
note('outbound', { to: server, bytes: surroundings.length, canaries: canariesIn(surroundings, canaries) });
let heard = '';
process.stdin.on('data', (chunk) => {
  heard += chunk;
});

if (task.daemon) spawn('sleep', ['1000'], { detached: true, stdio: 'inherit' }).unref();

const version = () => (task.versions === undefined ? '' : readFileSync(task.versions, 'utf8').trim());
const properties = { mark: { type: 'string' }, delay: { type: 'number' } };
const names = [...task.tools];
let listed = new Map();
let answered;

const line = speak({
  name: server,
  methods: {
    'tools/list': () => {
      const tools = names.map((name) => ({ ...tool(name, properties), description: `${name} ${version()}` }));
      listed = new Map(tools.map((entry) => [entry.name, digestOf(entry.description)]));
      return { tools };
    },
    'tools/call': call,
  },
});
process.on('SIGUSR2', () => {
  names.push(`more-${names.length}`);
  line.changed('tools');
});

function digestOf(description) {
  return createHash('sha256').update(description).digest('hex').slice(0, 12);
}

async function call({ name, arguments: { mark, delay = 0 } = {}, _meta: meta = {} }, id) {
  const digest =
    task.versions === undefined ? {} : { digest: listed.get(name) ?? digestOf(`${name} ${version()}`) };
  note('received', { server, tool: name, mark, ...digest });
  note('outbound', { to: server, bytes: heard.length, canaries: canariesIn(heard, canaries) });
  heard = '';
  if (name === 'announce') line.changed('tools');
  const { progressToken } = meta;
  if (name === 'progress' && progressToken !== undefined)
    for (let progress = 1; progress <= 3; progress += 1) {
      send({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 3, message: mark },
      });
      await pause(delay / 3);
    }
  else await pause(name === 'late' ? 2500 : delay);
  const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...text(mark) };
  if (name === 'stale' && answered !== undefined) send({ id: answered, result });
  if (name === 'twice') send({ id, result });
  answered = id;
  return text(mark);
}
