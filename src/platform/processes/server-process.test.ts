import { EventEmitter, once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createFakeClock } from '../../../tests/support/fake-clock.ts';
import { isAlive, until } from '../../../tests/support/processes.ts';
import { realClock } from '../clock.ts';
import { createProcessTree, type ProcessTree } from './process-tree.ts';
import {
  openServerProcess,
  type ServerProcess,
  type ServerProcessParts,
  type ServerProgram,
} from './server-process.ts';
import type { SpawnedProcess } from './spawn-process.ts';

let folder: string;
let opened: ServerProcess[];
let story: string[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-process-'));
  opened = [];
  story = [];
});
afterEach(async () => {
  await Promise.all(opened.map((each) => each.kill()));
  await rm(folder, { recursive: true, force: true });
});

const steps = { stdinMs: 500, termMs: 1500 };
const real = createProcessTree('linux');

/** The real thing, with every signal written down. */
const tree: ProcessTree = {
  ...real,
  signalGroup: async (leader, signal) => {
    story.push(signal);
    await real.signalGroup(leader, signal);
  },
};

function parts(more: Partial<ServerProcessParts> = {}): ServerProcessParts {
  const tell = (what: string) => (run: string) => void story.push(`${what} ${run.length}`);
  return {
    guardian: { expect: tell('expect'), watch: tell('watch'), release: tell('release') },
    leases: {
      hold: async (entry) => void story.push(`hold ${entry.server} ${entry.command}`),
      remember: async (_id, _descendants, state) =>
        void story.push(`descendants noted${state === undefined ? '' : `: ${state}`}`),
      release: async () => void story.push('lease released'),
    },
    clock: realClock,
    tree,
    ...more,
  };
}

function program(line: string, more: Partial<ServerProgram> = {}): ServerProgram {
  return {
    server: 'test',
    program: '/bin/sh',
    args: ['-c', line],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: folder,
    command: () => 'sh -c ***',
    ...more,
  };
}

async function open(line: string, more: Partial<ServerProcessParts> = {}): Promise<ServerProcess> {
  const process = await openServerProcess(program(line), parts(more));
  opened.push(process);
  return process;
}

