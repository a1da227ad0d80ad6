/** Questions to a person at a terminal. The question goes to stderr: stdout belongs to the answer of the command. */

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
  /** Once it is aborted nothing is asked any more: the system's own signal does not end a question. */
  readonly interrupted?: AbortSignal;
}

/** Undefined where nobody can be asked. */
export function openTerminal(parts: TerminalParts = {}): Terminal | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const asking =
    (typing: AskOptions['typing']): Ask =>
    (question, signal) =>
      ask(question, { typing, signal: either(signal, parts.interrupted), onInterrupt: parts.onInterrupt });
  return {
    askLine: asking('shown'),
    askHidden: asking('hidden'),
    askLong: asking('long'),
    columns: () => process.stderr.columns,
  };
}

interface AskOptions {
  readonly typing: 'shown' | 'hidden' | 'long';
  readonly signal: AbortSignal | undefined;
  readonly onInterrupt: (() => void) | undefined;
}

function either(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length === 0 ? undefined : AbortSignal.any(given);
}

async function ask(
  question: string,
  { typing, signal, onInterrupt }: AskOptions,
): Promise<string | undefined> {
  // Few commands ask anything: who does not ask does not pay for it.
  const { createInterface } = await import('node:readline');
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
