/** Where the bundled executable begins. The boot file hands over where it lies. */

import { openTerminal } from '../platform/ask.ts';
import { createInterrupts } from './interrupts.ts';
import { runCommandLine } from './main.ts';

export interface Boot {
  readonly version: string;
  readonly distFolder: string;
}

export async function start({ version, distFolder }: Boot): Promise<void> {
  let isLost = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader went away (`holt list | head`): that is no fault of ours.
    if (error.code === 'EPIPE') process.exitCode = 0;
    else if (!isLost) {
      isLost = true;
      process.exitCode ||= 1;
      process.stderr.write(`The output could not be written (${error.code}).\n`);
    }
  });
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
    columns: terminal?.columns,
    interrupts,
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
  });
  process.exitCode = interrupts.wasInterrupted() ? 130 : code || Number(isLost);
  interrupts.dispose();
}
