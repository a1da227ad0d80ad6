/**
 * Hosts with programs and remote servers, calling all the time, while servers are killed, stopped and changed, the network
 * breaks in every way it knows, and hosts themselves are closed, stopped or killed.
 */

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { openFaultProxy, type Fault, type FaultProxy } from '../../fixtures/fault-proxy.mjs';
import { startFixture, type RemoteFixture } from '../../support/remote-fixture.ts';
import { now } from '../programs/notes.mjs';
import {
  outlive,
  persist,
  scan,
  sendSignal,
  startOwner,
  whileOn,
  type Found,
  type Owner,
  type WorkloadContext,
} from '../workload-context.ts';
import { programEntry } from './entries.ts';

const hostsAtOnce = 2;
const localTools = ['echo', 'echo', 'echo', 'progress', 'twice', 'stale', 'late', 'never'];
const remoteTools = ['echo', 'echo', 'echo', 'twice', 'late', 'never'];

interface Remote {
  readonly name: string;
  readonly fixture: RemoteFixture;
  readonly proxy: FaultProxy;
}

interface Workload {
  readonly context: WorkloadContext;
  readonly home: string;
  readonly remotes: readonly [Remote, ...Remote[]];
  readonly task: object;
  readonly hosts: Map<string, Owner>;
  /** Until a new guardian is at work its host is left alone: both at once is for the next start to clear up. */
  readonly spared: Map<string, number>;
  started: number;
}

export async function runHosts(context: WorkloadContext): Promise<void> {
  const { random, note } = context;
  const locals = ['plain', 'tree', 'leaver'];
  const secret = (name: string): string => `canary-${name}-${random.between(1e8, 9e8)}`;
  const canaryOf = Object.fromEntries(
    [...locals, 'stateful', 'stateless', 'nobody'].map((name) => [name, secret(name)]),
  );
  for (const [to, canary] of Object.entries(canaryOf)) note('grant', { canary, to });
  const canaries = Object.values(canaryOf);
  await using stateful = await startRemote(context, 'stateful', canaries);
  await using stateless = await startRemote(context, 'stateless', canaries);
  const program = (server: string, more: object): object =>
    programEntry(context, server, {
      tools: [...new Set(localTools)],
      canaries,
      canary: canaryOf[server] ?? '',
      ...more,
    });
  const remote = ({ name, proxy }: Remote, header: string): object => ({
    type: 'http',
    url: `http://127.0.0.1:${proxy.port}/mcp`,
    headers: { [header]: `Bearer ${canaryOf[name]}` },
  });
  const home = path.join(context.folder, 'home');
  mkdirSync(home);
  const workload: Workload = {
    context,
    home,
    remotes: [stateful, stateless],
    hosts: new Map(),
    spared: new Map(),
    started: 0,
    task: {
      home,
      canaries,
      callers: 6,
      env: { DEPLOY_TOKEN: canaryOf['nobody'] },
      servers: {
        plain: program('plain', {}),
        tree: program('tree', { isTree: true }),
        leaver: program('leaver', { daemon: true }),
        stateful: remote(stateful, 'Authorization'),
        stateless: remote(stateless, 'X-Api-Key'),
      },
      tools: {
        ...Object.fromEntries(locals.map((name) => [name, localTools])),
        stateful: remoteTools,
        stateless: remoteTools,
      },
    },
  };
  await Promise.all([
    ...Array.from({ length: hostsAtOnce }, () => liveOn(workload)),
    whileOn(context, [150, 900], () => breakProgram(workload)),
    whileOn(context, [100, 700], () => breakNetwork(workload)),
  ]);
}

async function startRemote(
  context: WorkloadContext,
  era: 'stateful' | 'stateless',
  canaries: readonly string[],
): Promise<Remote & AsyncDisposable> {
  const history = path.join(context.history, `${era}.jsonl`);
  const task = JSON.stringify({ server: era, era, history, canaries });
  const fixture = await startFixture('../../soak/programs/soak-http', '0', task);
  const proxy = await openFaultProxy(fixture.port);
  return {
    name: era,
    fixture,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await fixture.kill();
    },
  };
}

/** One host after the other, each ended in some way. */
async function liveOn(workload: Workload): Promise<void> {
  const { context, hosts, task } = workload;
  const { random, note } = context;
  while (!context.isOver()) {
    const owner = `host-${(workload.started += 1)}`;
    const host = startOwner(context, 'soak-host', owner, task);
    hosts.set(owner, host);
    // Some are ended while they start.
    const isEarly = random.chance(0.2);
    await outlive(context, host, isEarly ? random.between(100, 1500) : random.between(2000, 12_000), isEarly);
    while (!context.isOver() && (workload.spared.get(owner) ?? 0) > now()) await pause(50);
    hosts.delete(owner);
    if (random.chance(0.65)) {
      note('fault', { fault: 'kill host', target: owner });
      sendSignal(host.child.pid, 'SIGKILL');
    } else {
      note('fault', { fault: 'close host', target: owner });
      note('closing', { owner, step: 'told' });
      sendSignal(host.child.pid, 'SIGCONT');
      host.stop();
      await Promise.race([host.ended, tooSlow(workload, host)]);
    }
    await host.ended;
  }
}

/** Eight seconds are promised once no call is waited for; a busy machine gets more. */
const closeMs = 30_000;

