/** T123: descendants that detached themselves and wiped every trace, and are known only because they were seen. */

import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';

import type { Client } from '@modelcontextprotocol/client';
import { createLeases, type Leases } from '../../src/platform/processes/leases.ts';
import { signal } from '../../src/platform/processes/trees/process-facts.ts';
import type { OpenTask } from '../fixtures/programs/open-transports.ts';
import { hostSystem, startProgram, type Program } from '../fixtures/programs/start-program.ts';
import { isAlive, known, until } from '../support/processes.ts';
import { connectClient, openStdioFixture, type StdioFixture } from '../support/stdio-fixture.ts';

const patienceMs = 10_000;
const hiddenOnes: number[] = [];

afterEach(() => {
  for (const pid of hiddenOnes.splice(0)) signal(pid, 'SIGKILL');
});

async function call(client: Client, name: string): Promise<number> {
  const { content } = await client.callTool({ name });
  const pid = known(Number((content as { text: string }[])[0]?.text)); // what the fixture sends
  hiddenOnes.push(pid);
  return pid;
}

function notedDescendants(home: string): readonly number[] {
  const folder = path.join(home, 'run', 'leases');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const lease: { descendants?: { pid: number }[] } = JSON.parse(
        fs.readFileSync(path.join(folder, name), 'utf8'),
      );
      return lease.descendants ?? [];
    })
    .map(({ pid }) => pid);
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

test('T123: a descendant that detached and wiped its environment ends with its server', async () => {
  await using fixture = await openStdioFixture();
  const client = await connectClient(fixture.transport('detaches-a-process'));
  const hidden = await call(client, 'hidden');
  expect(fs.readFileSync(`/proc/${hidden}/environ`, 'utf8')).not.toContain('HOLT_RUN');
  await client.close();

  expect(isAlive(hidden)).toBe(false);
  expect(await fixture.leases.listProcesses()).toEqual([]);
});

test('T123: a descendant that was seen ends with its server, also when its parent ended long before', async () => {
  await using fixture = await openStdioFixture();
  const { client, hidden, server } = await openOrphaned(fixture);
  expect(parentOf(hidden)).not.toBe(server);
  await client.close();

  expect(isAlive(hidden)).toBe(false);
});

test('T123: a survivor that ignores SIGTERM is killed with its children, within the time of a stop', async () => {
  await using fixture = await openStdioFixture();
  const stop = { stdinMs: 100, termMs: 200 };
  const client = await connectClient(fixture.transport('detaches-a-process', ['stubborn'], { stop }));
  const hidden = await call(client, 'hidden');
  const list = `/proc/${hidden}/task/${hidden}/children`;
  await until(() => fs.readFileSync(list, 'utf8') !== '', patienceMs);
  const child = Number(fs.readFileSync(list, 'utf8'));
  hiddenOnes.push(child);
  await client.close();

  expect([hidden, child].map(isAlive)).toEqual([false, false]);
});

test('T123: a survivor of a server that crashed is ended as well', async () => {
  await using fixture = await openStdioFixture();
  const { hidden, server } = await openOrphaned(fixture);
  process.kill(server, 'SIGKILL');

  await expect.poll(() => isAlive(hidden), { timeout: patienceMs }).toBe(false);
});

async function openOrphaned(
  fixture: StdioFixture,
): Promise<{ client: Client; hidden: number; server: number }> {
  const transport = fixture.transport('detaches-a-process');
  const client = await connectClient(transport);
  const hidden = await call(client, 'hidden');
  await until(() => notedDescendants(fixture.home).includes(hidden), patienceMs);
  await call(client, 'orphan');
  return { client, hidden, server: known(transport.pid) };
}

/** Holt in a process of its own, with a server that hides a process which was seen. */
async function startHolt(
  fixture: StdioFixture,
): Promise<{ program: Program; guardian: number; hidden: number }> {
  const task: OpenTask = { home: fixture.home, mark: fixture.mark, servers: [['detaches-a-process']] };
  const program = startProgram('open-transports', task);
  expect(await program.nextLine()).toBe('starting');
  const guardian = Number((await program.nextLine()).split(' ')[1]);
  const isHidden = (pid: number): boolean => isAlive(pid) && commandOf(pid).startsWith('sleep');
  await until(() => notedDescendants(fixture.home).some(isHidden), patienceMs);
  const hidden = known(notedDescendants(fixture.home).find(isHidden));
  hiddenOnes.push(hidden);
  return { program, guardian, hidden };
}

function commandOf(pid: number): string {
  return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}

function leasesOf({ home }: StdioFixture): Leases {
  return createLeases({ holtHome: home, os: hostSystem, wallNow: Date.now });
}

test('T123: when holt is killed, the guardian ends the descendants that were seen', async () => {
  await using fixture = await openStdioFixture();
  const { program, hidden } = await startHolt(fixture);
  program.child.kill('SIGKILL');
  await program.ended;

  await expect.poll(() => isAlive(hidden), { timeout: patienceMs }).toBe(false);
});

test('T123: when holt and its guardian are killed, ps lists the survivor and reap ends it', async () => {
  await using fixture = await openStdioFixture();
  const { program, guardian, hidden } = await startHolt(fixture);
  program.child.kill('SIGSTOP');
  process.kill(guardian, 'SIGKILL');
  program.child.kill('SIGKILL');
  await program.ended;
  const leases = leasesOf(fixture);
  const survivors = (await leases.listProcesses()).filter(({ kind }) => kind === 'survivor');

  expect(survivors).toContainEqual({
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    kind: 'survivor',
    server: 'detaches-a-process',
    command: 'sleep',
    pid: hidden,
    memoryBytes: expect.any(Number),
    startedAt: expect.stringMatching(/^\d{4}-/),
    ageMs: expect.any(Number),
    owner: { pid: program.child.pid, alive: false },
    remedy: 'holt reap',
  });
  expect(await leases.reap()).toMatchObject([{ server: 'detaches-a-process', left: [] }]);
  expect(isAlive(hidden)).toBe(false);
  expect(await leases.listProcesses()).toEqual([]);
});

test('T123: the sweep of the next start ends a survivor whose server is gone', async () => {
  await using fixture = await openStdioFixture();
  const { program, guardian, hidden } = await startHolt(fixture);
  const [row] = await leasesOf(fixture).listProcesses();
  program.child.kill('SIGSTOP');
  process.kill(guardian, 'SIGKILL');
  program.child.kill('SIGKILL');
  await program.ended;
  const server = known(row?.pid);
  process.kill(-server, 'SIGKILL');
  await until(() => !isAlive(server), patienceMs);
  expect(isAlive(hidden)).toBe(true);
  await leasesOf(fixture).sweepStale();

  expect(isAlive(hidden)).toBe(false);
  expect(notedDescendants(fixture.home)).toEqual([]);
});
