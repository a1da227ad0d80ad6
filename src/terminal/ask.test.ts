import { describe, expect, test } from 'vitest';

import type { AskerTask } from '../../tests/fixtures/programs/asker.ts';
import { commandFor, startProgram } from '../../tests/fixtures/programs/start-program.ts';
import { openPty } from '../../tests/support/terminal.ts';

/** Runs the asking program at a real terminal and types one answer at each question. What it shows, without codes. */
async function ask(
  questions: AskerTask['questions'],
  keys: readonly string[],
  more: Omit<AskerTask, 'questions'> = {},
): Promise<string> {
  return bare(await askRaw({ questions, ...more }, keys));
}

function bare(shown: string): string {
  // oxlint-disable-next-line no-control-regex -- that is what such codes are made of
  return shown.replaceAll(/\r+\n/g, '\n').replaceAll(/\r?\u001b\[\d*[A-Z]/g, '');
}

async function askRaw(task: AskerTask, keys: readonly string[]): Promise<string> {
  const options = { cols: 100, rows: 30, env: { PATH: process.env['PATH'] ?? '' } };
  let shown = '';
  let typed = 0;
  const { exited } = openPty(commandFor('asker', task), options, (data, { type }) => {
    shown += data;
    // A key that made noise is shown after it.
    if (task.noise !== undefined && bare(shown).endsWith('? x')) type('\r');
    // Two questions may come at once.
    while (shown.split('? ').length - 1 > typed) type(keys[typed++] ?? '');
  });
  await exited;
  return shown;
}

describe('a question at a terminal', () => {
  test('shows the typed text and returns it', async () => {
    expect(await ask(['shown'], ['hello\r'])).toBe('shown? hello\nanswer: 5 characters\n');
  });

  test('for a secret shows nothing of the typed text', async () => {
    expect(await ask(['hidden'], ['hunter22\r'])).toBe('hidden? \nanswer: 8 characters\n');
  });

  test('after another is asked once that one is answered, and the terminal is restored', async () => {
    expect(await ask(['hidden', 'shown', 'hidden'], ['abc\r', 'de\r', '\r'])).toBe(
      'hidden? \nanswer: 3 characters\nshown? de\nanswer: 2 characters\nhidden? \nanswer: 0 characters\n',
    );
  });

  test('for a secret has no answer when the input ends', async () => {
    expect(await ask(['hidden'], ['\u0004'])).toBe('hidden? \nanswer: none\n');
  });

  test.each(['hidden', 'long'] as const)('(%s) is not answered by Ctrl-C, and that is told', async (kind) => {
    expect(await ask([kind], ['\u0003'])).toBe(`${kind}? \ninterrupted\nanswer: none\n`);
  });

  test.each(['shown', 'hidden', 'long'] as const)('(%s) is not answered by Esc', async (kind) => {
    const typed = kind === 'hidden' ? '' : 'ab';
    expect(await ask([kind], ['ab\u001b'])).toBe(`${kind}? ${typed}\nanswer: none\n`);
  });

  test('recognizes keys whose code begins like that of Esc', async () => {
    const shown = await ask(['shown', 'hidden'], ['ac\u001b[Db\u001bOC\r', 'd\u001b[3~e\r']);
    expect(shown.match(/answer: .*/g)).toEqual(['answer: 3 characters', 'answer: 2 characters']);
  });

  test('takes a pasted line that no system would edit itself', async () => {
    const shown = await ask(['long'], [`${'x'.repeat(6000)}\r`]);
    expect(shown.split('\n').at(-2)).toBe('answer: 6000 characters');
  });

  test('that is cancelled restores the terminal', async () => {
    const shown = await ask(['called-off', 'shown'], ['', 'de\r']);
    expect(shown.slice(shown.indexOf('answer'))).toBe('answer: none\nshown? de\nanswer: 2 characters\n');
  });

  test('is asked alone: others wait until it is answered', async () => {
    expect(await ask(['shown', 'hidden', 'shown'], ['a\r', 'bc\r', '\r'], { together: true })).toBe(
      'shown? a\nanswer: 1 characters\nhidden? \nanswer: 2 characters\nshown? \nanswer: 0 characters\n',
    );
  });

  test('that is cancelled disappears from the screen, and later lines do not answer it', async () => {
    const shown = await askRaw({ questions: ['called-off', 'shown'], together: true }, ['', 'de\r']);
    expect(shown).toContain('called-off? \r\u001b[0J');
    expect(bare(shown)).toMatch(/answer: none\nshown\? de\nanswer: 2 characters\n$/);
  });

  test('that is cancelled disappears with its explanation', async () => {
    const shown = await askRaw({ questions: ['about-off'] }, ['']);
    expect(shown).toMatch(/about it\r\nabout-off\? .*\u001b\[1A\r\u001b\[0Janswer: none\r\n$/);
  });

  test('accepts text typed ahead, unless it must be typed after the question', async () => {
    expect(await ask(['shown', 'shown'], ['a\rbc\r'])).toBe(
      'shown? a\nanswer: 1 characters\nshown? bc\nanswer: 2 characters\n',
    );
    expect(await ask(['shown', 'fresh'], ['a\rbc\rd', '\r'])).toBe(
      'shown? a\nanswer: 1 characters\nfresh? \nanswer: 0 characters\n',
    );
  });

  test.each([
    ['stays below what is written meanwhile', 'shown', 'shown? one\nshown? two\nshown? x\n\r50 %'],
    ['that says what it is about has others wait', 'about', 'about it\nabout? x\none\ntwo\n\r50 %'],
  ] as const)('%s', async (_what, kind, expected) => {
    const shown = await ask([kind], ['x'], { noise: ['one\n\r50 %', 'two\n'] });
    expect(shown).toBe(`${expected}answer: 1 characters\n`);
  });

  test('has no answer when the input ends', async () => {
    expect(await ask(['shown'], ['\u0004'])).toBe('shown? \nanswer: none\n');
  });
});

test('without a terminal no question can be asked', async () => {
  await using program = startProgram('asker', { questions: ['shown'] });
  expect(await program.nextLine()).toBe('nobody to ask');
});