/** Ends a host that does not end by itself. Whether that was its fault, the history tells. */
async function tooSlow({ context }: Workload, host: Owner): Promise<void> {
  const isOver = (): boolean => host.child.exitCode !== null || host.child.signalCode !== null;
  const file = path.join(context.history, `${host.owner}.jsonl`);
  const toldAt = now();
  let closingAt: number | undefined;
  while (!isOver() && now() - (closingAt ?? toldAt + closeMs) < closeMs) {
    await pause(250);
    if (closingAt === undefined && existsSync(file) && readFileSync(file, 'utf8').includes('"calls over"'))
      closingAt = now();
  }
  if (isOver()) return;
  const where =
    closingAt === undefined ? 'its calls did not end' : 'close() did not settle or left something open';
  context.note('wrong', { what: `${host.owner} did not end in time: ${where}` });
  sendSignal(host.child.pid, 'SIGKILL');
}

async function breakProgram(workload: Workload): Promise<void> {
  const { context, hosts } = workload;
  const { random, note } = context;
  const host = random.pick([...hosts.values()]);
  const mine = scan().filter(({ owner }) => hosts.has(owner));
  const victim = random.pick(mine);
  const told = (fault: string, target: string): void => note('fault', { fault, target });
  const kind = random.pick([
    'kill server',
    'kill server',
    'stop server',
    'change list',
    'change list',
    'host',
  ]);
  if (kind === 'host') return breakHost(workload, host);
  if (victim === undefined) return;
  if (kind === 'kill server') {
    told(kind, victim.server);
    sendSignal(victim.pid, 'SIGKILL');
  } else if (kind === 'stop server') {
    told(kind, victim.server);
    sendSignal(victim.pid, 'SIGSTOP');
    const ms = random.between(100, 2500);
    setTimeout(() => sendSignal(victim.pid, 'SIGCONT'), ms).unref();
  } else {
    const speaker = random.pick(mine.filter(isSpeaker));
    if (speaker === undefined) return;
    told(kind, speaker.server);
    sendSignal(speaker.pid, 'SIGUSR2');
  }
}

/** The server itself, not what started it or what it left. */
function isSpeaker({ command, pid }: Found): boolean {
  // A program that only just started does not listen to signals yet and would be ended by one.
  return command[1]?.endsWith('soak-server.mjs') === true && listensToUsr2(pid);
}

function listensToUsr2(pid: number): boolean {
  try {
    const caught = /^SigCgt:\t([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
    return (BigInt(`0x${caught}`) & (1n << 11n)) !== 0n;
  } catch {
    return false;
  }
}

async function breakHost({ context, spared }: Workload, host: Owner | undefined): Promise<void> {
  const { random, note } = context;
  const pid = host?.child.pid;
  if (host === undefined || pid === undefined) return;
  if (random.chance(0.5)) {
    note('fault', { fault: 'stop host', target: host.owner });
    sendSignal(pid, 'SIGSTOP');
    await pause(random.between(200, 1500));
    sendSignal(pid, 'SIGCONT');
    return;
  }
  const guardian = guardianOf(pid);
  if (guardian === undefined) return;
  spared.set(host.owner, now() + 3000);
  note('fault', { fault: 'kill guardian', target: host.owner });
  sendSignal(guardian, 'SIGKILL');
}

function guardianOf(parent: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').map(Number);
    return children.find(
      (pid) => pid > 0 && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('holt-guardian'),
    );
  } catch {
    return undefined;
  }
}

const breaks: Readonly<Record<string, (context: WorkloadContext) => Fault>> = {
  latency: ({ random }) => ({ latencyMs: random.between(20, 400) }),
  stall: () => ({ blackhole: true }),
  truncate: ({ random }) => ({ endAfterBytes: random.between(1, 900) }),
  'reset mid-answer': ({ random }) => ({ resetAfterBytes: random.between(1, 900) }),
  drip: ({ random }) => ({ dripBytes: random.between(1, 40) }),
  'status 500': () => ({ statuses: [{ status: 500 }, { status: 502 }] }),
  'status 429': () => ({ statuses: [{ status: 429, headers: { 'retry-after': '1' } }, { status: 429 }] }),
  'status 503': () => ({ statuses: [{ status: 503, headers: { 'retry-after': '0' } }] }),
};

async function breakNetwork({ context, remotes }: Workload): Promise<void> {
  const { random, note } = context;
  const { name, proxy, fixture } = random.pick(remotes);
  const other = remotes.find((remote) => remote.name !== name);
  const kind = random.pick([
    ...Object.keys(breaks),
    'cut',
    'half-open',
    'forget',
    'change',
    'redirect',
  ] as const);
  if (kind === undefined) return;
  note('fault', { fault: `network: ${kind}`, target: name });
  const fault = breaks[kind]?.(context);
  if (fault !== undefined || kind === 'half-open') {
    proxy.inject(fault ?? { blackhole: true });
    await pause(random.between(100, kind === 'stall' ? 2500 : 900));
    if (kind === 'half-open') proxy.cut();
    proxy.inject({});
  } else if (kind === 'cut') proxy.cut();
  else {
    const order = { do: kind, to: other?.fixture.url, times: random.between(1, 4) };
    const body = JSON.stringify(order);
    await persist(() => fetch(new URL('/control', fixture.url), { method: 'POST', body }));
  }
}
