/**
 * One line that shows what a command waits for. On a terminal only, and never beside what `--json` prints. It makes room
 * for other output and for questions.
 */

import type { CommandInput } from '../commands/command.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { cutToWidth } from '../terminal/display-width.ts';
import type { ContextIo } from './context-io.ts';
import type { Ask } from './person.ts';

type Show = (text: string | undefined) => void;

export interface ProgressLine {
  /** The next text replaces this one; undefined removes it. */
  readonly show: Show;
  /** For everything else that is printed or asked. */
  readonly io: ContextIo;
}

export function createProgressLine({ flags }: CommandInput, io: ContextIo): ProgressLine {
  if (!io.isTerminal || flags.has('json') || flags.has('quiet')) return { show: () => undefined, io };
  const { progress } = io;
  if (progress === undefined) return drawnLine(io);
  return { show: (text) => progress(text === undefined ? undefined : escapeLine(text)), io };
}

const erased = '\r\u001b[2K';

function drawnLine(io: ContextIo): ProgressLine {
  let shown: string | undefined;
  let questions = 0;
  const erase = (): void => {
    if (shown !== undefined && questions === 0) io.error(erased);
  };
  const draw = (): void => {
    if (shown === undefined || questions > 0) return;
    const columns = io.errorColumns?.();
    // A terminal would wrap the line in its last column, and then it could not be erased.
    if (columns !== undefined) io.error(`${erased}${cutToWidth(shown, columns - 1)}`);
    else shown = undefined;
  };
  const around =
    (write: (text: string) => void) =>
    (text: string): void => {
      erase();
      write(text);
      if (text.endsWith('\n')) draw();
    };
  const asking = (ask: Ask | undefined): Ask | undefined =>
    ask === undefined
      ? undefined
      : async (...question) => {
          erase();
          questions += 1;
          try {
            return await ask(...question);
          } finally {
            questions -= 1;
            draw();
          }
        };
  return {
    show: (text) => {
      if (text === undefined) erase();
      shown = text === undefined ? undefined : escapeLine(text);
      draw();
    },
    io: {
      ...io,
      out: around(io.out),
      error: around(io.error),
      askLine: asking(io.askLine),
      askHidden: asking(io.askHidden),
      askLong: asking(io.askLong),
    },
  };
}
