/** Runs one command line in this process: a home and a project in a temporary folder, the printed output, and the exit code. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { createInterrupts, type Interrupts } from '../../src/cli/interrupts.ts';
import { runCommandLine } from '../../src/cli/main.ts';

export interface CommandRun {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

export interface CommandFixture extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  write(file: string, content: unknown): Promise<string>;
  /** With `--home` and `--cwd` in front. */
  run(...words: readonly string[]): Promise<CommandRun>;
  /** The same, with somebody who gives this answer to every question. */
  answering(answer: string, ...words: readonly string[]): Promise<CommandRun>;
  /** Interrupted as by Ctrl-C once `when` is done. */
  interrupted(when: () => Promise<void>, ...words: readonly string[]): Promise<CommandRun>;
  /** As it stands. */
  bare(...words: readonly string[]): Promise<CommandRun>;
}

export async function openCommandFixture(): Promise<CommandFixture> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'holt-line-')));
  const [home, project] = [path.join(folder, 'home'), path.join(folder, 'shop')];
  await mkdir(home);
  await mkdir(path.join(project, '.git'), { recursive: true });
  const place = ['--home', home, '--cwd', project];
  return {
    home,
    project,
    async write(file, content) {
      const whole = file.startsWith('~/') ? path.join(home, file.slice(2)) : path.join(project, file);
      await mkdir(path.dirname(whole), { recursive: true });
      await writeFile(whole, typeof content === 'string' ? content : JSON.stringify(content));
      return whole;
    },
    run: (...words) => runLine([...place, ...words]),
    answering: (answer, ...words) => runLine([...place, ...words], answer),
    async interrupted(when, ...words) {
      const interrupts = createInterrupts();
      const running = runLine([...place, ...words], undefined, interrupts);
      await when();
      interrupts.interrupt();
      return running;
    },
    bare: (...words) => runLine(words),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function runLine(
  argv: readonly string[],
  answer?: string,
  interrupts: Interrupts = createInterrupts(),
): Promise<CommandRun> {
  // Who is asked again and again goes away: a question that never ends must not hold up the tests.
  let patience = 20;
  const ask =
    answer === undefined ? undefined : () => Promise.resolve((patience -= 1) > 0 ? answer : undefined);
  const said = { out: '', error: '' };
  const code = await runCommandLine(argv, {
    env: {},
    isTerminal: false,
    version: '0.0.0',
    distFolder: path.resolve(import.meta.dirname, '../../dist'),
    nodePath: process.execPath,
    askLine: ask,
    askHidden: ask,
    askLong: undefined,
    columns: undefined,
    interrupts,
    out: (text) => (said.out += text),
    readerGone: new AbortController().signal,
    error: (text) => (said.error += text),
  });
  interrupts.dispose();
  return { code, ...said };
}
