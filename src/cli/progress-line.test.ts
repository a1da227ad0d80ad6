/** The line that shows what is waited for, among everything else that is printed and asked. */

import { expect, test } from 'vitest';

import type { CommandInput } from '../commands/command.ts';
import type { ContextIo } from './context-io.ts';
import { createProgressLine, type ProgressLine } from './progress-line.ts';

interface Stage extends ProgressLine {
  readonly printed: () => string;
  readonly answer: (text: string) => void;
}

function stage({ columns = 40, flags = [] as readonly string[], isTerminal = true } = {}): Stage {
  let printed = '';
  let answer: (text: string) => void = () => undefined;
  const write = (text: string): void => void (printed += text.replaceAll('\r\u001b[2K', '<erase>'));
  const io = {
    isTerminal,
    out: write,
    error: write,
    errorColumns: () => (columns === 0 ? undefined : columns),
    askLine: (question: string) => {
      write(question);
      return new Promise<string>((resolve) => (answer = resolve));
    },
  };
  const input: CommandInput = { positionals: [], flags: new Set(flags), values: {}, rest: undefined };
  const line = createProgressLine(input, io as Partial<ContextIo> as ContextIo); // all that is used here
  return { ...line, printed: () => printed, answer: (text) => answer(text) };
}

test('the line is replaced and removed', () => {
  const { show, printed } = stage();
  show('one');
  show('two');
  show(undefined);
  show(undefined);
  expect(printed()).toBe('<erase>one<erase>two<erase>');
});

test('it is shorter than the terminal is wide, and harmless', () => {
  const { show, printed } = stage({ columns: 10 });
  show('Waiting for \u001b[31m a server');
  expect(printed()).toBe('<erase>Waiting …');
});

test('other output appears above it', () => {
  const { show, io, printed } = stage();
  io.out('before\n');
  show('waiting');
  io.out('a result\n');
  io.error('a warning\n');
  expect(printed()).toBe(
    'before\n<erase>waiting<erase>a result\n<erase>waiting<erase>a warning\n<erase>waiting',
  );
});

test('it is not there while a question is', async () => {
  const { show, io, printed, answer } = stage();
  show('waiting, 1 s');
  const asked = io.askLine?.('Sure? ');
  show('waiting, 2 s');
  answer('y');
  expect(await asked).toBe('y');
  expect(printed()).toBe('<erase>waiting, 1 s<erase>Sure? <erase>waiting, 2 s');
});

test.each([{ flags: ['json'] }, { flags: ['quiet'] }, { isTerminal: false }, { columns: 0 }])(
  'with %j nothing is shown',
  (how) => {
    const { show, printed } = stage(how);
    show('waiting');
    show(undefined);
    expect(printed()).toBe('');
  },
);
