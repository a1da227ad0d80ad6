/** The output of the command, and what becomes of it: a reader that went away is no fault, anything else is. */

export interface Output {
  readonly write: (text: string) => void;
  /** Aborted by the first text that nobody takes: for what would go on and on. */
  readonly readerGone: AbortSignal;
  /** True once something could not be written that somebody waits for. */
  isLost(): boolean;
}

export function createOutput(): Output {
  const gone = new AbortController();
  let isLost = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader went away (`holt list | head`): that is no fault of ours.
    if (error.code === 'EPIPE') {
      process.exitCode = 0;
      gone.abort(new DOMException('nobody reads the output', 'AbortError'));
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
