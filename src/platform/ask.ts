/** Questions to a person at a terminal. The question goes to stderr: stdout belongs to the answer of the command. */

export interface Terminal {
  /** The line typed; undefined when the input ended or was interrupted. */
  readonly askLine: (question: string) => Promise<string | undefined>;
  /** The same without showing what is typed. */
  readonly askHidden: (question: string) => Promise<string | undefined>;
}

/** Undefined where nobody can be asked. */
export function openTerminal(): Terminal | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return { askLine: (question) => ask(question, 'shown'), askHidden: (question) => ask(question, 'hidden') };
}

async function ask(question: string, typing: 'shown' | 'hidden'): Promise<string | undefined> {
  // Few commands ask anything: who does not ask does not pay for it.
  const { createInterface } = await import('node:readline');
  return new Promise((resolve) => {
    const hidden = typing === 'hidden';
    // Without an output readline echoes nothing itself; in raw mode the terminal does not either.
    const reader = hidden
      ? createInterface({ input: process.stdin, terminal: true })
      : createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    // Only now: what is typed at once must find the terminal silent already.
    process.stderr.write(question);
    let answer: string | undefined;
    reader.once('line', (line) => {
      answer = line;
      reader.close();
    });
    reader.once('SIGINT', () => reader.close());
    reader.once('close', () => {
      if (hidden || answer === undefined) process.stderr.write('\n');
      resolve(answer);
    });
  });
}
