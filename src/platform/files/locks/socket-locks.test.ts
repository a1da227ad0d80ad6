import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { hostSystem } from '../../../../tests/fixtures/programs/start-program.ts';
import { lockAddresses, withLock, type LockOptions } from '../lock.ts';
import { createSocketLocks, nodeSockets, type SocketPort } from './lock-mechanisms.ts';

let folder: string;
let asked: string[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-pipes-'));
});
beforeEach(() => {
  asked = [];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** This system's real sockets under the names that Windows has for them. */
const pipes: SocketPort = {
  listen: (address) => nodeSockets.listen(translate('listen', address)),
  followHolder: (address, signal) => nodeSockets.followHolder(translate('follow', address), signal),
};

function translate(action: string, address: string): string {
  asked.push(`${action} ${address}`);
  if (hostSystem === 'windows') return address;
  const word = address.replace('\\\\.\\pipe\\holt-', '');
  return hostSystem === 'linux' ? `\0${word}` : path.join(folder, word.slice(-12));
}

const windows = (more: Partial<LockOptions> = {}): LockOptions => ({
  os: 'windows',
  holtHome: folder,
  user: 'ada',
  timeoutMs: 20_000,
  parts: { sockets: pipes },
  ...more,
});

const never = new AbortController().signal;

test('on Windows a lock is a named pipe; who finds it taken tries again when the holder hangs up, and not before', async () => {
  const { next, held } = lockAddresses('C:\\x', { os: 'windows', user: 'ada', folder: '' });
  const foreign = await pipes.listen(held);
  if (foreign === 'taken') throw new Error('nobody should have it');
  asked = [];
  const done = withLock(
    'C:\\x',
    async () => 'in',
    windows({ onWait: () => setImmediate(() => foreign.release()) }),
  );

  expect(await done).toBe('in');
  expect(asked).toEqual([`listen ${next}`, `listen ${held}`, `follow ${held}`, `listen ${held}`]);
});

test('who gives up leaves nothing behind at the address it was next at', async () => {
  const { held } = lockAddresses('C:\\y', { os: 'windows', user: 'ada', folder: '' });
  const foreign = await pipes.listen(held);
  if (foreign === 'taken') throw new Error('nobody should have it');

  await expect(withLock('C:\\y', async () => 'in', windows({ timeoutMs: 30 }))).rejects.toMatchObject({
    code: 'lock-busy',
  });
  await foreign.release();
  expect(await withLock('C:\\y', async () => 'in', windows({ timeoutMs: 1000 }))).toBe('in');
});

test('an address where nobody answers yet is tried again after a short rest', async () => {
  const outcomes = ['refused', 'refused', 'ended'] as const;
  const rounds: number[] = [];
  const locks = createSocketLocks({
    listen: () => Promise.resolve('taken'),
    followHolder: () => Promise.resolve(outcomes[rounds.length] ?? 'ended'),
  });
  for (const round of outcomes.keys()) {
    await locks.untilWorthTrying('address', round, never);
    rounds.push(round);
  }

  expect(rounds).toEqual([0, 1, 2]);
  expect(await nodeSockets.followHolder(translate('follow', '\\\\.\\pipe\\holt-nobody'), never)).toBe(
    'refused',
  );
});

test('somebody who always hangs up does not make the waiter spin', async () => {
  const calledOff = new AbortController();
  const locks = createSocketLocks({
    listen: () => Promise.resolve('taken'),
    followHolder: () => Promise.resolve('ended'),
  });
  const rest = locks.untilWorthTrying('address', 1000, calledOff.signal);
  calledOff.abort('enough');

  await expect(rest).rejects.toMatchObject({ name: 'AbortError' });
});

test('who is called off in the very moment the lock is given gives it back', async () => {
  const calledOff = new AbortController();
  let release = 0;
  const sockets: SocketPort = {
    ...nodeSockets,
    async listen(address) {
      if (!address.endsWith('-next')) calledOff.abort('enough');
      return {
        async release() {
          release += 1;
        },
      };
    },
  };
  const attempt = withLock(
    'C:\\z',
    async () => 'in',
    windows({ signal: calledOff.signal, parts: { sockets } }),
  );

  await expect(attempt).rejects.toBe('enough');
  expect(release).toBe(2);
});
