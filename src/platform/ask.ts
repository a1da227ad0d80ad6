/** Questions to a person at a terminal. The question goes to stderr: stdout belongs to the answer of the command. */

import { createInterface } from 'node:readline';

type Ask = (question: string, signal?: AbortSignal) => Promise<string | undefined>;

export interface Terminal {
  /** The line typed; undefined when the input ended, was interrupted or is no longer wanted. */
  readonly askLine: Ask;
  /** The same without showing what is typed. */
  readonly askHidden: Ask;
  /** For a line of any length: systems cut those that they edit themselves, some at 1024 characters. */
  readonly askLong: Ask;
  readonly columns: () => number;
}

export interface TerminalParts {
  /** Ctrl-C where the system does not turn it into a signal. */
  readonly onInterrupt?: () => void;
}

/** Undefined where nobody can be asked. */
export function openTerminal(parts: TerminalParts = {}): Terminal | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return {
    askLine: (question, signal) => ask(question, { typing: 'shown', signal }),
    askHidden: (question, signal) => ask(question, { ...parts, typing: 'hidden', signal }),
    askLong: (question, signal) => ask(question, { ...parts, typing: 'long', signal }),
    columns: () => process.stderr.columns,
  };
}

interface AskOptions extends TerminalParts {
  readonly typing: 'shown' | 'hidden' | 'long';
  readonly signal: AbortSignal | undefined;
}

function ask(question: string, { typing, signal, onInterrupt }: AskOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const input = process.stdin;
    const output = process.stderr;
    if (signal?.aborted === true) return resolve(undefined);
    // Without an output readline echoes nothing itself; in raw mode the terminal does not either.
    const reader =
      typing === 'hidden'
        ? createInterface({ input, terminal: true })
        : createInterface({ input, output, terminal: typing === 'long', prompt: question });
    // Only now: what is typed at once must find the terminal silent already.
    if (typing === 'long') reader.prompt();
    else output.write(question);
    let answer: string | undefined;
    const close = (): void => reader.close();
    signal?.addEventListener('abort', close, { once: true });
    reader.once('line', (line) => {
      answer = line;
      reader.close();
    });
    reader.once('SIGINT', () => {
      reader.close();
      onInterrupt?.();
    });
    reader.once('close', () => {
      signal?.removeEventListener('abort', close);
      if (typing === 'hidden' || answer === undefined) output.write('\n');
      resolve(answer);
    });
  });
}
