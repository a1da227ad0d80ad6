/** The standard output of a command. A reader that has gone is not a failure; any other write error is. */

export interface Output {
  readonly write: (text: string) => void;
  /** Aborted by the first write after the reader has gone. For commands that would otherwise run on. */
  readonly readerGone: AbortSignal;
  /** True once a write has failed for another reason than a reader that has gone. */
  isLost(): boolean;
}

export function createOutput(): Output {
  const gone = new AbortController();
  let isLost = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has gone (`holt list | head`), which is not a failure.
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
