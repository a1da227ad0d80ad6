/** Entry point of the bundled executable. The boot file passes the version and the folder it is in. */

import { openTerminal } from '../terminal/ask.ts';
import { createInterrupts } from './interrupts.ts';
import { runCommandLine } from './main.ts';
import { createOutput } from './output.ts';

export interface Boot {
  readonly version: string;
  readonly distFolder: string;
}

/** For terminals that do not report their width. */
const usualColumns = 80;

export async function start({ version, distFolder }: Boot): Promise<void> {
  const output = createOutput();
  const interrupts = createInterrupts();
  const terminal = openTerminal({ onInterrupt: interrupts.interrupt, interrupted: interrupts.raised });
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
