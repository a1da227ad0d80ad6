/**
 * One line that shows what a command waits for. Only on a terminal, and not with `--json` or `--quiet`. It is
 * removed while other output or a question is shown.
 */

import type { CommandInput } from '../commands/command.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { cutToWidth } from '../terminal/wrap.ts';
import type { Ask, ContextIo } from './context-io.ts';

type Show = (text: string | undefined) => void;

export interface ProgressLine {
  /** Shows a line that the next one replaces; undefined removes it. */
  readonly show: Show;
  /** For all other output and questions. */
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
    // Leave the last column free: a terminal could wrap there, and then the line could not be erased.
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
