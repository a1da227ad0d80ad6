/**
 * What everybody is asked to do, written once: `PROGRAM JOB ARGUMENTS`. A program says only how servers are opened; it gets
 * `{ name: { command, args } | { url } }` and gives `{ list, call, close }`. Figures go to stdout as JSON.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const inFlight = 64;
// Where the servers are: this file is copied to where the peers are installed.
const { BENCH_SERVERS } = process.env;

const node = (file, ...args) => ({
  command: process.execPath,
  args: [path.join(BENCH_SERVERS, file), ...args],
});
const range = (count, entry) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, entry]));
const expect = (seen, wanted) => {
  if (seen !== wanted) throw new Error(`${seen} came, not ${wanted}`);
};

export async function runJob(open) {
  const [job, ...args] = process.argv.slice(2);
  const told = await jobs[job](open, ...args);
  if (told !== undefined) console.log(JSON.stringify(told));
  // What a library keeps open after its close is not counted.
  process.exit(0);
}

const jobs = {
  import: async () => undefined,

  connect: async (open, count) => {
    const session = await open(range(Number(count), node('plain-server.mjs')));
    expect(await session.list(), Number(count) * 10);
    await session.close();
  },

  call: async (open) => {
    const session = await open(range(1, node('plain-server.mjs')));
    expect(await session.call('tool_0', { path: 'x' }), '{"path":"x"}');
    await session.close();
  },

  calls: async (open, transport, count) => {
    const server = node('call-server.mjs', transport, 'stateful');
    const remote = transport === 'http' ? await startRemote(server) : undefined;
    const session = await open(range(1, remote === undefined ? server : { url: remote.url }));
    await session.list();
    const call = () => session.call('echo', { text: 'hello' });
    expect(await call(), 'hello');
    await callMany(call, Number(count)); // the compiler's time is not the point
    const times = (await callEach(call, Number(count))).toSorted((left, right) => left - right);
    const start = performance.now();
    await callMany(call, Number(count) * 2);
    const perSecond = (Number(count) * 2000) / (performance.now() - start);
    await session.close();
    remote?.end();
    const at = (share) => times[Math.floor(times.length * share)];
    return { p50: at(0.5), p99: at(0.99), perSecond };
  },

  /** `memory SERVERS` of ten small tools each, or `memory SERVERS TOOLS` of so many large ones. */
  memory: async (open, count, tools) => {
    const fat = {
      command: process.execPath,
      args: [path.join(import.meta.dirname, 'fat-server.mjs'), tools],
    };
    const session = await open(range(Number(count), tools === undefined ? node('plain-server.mjs') : fat));
    expect(await session.list(), Number(count) * Number(tools ?? 10));
    const bytes = await settledBytes();
    await session.close();
    return { bytes };
  },

  result: async (open, size) => {
    const session = await open(range(1, node('call-server.mjs', 'stdio', 'stateful')));
    await session.list();
    // Whatever is loaded and made with the first call is not the point.
    await session.call('long', { bytes: 1000 });
    const before = process.memoryUsage.rss();
    const start = performance.now();
    expect((await session.call('long', { bytes: Number(size) })).length, Number(size));
    const ms = performance.now() - start;
    const bytes = process.resourceUsage().maxRSS * 1024 - before;
    await session.close();
    return { ms, bytes };
  },
};

async function startRemote({ command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const url = String((await once(child.stdout, 'data'))[0]).trim();
  return { url, end: () => child.stdin.end() };
}

async function callEach(call, count) {
  const times = [];
  for (let at = 0; at < count; at += 1) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  return times;
}

async function callMany(call, count) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

/** Collected until nothing more comes of it. */
async function settledBytes() {
  let bytes = Infinity;
  for (let round = 0; round < 10; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
    bytes = Math.min(bytes, process.memoryUsage.rss());
  }
  return bytes;
}
