/** Entry point of the bundled executable. The boot file passes the version and the folder it is in. */

import type { Terminal, TerminalParts } from '../terminal/ask.ts';
import { canAsk } from '../terminal/style.ts';
import { createInterrupts } from './interrupts.ts';
import { runCommandLine } from './main.ts';

export interface Boot {
  readonly version: string;
  readonly distFolder: string;
}

/** For terminals that do not report their width. */
const usualColumns = 80;

export async function start({ version, distFolder }: Boot): Promise<void> {
  const output = createOutput();
  const interrupts = createInterrupts();
  const terminal = await openTerminal({ onInterrupt: interrupts.interrupt, interrupted: interrupts.raised });
  const code = await runCommandLine(process.argv.slice(2), {
    env: process.env,
    isTerminal: process.stdout.isTTY,
    version,
    distFolder,
    nodePath: process.execPath,
    askLine: terminal?.askLine,
    askHidden: terminal?.askHidden,
    askLong: terminal?.askLong,
    columns: () => process.stdout.columns || terminal?.columns() || usualColumns,
    interrupts,
    out: output.write,
    readerGone: output.readerGone,
    error: (text) => process.stderr.write(text),
    errorColumns: () => (process.stderr.isTTY ? process.stderr.columns || usualColumns : undefined),
  });
  process.exitCode = interrupts.wasInterrupted() ? 130 : code || Number(output.isLost());
  interrupts.dispose();
}

/** Undefined when stdin or stderr is not a terminal. */
export async function openTerminal(parts: TerminalParts): Promise<Terminal | undefined> {
  if (!canAsk()) return undefined;
  const { createTerminal } = await import('../terminal/ask.ts');
  return createTerminal(parts);
}

interface Output {
  readonly write: (text: string) => void;
  /** Aborted by the first write after the reader has gone. For commands that would otherwise run on. */
  readonly readerGone: AbortSignal;
  /** True once a write has failed for another reason than a reader that has gone. */
  isLost(): boolean;
}

function createOutput(): Output {
  const gone = new AbortController();
  let isLost = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has gone (`holt list | head`), which is not a failure.
    if (error.code === 'EPIPE') {
      process.exitCode = 0;
      gone.abort(new DOMException('the reader of the output has gone', 'AbortError'));
    } else if (!isLost) {
      isLost = true;
      process.exitCode ||= 1;
      process.stderr.write(`The output could not be written (${error.code}).\n`);
    }
  });
  return {
    write: (text) => void process.stdout.write(text),
    readerGone: gone.signal,
    isLost: () => isLost,
  };
}
