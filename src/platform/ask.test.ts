import { describe, expect, test } from 'vitest';

import type { AskerTask } from '../../tests/fixtures/programs/asker.ts';
import { commandFor, startProgram } from '../../tests/fixtures/programs/start-program.ts';
import { openPty } from '../../tests/support/terminal.ts';

/** Runs the asking program at a real terminal and types one answer at each question. */
async function ask(questions: AskerTask['questions'], keys: readonly string[]): Promise<string> {
  const options = { cols: 100, rows: 30, env: { PATH: process.env['PATH'] ?? '' } };
  let shown = '';
  let typed = 0;
  const { exited } = openPty(commandFor('asker', { questions }), options, (data, { type }) => {
    shown += data;
    // Two questions may come at once.
    while (shown.split('? ').length - 1 > typed) type(keys[typed++] ?? '');
  });
  await exited;
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

  test('for a secret is not answered by the end of the input', async () => {
    expect(await ask(['hidden'], ['\u0004'])).toBe('hidden? \nanswer: none\n');
  });

  test.each(['hidden', 'long'] as const)('(%s) is not answered by Ctrl-C, and that is told', async (kind) => {
    const shown = await ask([kind], ['\u0003']);
    expect(shown.replaceAll(/\u001b\[\d*[A-Z]/g, '')).toBe(`${kind}? \ninterrupted\nanswer: none\n`);
  });

  test('takes a pasted line that no system would edit itself', async () => {
    const shown = await ask(['long'], [`${'x'.repeat(6000)}\r`]);
    expect(shown.split('\n').at(-2)).toBe('answer: 6000 characters');
  });

  test('that is called off gives the terminal back as it was', async () => {
    const shown = await ask(['called-off', 'shown'], ['', 'de\r']);
    expect(shown.slice(shown.indexOf('answer'))).toBe('answer: none\nshown? de\nanswer: 2 characters\n');
  });

  test('is not answered by the end of the input', async () => {
    expect(await ask(['shown'], ['\u0004'])).toBe('shown? \nanswer: none\n');
  });
});

test('without a terminal there is nobody to ask', async () => {
  await using program = startProgram('asker', { questions: ['shown'] });
  expect(await program.nextLine()).toBe('nobody to ask');
});