describe('a program', () => {
  test('is announced, watched and noted, and all of that is taken back when it is gone', async () => {
    const process = await open('exec cat');
    await process.stop(steps);

    expect(story).toEqual(['expect 16', 'watch 16', 'hold test sh -c ***', 'release 16', 'lease released']);
    expect(await process.exited).toEqual({ exitCode: 0, signal: null });
  });

  test('has a cookie, a group and a session of its own', async () => {
    const process = await open('echo "$HOLT_RUN"; cut -d" " -f5,6 </proc/$$/stat; cat >/dev/null');
    process.stdin.end();
    const lines = (await text(process.stdout)).trim().split('\n');

    expect(lines).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), `${process.pid} ${process.pid}`]);
  });

  test('gets none of our files but the three streams', async () => {
    const process = await open('ls /proc/$$/fd');
    const [listed] = await Promise.all([text(process.stdout), process.exited]);

    // The shell opens one of its own for the listing at most.
    expect(
      listed
        .trim()
        .split(/\s+/)
        .filter((descriptor) => Number(descriptor) < 10),
    ).toEqual(['0', '1', '2']);
  });

  test('F02: that goes when its input ends gets no signal and costs no wait', async () => {
    const process = await open('cat');
    const startedAt = performance.now();
    await process.stop(steps);

    expect(performance.now() - startedAt).toBeLessThan(450);
    expect(story.filter((word) => word.startsWith('SIG'))).toEqual([]);
  });

  test('F01: that ignores everything is ended, and so is what it started', async () => {
    const process = await open('trap "" TERM HUP INT; sleep 1000 & echo $!; while :; do sleep 1; done');
    const [line]: unknown[] = await once(process.stdout, 'data');
    await process.stop({ stdinMs: 50, termMs: 100 });

    expect(isAlive(process.pid)).toBe(false);
    expect(isAlive(Number(String(line)))).toBe(false);
    expect(story.filter((word) => word.startsWith('SIG'))).toEqual(['SIGTERM', 'SIGKILL']);
    expect(await process.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  test('F03: that started something which left its group leaves nothing, and its open streams hold up nobody', async () => {
    const process = await open('setsid sleep 1000 & echo $!; cat');
    const [line]: unknown[] = await once(process.stdout, 'data');
    const leaver = Number(String(line));
    const startedAt = performance.now();
    await process.stop(steps);

    expect(performance.now() - startedAt).toBeLessThan(3000);
    await until(() => !isAlive(leaver), 5000);
  });

  test('that ends by itself and leaves others behind is cleaned up after', async () => {
    const process = await open('sleep 1000 >/dev/null 2>&1 & echo $!');
    const [line]: unknown[] = await once(process.stdout, 'data');
    await process.exited;
    await process.stop({ stdinMs: 50, termMs: 1500 });

    expect(isAlive(Number(String(line)))).toBe(false);
    expect(story.filter((word) => word.startsWith('SIG'))).toEqual(['SIGTERM']);
  });

  test('T123: whose survivors cannot be ended stays known to the guardian, without its group, and on disk', async () => {
    const unending: ProcessTree = { ...tree, signalProcess: async () => undefined };
    const known: unknown[] = [];
    const guardian = {
      ...parts().guardian,
      watch: (_run: string, group: number, processes: readonly unknown[] = []) =>
        void known.push([group, processes.length]),
    };
    const process = await open('setsid env -i sleep 1000 >/dev/null 2>&1 & echo $!; exec cat', {
      tree: unending,
      guardian,
    });
    const [line]: unknown[] = await once(process.stdout, 'data');
    const survivor = Number(String(line));
    await process.stop({ stdinMs: 50, termMs: 50 });
    const isLeft = isAlive(survivor);
    await real.signalGroup(survivor, 'SIGKILL');

    expect(isLeft).toBe(true);
    // Before the stop the server itself and the survivor, afterwards only that.
    expect(known).toEqual([
      [process.pid, 0],
      [process.pid, 2],
      [0, 1],
    ]);
    expect(story.slice(-2)).toEqual(['descendants noted', 'descendants noted: stopped']);
    expect(story).not.toContain('lease released');
  });

  test('that is being stopped slowly can be killed at once', async () => {
    const process = await open('trap "" TERM; echo ready; while :; do sleep 1; done');
    await once(process.stdout, 'data');
    const stopping = process.stop({ stdinMs: 20_000, termMs: 20_000 });
    const startedAt = performance.now();
    await Promise.all([process.kill(), stopping]);

    expect(performance.now() - startedAt).toBeLessThan(2000);
    expect(isAlive(process.pid)).toBe(false);
  });

  test('that even the kernel cannot end stays known to the guardian and on disk', async () => {
    const stuck: ProcessTree = { ...tree, signalGroup: async () => undefined, endRun: async () => 0 };
    const clock = createFakeClock();
    const process = await open('exec sleep 1000', { tree: stuck, clock });
    const stopping = process.stop(steps);
    await clock.advance(10_000);
    await stopping;

    expect(story).toEqual(['expect 16', 'watch 16', 'hold test sh -c ***']);
    await real.signalGroup(process.pid, 'SIGKILL');
    await process.exited;
  });
});

describe('F21: a program that cannot start', () => {
  const attempt = (more: Partial<ServerProgram>): Promise<unknown> =>
    openServerProcess(program('', more), parts()).catch((error: unknown) => error);

  test('is not there', async () => {
    const file = path.join(folder, 'nothing');
    expect(await attempt({ program: file })).toMatchObject({
      code: 'program-missing',
      message: `Server "test" cannot start: command not found: ${file}`,
    });
    expect(story).toEqual(['expect 16', 'release 16']);
  });

  test('may not be executed', async () => {
    const file = path.join(folder, 'text');
    await writeFile(file, 'text');
    expect(await attempt({ program: file })).toMatchObject({
      code: 'spawn-failed',
      message: `Server "test" cannot start ${file}: it may not be executed`,
      details: { server: 'test', program: file, reason: 'EACCES' },
      remedy: expect.stringContaining('chmod +x'),
    });
  });

  test('names an interpreter that is not there', async () => {
    const file = path.join(folder, 'script');
    await writeFile(file, '#!/no/such/interpreter\n', { mode: 0o755 });
    expect(await attempt({ program: file })).toMatchObject({
      code: 'spawn-failed',
      message: expect.stringContaining('the interpreter that its first line names is not there'),
    });
  });

  test.each(['missing', 'file', 'loop'])('starts in a folder that is none: %s', async (name) => {
    await writeFile(path.join(folder, 'file'), '');
    await symlink('loop', path.join(folder, 'loop'));
    const cwd = path.join(folder, name);
    expect(await attempt({ cwd })).toMatchObject({
      code: 'spawn-failed',
      message: `Server "test" cannot start /bin/sh: the folder it starts in is not there: ${cwd}`,
    });
  });

  test('has more arguments than the system takes', async () => {
    expect(await attempt({ args: Array.from({ length: 40 }, () => 'x'.repeat(130_000)) })).toMatchObject({
      code: 'spawn-failed',
      details: { reason: 'E2BIG' },
    });
  });
});

describe('F22: without files left', () => {
  /** What Node gives when it could not even make the pipes: no number and no streams. */
  function refused(code: string): SpawnedProcess {
    const child = new EventEmitter();
    process.nextTick(() => child.emit('error', Object.assign(new Error(`spawn ${code}`), { code })));
    return child as SpawnedProcess; // as bare as it really is then
  }

  test.each(['EMFILE', 'ENFILE', 'EAGAIN'])('a start waits until there are some: %s', async (code) => {
    const { spawnProcess } = await import('./spawn-process.ts');
    let tries = 0;
    const process = await open('exec cat', {
      spawn: (plan) => {
        tries += 1;
        return tries < 4 ? refused(code) : spawnProcess(plan);
      },
    });
    await process.stop(steps);

    expect(tries).toBe(4);
    expect(story).toEqual(['expect 16', 'watch 16', 'hold test sh -c ***', 'release 16', 'lease released']);
  });

  test('a start that waits in vain says which limit it is', async () => {
    const clock = createFakeClock();
    const attempt = openServerProcess(program('cat'), parts({ clock, spawn: () => refused('EMFILE') })).catch(
      (error: unknown) => error,
    );
    for (let round = 0; round < 100; round += 1) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      await clock.advance(400);
    }

    expect(await attempt).toMatchObject({
      code: 'spawn-failed',
      remedy: expect.stringContaining('ulimit -n'),
    });
    expect(story).toEqual(['expect 16', 'release 16']);
  });

  test('a start that waits can be called off', async () => {
    const calledOff = new AbortController();
    const reason = new Error('enough');
    const attempt = openServerProcess(
      program('cat'),
      parts({ spawn: () => refused('EMFILE'), signal: calledOff.signal }),
    );
    calledOff.abort(reason);

    await expect(attempt).rejects.toMatchObject({ code: 'spawn-failed', cause: reason });
  });
});

