/** Keeps a prompt at the bottom of the screen: output written while it is open appears above it. */

import type { Interface } from 'node:readline';

type Write = (text: string) => void;

export interface ShownPrompt {
  readonly reader: Interface;
  readonly prompt: string;
  /** Hidden input is not echoed, so it occupies no columns. */
  readonly isHidden: boolean;
}

/** Removes the prompt and the typed input from the screen. */
export function erasePrompt({ reader, isHidden }: ShownPrompt, write: Write): void {
  write(eraseRows(isHidden ? 0 : reader.getCursorPos().rows));
}

/**
 * Like `erasePrompt`, and also removes the text shown directly above the prompt. Cannot remove rows that have
 * scrolled off the screen.
 */
export function eraseQuestion(shown: ShownPrompt, about: string, write: Write): void {
  const { reader, prompt, isHidden } = shown;
  const { rows } = reader.getCursorPos();
  // Only readline knows how wide characters are, and therefore where the terminal wrapped the lines.
  reader.setPrompt(about + prompt);
  const above = reader.getCursorPos().rows - rows;
  reader.setPrompt(prompt);
  write(eraseRows(above + (isHidden ? 0 : rows)));
}

/** Erases from the first of `rows` rows above the cursor to the end of the screen. */
export function eraseRows(rows: number): string {
  return `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[0J`;
}

export function writeAbove(shown: ShownPrompt, text: string, write: Write): void {
  const { reader, prompt, isHidden } = shown;
  erasePrompt(shown, write);
  write(text);
  if (isHidden) {
    write(prompt);
    return;
  }
  // readline moves the cursor up by this many rows before it redraws itself.
  write('\n'.repeat(reader.getCursorPos().rows));
  reader.prompt(true);
}

type Done = (error?: Error | null) => void;

/**
 * Passes everything that this process writes to its terminal to `onLines`, until the returned function is
 * called.
 */
export function divertOutput(onLines: Write): () => void {
  const restores = [process.stdout, process.stderr]
    .filter(({ isTTY }) => isTTY)
    .map((stream) => divert(stream, onLines));
  return () => {
    for (const restore of restores) restore();
  };
}

function divert(stream: NodeJS.WriteStream, onLines: Write): () => void {
  const write = stream.write.bind(stream);
  /** An unfinished line. It is held back because a carriage return may still overwrite it. */
  let begun = '';
  stream.write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean => {
    begun += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    const end = begun.lastIndexOf('\n') + 1;
    if (end > 0) onLines(begun.slice(0, end));
    begun = begun.slice(end);
    begun = begun.slice(Math.max(begun.lastIndexOf('\r'), 0));
    const callback = typeof encoding === 'function' ? encoding : done;
    if (callback !== undefined) process.nextTick(callback);
    return true;
  };
  return () => {
    stream.write = write;
    if (begun !== '') stream.write(begun);
  };
}
