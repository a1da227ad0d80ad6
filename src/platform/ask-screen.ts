/** Keeps a prompt in sight: what others write while it stands goes above it. */

import type { Interface } from 'node:readline';

type Write = (text: string) => void;

export interface ShownPrompt {
  readonly reader: Interface;
  readonly prompt: string;
  /** What is typed is not shown, so it takes no room. */
  readonly isHidden: boolean;
}

/** Takes the prompt and what is typed off the screen. */
export function erasePrompt({ reader, isHidden }: ShownPrompt, write: Write): void {
  write(eraseRows(isHidden ? 0 : reader.getCursorPos().rows));
}

/** The same with what stands right above it and says what it is about. What has left the screen is out of reach. */
export function eraseQuestion(shown: ShownPrompt, about: string, write: Write): void {
  const { reader, prompt, isHidden } = shown;
  const { rows } = reader.getCursorPos();
  // Only the reader knows how wide signs are, and so where lines were broken.
  reader.setPrompt(about + prompt);
  const above = reader.getCursorPos().rows - rows;
  reader.setPrompt(prompt);
  write(eraseRows(above + (isHidden ? 0 : rows)));
}

/** The cursor stands this many rows below the first one to go. */
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
  // The reader goes up by as many rows as it took before it draws itself again.
  write('\n'.repeat(reader.getCursorPos().rows));
  reader.prompt(true);
}

type Done = (error?: Error | null) => void;

/** Has all that this process writes to its terminal handed over, until the answer is called. */
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
  /** The begin of a line waits for its end: it may be one that is written over. */
  let begun = '';
  stream.write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean => {
    begun += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    const end = begun.lastIndexOf('\n') + 1;
    if (end > 0) onLines(begun.slice(0, end));
    begun = begun.slice(end);
    begun = begun.slice(Math.max(begun.lastIndexOf('\r'), 0));
    const told = typeof encoding === 'function' ? encoding : done;
    if (told !== undefined) process.nextTick(told);
    return true;
  };
  return () => {
    stream.write = write;
    if (begun !== '') stream.write(begun);
  };
}