describe('F09: a container', () => {
  const container = 'abcdef012345';
  let record: string;
  let docker: string;

  beforeEach(async () => {
    await mkdir(path.join(folder, 'bin'));
    record = path.join(folder, 'docker.log');
    docker = path.join(folder, 'bin', 'docker');
  });

  /** A docker that writes down how it was called; `run` does what the line says. */
  async function openContainer(run: string): Promise<ServerProcess> {
    const cases = `case "$1" in run) ${run} ;; ps) echo ${container} ;; esac`;
    await writeFile(docker, `#!/bin/sh\necho "$@" >>'${record}'\n${cases}\n`);
    await chmod(docker, 0o755);
    const started = await openServerProcess(
      program('', { program: docker, args: ['run', '-i', 'image'] }),
      parts(),
    );
    opened.push(started);
    return started;
  }
  const calls = async (): Promise<string[]> => (await readFile(record, 'utf8')).trim().split('\n');

  test('is labelled, and one that ended with its client is not asked for again', async () => {
    const started = await openContainer('echo up; cat >/dev/null');
    await once(started.stdout, 'data');
    await started.stop(steps);

    expect(await calls()).toEqual([
      expect.stringMatching(/^run --rm --init --label holt\.run=[0-9a-f]{16} -i image$/),
    ]);
  });

  test('whose client had to be killed is ended by its label', async () => {
    const started = await openContainer('trap "" TERM; echo up; while :; do sleep 1; done');
    await once(started.stdout, 'data');
    await started.stop({ stdinMs: 20, termMs: 50 });
    const [first = '', ...rest] = await calls();
    const run = /holt\.run=(\S+)/.exec(first)?.[1];

    expect(rest).toEqual([`ps --quiet --no-trunc --filter label=holt.run=${run}`, `kill ${container}`]);
  });
});
