import { spawn } from '@lydell/node-pty';
import { describe, expect, test } from 'vitest';

import { commandFor, startProgram } from '../../tests/fixtures/programs/start-program.ts';

/** Runs the asking program at a real terminal and types one answer at each question. */
async function ask(questions: readonly ('shown' | 'hidden')[], keys: readonly string[]): Promise<string> {
  const [command = '', ...args] = commandFor('asker', { questions });
  const terminal = spawn(command, args, { cols: 100, rows: 30, env: { PATH: process.env['PATH'] ?? '' } });
  let shown = '';
  let typed = 0;
  terminal.onData((data) => {
    shown += data;
    if (shown.split('? ').length - 1 > typed) terminal.write(keys[typed++] ?? '');
  });
  await new Promise<void>((resolve) => terminal.onExit(() => resolve()));
  return shown.replaceAll('\r\n', '\n');
}

describe('a question at a terminal', () => {
  test('shows what is typed and gives it back', async () => {
    expect(await ask(['shown'], ['hello\r'])).toBe('shown? hello\nanswer: 5 characters\n');
  });

  test('for a secret shows nothing of what is typed', async () => {
    expect(await ask(['hidden'], ['hunter22\r'])).toBe('hidden? \nanswer: 8 characters\n');
  });

  test('after another is asked when that one is answered, and the terminal is as it was', async () => {
    expect(await ask(['hidden', 'shown', 'hidden'], ['abc\r', 'de\r', '\r'])).toBe(
      'hidden? \nanswer: 3 characters\nshown? de\nanswer: 2 characters\nhidden? \nanswer: 0 characters\n',
    );
  });

  test.each(['\u0003', '\u0004'])('for a secret is not answered by %j', async (key) => {
    expect(await ask(['hidden'], [key])).toBe('hidden? \nanswer: none\n');
  });

  test('is not answered by the end of the input', async () => {
    expect(await ask(['shown'], ['\u0004'])).toBe('shown? \nanswer: none\n');
  });
});

test('without a terminal there is nobody to ask', async () => {
  await using program = startProgram('asker', { questions: ['shown'] });
  expect(await program.nextLine()).toBe('nobody to ask');
});
