import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { commandFor, startCommand } from '../../../tests/fixtures/programs/start-program.ts';
import { refuseBatch, spawnProcess, type ProcessPlan } from './spawn-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-spawn-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const plan = (args: readonly string[], env: Readonly<Record<string, string>> = {}): ProcessPlan => ({
  program: process.execPath,
  args,
  env,
  cwd: folder,
});
const outputOf = async (code: string, env?: Readonly<Record<string, string>>): Promise<string> =>
  text(spawnProcess(plan(['-e', code], env)).stdout);

test('a program gets exactly these arguments, this environment and this folder', async () => {
  const code = 'console.log(JSON.stringify([process.argv.slice(1), process.env, process.cwd()]))';
  const words = ['a b', '$HOME', '`id`', ';', '"', '*', ''];
  const output = await text(spawnProcess(plan(['-e', code, ...words], { ONLY: 'this' })).stdout);
  expect(JSON.parse(output)).toEqual([words, { ONLY: 'this' }, await realFolder()]);
});

async function realFolder(): Promise<string> {
  const { realpath } = await import('node:fs/promises');
  return realpath(folder);
}

test('what is written to it arrives, and its error output is apart', async () => {
  const child = spawnProcess(plan(['-e', 'process.stdin.pipe(process.stdout); console.error("aside")']));
  child.stdin.end('hello');
  expect([await text(child.stdout), await text(child.stderr)]).toEqual(['hello', 'aside\n']);
});

test('a program that is not there is told by an event', async () => {
  const child = spawnProcess({ ...plan([]), program: path.join(folder, 'gone') });
  const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException];
  expect([error.code, child.pid]).toEqual(['ENOENT', undefined]);
});

describe.skipIf(process.platform === 'win32')('T26, T30: on POSIX systems', () => {
  test('the command is a path, never a line for a shell', async () => {
    const child = spawnProcess({ ...plan([]), program: `echo a; touch ${path.join(folder, 'pwned')}` });
    await once(child, 'error');
    await expect(readFile(path.join(folder, 'pwned'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('it leads a session and a group of its own, without a terminal', async () => {
    const code = `const fs = require('fs');
      const stat = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
      let tty = 'opened';
      try { fs.openSync('/dev/tty', 'r'); } catch (error) { tty = error.code; }
      console.log(JSON.stringify([process.pid, Number(stat[2]), Number(stat[3]), tty]))`;
    const [pid, group, session, tty] = JSON.parse(await outputOf(code)) as unknown[];
    expect([group, session, tty]).toEqual([pid, pid, 'ENXIO']);
  });

  test.runIf(process.platform === 'linux')(
    'it has three descriptors and no other, whatever was open in us or in whoever started us',
    async () => {
      const secret = path.join(folder, 'secret');
      await writeFile(secret, 'canary');
      const open = 'exec 3<"$0" 12<"$0" 15<"$0" 17<"$0" 40<"$0" 200<"$0"; exec "$@"';
      await using program = startCommand(['bash', '-c', open, secret, ...commandFor('starter', { secret })]);
      const listed: string[] = [];
      for await (const row of program.lines()) listed.push(row);
      const descriptors = listed.flatMap((row) => /(\d+) -> (.*)$/.exec(row)?.slice(1, 3).join(' ') ?? []);
      expect(descriptors.filter((row) => !/^[012] /.test(row))).toEqual([
        expect.stringMatching(/^3 \/proc\/\d+\/fd$/),
      ]);
      expect(descriptors).toHaveLength(4);
    },
  );
});

test('T27: a batch file that cannot be started safely is named, with the argument and the character', () => {
  expect(refuseBatch('C:\\x.cmd', { argument: 2, character: '&' })).toMatchObject({
    code: 'config-invalid',
    message:
      'C:\\x.cmd is a batch file, and argument 2 has the character "&", which Windows would read as a command',
  });
  expect(refuseBatch('C:\\%x%.cmd', { argument: 0, character: '%' }).message).toContain('its own path');
});
