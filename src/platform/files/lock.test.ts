import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { hostSystem, scaled, startProgram } from '../../../tests/fixtures/programs/start-program.ts';
import { withFileLock, withLock, type LockOptions } from './lock.ts';
import { nodeSockets, type SocketPort } from './locks/lock-mechanisms.ts';

let folder: string;
let options: LockOptions & { holtHome: string };
let name: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-lock-'));
  options = { os: hostSystem, holtHome: path.join(folder, 'home'), timeoutMs: 100_000 };
});
beforeEach(({ task }) => {
  name = `${folder}/${task.id}`;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const holder = (more: Partial<LockOptions> = {}) =>
  startProgram('lock-holder', { name, options: { ...options, ...more } });

const nothing = (): void => undefined;

/** Something to wait for, and the way to make it happen. */
function signpost(): { readonly reached: Promise<void>; readonly reach: () => void } {
  let reach = nothing;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { reached, reach };
}

describe('between processes', () => {
  test('the second waits until the first has let go', async () => {
    await using first = holder();
    expect(await first.nextLine()).toBe('held');
    await using second = holder();
    expect(await second.nextLine()).toBe('waiting');
    first.say('release');

    expect(await first.nextLine()).toBe('released');
    expect(await second.nextLine()).toBe('held');
  });

  test('F33: a killed holder frees the lock at once', async () => {
    await using first = holder();
    await first.nextLine();
    const waits = signpost();
    let killedAt = 0;
    const tookMs = withLock(name, async () => performance.now() - killedAt, {
      ...options,
      onWait: waits.reach,
    });
    await waits.reached;
    killedAt = performance.now();
    first.child.kill('SIGKILL');

    expect(await tookMs).toBeLessThan(1000);
  });

  test('F32: a holder that hangs keeps the lock until it is killed', async () => {
    await using first = holder();
    await first.nextLine();
    first.say('hang');
    await first.nextLine();
    const refused = withLock(name, async () => 'stolen', { ...options, timeoutMs: 300 });

    await expect(refused).rejects.toMatchObject({ code: 'lock-busy', details: { name } });
    first.child.kill('SIGKILL');
    expect(await withLock(name, async () => 'free', options)).toBe('free');
  });

  test('those behind a killed waiter get their turn', async () => {
    await using first = holder();
    await first.nextLine();
    await using second = holder();
    expect(await second.nextLine()).toBe('waiting');
    await using third = holder();
    expect(await third.nextLine()).toBe('waiting');
    second.child.kill('SIGKILL');
    await second.ended;
    first.say('release');

    expect(await third.nextLine()).toBe('held');
  });

  test('a process that comes back again and again does not overtake one that waits', async () => {
    const log = path.join(folder, 'order');
    const go = signpost();
    const first = withLock(name, () => go.reached, options);
    await using program = startProgram('lock-holder', { name, options, log });
    expect(await program.nextLine()).toBe('waiting');
    const turns = Array.from({ length: 20 }, () => withLock(name, () => appendFile(log, 'test\n'), options));
    go.reach();
    await Promise.all([first, program.ended, ...turns]);

    const order = (await readFile(log, 'utf8')).trim().split('\n');
    expect(order).toEqual(['program', ...turns.map(() => 'test')]);
  });

  test('a file has one lock, whatever its path is called', async () => {
    await mkdir(path.join(folder, 'real'));
    await symlink(path.join(folder, 'real'), path.join(folder, 'alias'));
    await using first = startProgram('lock-holder', {
      name: path.join(folder, 'real', 'new.json'),
      isFile: true,
      options,
    });
    expect(await first.nextLine()).toBe('held');
    const again = withFileLock(path.join(folder, 'alias', 'new.json'), async () => 'got it', {
      ...options,
      timeoutMs: 100,
    });

    await expect(again).rejects.toMatchObject({ code: 'lock-busy' });
  });

  test('neither a lock nor those who wait for it are a reason for a process to live on', async () => {
    await using program = holder();
    await program.nextLine();
    const waits = signpost();
    const waiter = withLock(name, async () => 'in', { ...options, onWait: waits.reach });
    await waits.reached;
    program.say('abandon');

    // Node's code for a program that waits for something that cannot come.
    expect(await program.ended).toMatchObject({ code: 13, signal: null });
    expect(await waiter).toBe('in');
  });

  test('no increment of a survivor is lost and the file is whole at any time, while others are killed', async () => {
    const file = path.join(folder, 'counts.json');
    await writeFile(file, '{}');
    const times = scaled(6);
    const programs = Array.from({ length: scaled(5) }, (_, index) => ({
      id: `p${index}`,
      // Every second one dies after so many, in the middle of whatever it is doing then.
      diesAfter: index % 2 === 1 ? Math.floor(Math.random() * times) : Infinity,
      program: startProgram('counter', { id: `p${index}`, file, times, options }),
    }));

    const end = new AbortController();
    const reading = (async () => {
      let reads = 0;
      for (; !end.signal.aborted; reads += 1) JSON.parse(await readFile(file, 'utf8'));
      return reads;
    })();
    const acknowledged = await Promise.all(
      programs.map(async ({ id, diesAfter, program }) => {
        let done = 0;
        if (diesAfter === 0) program.child.kill('SIGKILL');
        for await (const line of program.lines()) {
          expect(line).toBe('done');
          done += 1;
          if (done === diesAfter) program.child.kill('SIGKILL');
        }
        const { code, stderr } = await program.ended;
        return { id, done, isKilled: diesAfter < Infinity, code, stderr };
      }),
    );
    end.abort();
    expect(await reading).toBeGreaterThan(0);

    const counts: Record<string, number> = JSON.parse(await readFile(file, 'utf8'));
    for (const { id, done, isKilled, code, stderr } of acknowledged) {
      // A killed one may have written once more than it could still say.
      const possible = isKilled ? [done, done + 1] : [times];
      expect({ id, possible, code: isKilled ? null : code, stderr }).toEqual({
        id,
        possible,
        code: isKilled ? null : 0,
        stderr: '',
      });
      expect(possible).toContain(counts[id] ?? 0);
    }
  }, 240_000);
});

describe('inside one process', () => {
  test('fifty askers get the lock one at a time, in their order', async () => {
    const order: number[] = [];
    let inside = 0;
    const askers = Array.from({ length: 50 }, (_, number) =>
      withLock(
        name,
        async () => {
          inside += 1;
          expect(inside).toBe(1);
          await readdir(folder);
          order.push(number);
          inside -= 1;
        },
        options,
      ),
    );
    await Promise.all(askers);

    expect(order).toEqual(askers.map((_, number) => number));
  });

  test('work that fails frees the lock and its error comes through', async () => {
    const failure = new Error('no');

    await expect(withLock(name, () => Promise.reject(failure), options)).rejects.toBe(failure);
    expect(await withLock(name, async () => 'free', options)).toBe('free');
  });

  test('who waits too long is told what for and how long, and holds up nobody', async () => {
    const go = signpost();
    const first = withLock(name, () => go.reached, options);
    const error: unknown = await withLock(name, async () => 'in', { ...options, timeoutMs: 50 }).catch(
      (reason: unknown) => reason,
    );
    const third = withLock(name, async () => 'in', options);
    go.reach();

    expect(error).toMatchObject({ code: 'lock-busy', details: { name }, remedy: expect.any(String) });
    expect(error).toHaveProperty('details.waitedMs', expect.closeTo(50, -3));
    expect(await third).toBe('in');
    await first;
  });

  test('who is called off stops waiting, with the reason, and its work never runs', async () => {
    const calledOff = new AbortController();
    const waits = signpost();
    let hasRun = false;
    await using program = holder();
    await program.nextLine();
    const work = async (): Promise<void> => {
      hasRun = true;
    };
    const waiter = withLock(name, work, { ...options, signal: calledOff.signal, onWait: waits.reach });
    await waits.reached;
    calledOff.abort('enough');

    await expect(waiter).rejects.toBe('enough');
    await expect(withLock(name, work, { ...options, signal: calledOff.signal })).rejects.toBe('enough');
    program.say('release');
    expect(await withLock(name, async () => 'free', options)).toBe('free');
    expect(hasRun).toBe(false);
  });

  test('waiting is told once, and not at all when the lock is free', async () => {
    let told = 0;
    const onWait = (): void => {
      told += 1;
    };
    await withLock(name, async () => undefined, { ...options, onWait });
    expect(told).toBe(0);
    let tries = 0;
    const sockets: SocketPort = {
      async listen() {
        tries += 1;
        return tries < 4 ? 'taken' : { release: () => Promise.resolve() };
      },
      followHolder: () => Promise.resolve('ended'),
    };
    await withLock(name, async () => undefined, { ...options, os: 'linux', onWait, parts: { sockets } });

    expect(told).toBe(1);
  });

  test('a lock that cannot be tried at all is an error of its own', async () => {
    const sockets: SocketPort = {
      ...nodeSockets,
      listen: () => Promise.reject(new Error('too many open files')),
    };
    const attempt = withLock(name, async () => 'in', { ...options, os: 'linux', parts: { sockets } });

    await expect(attempt).rejects.toMatchObject({
      code: 'internal-error',
      message: `Could not lock ${name}: too many open files`,
    });
  });
});
