/** One line that shows how far something is. On a terminal only, and never among what `--json` prints. */

import type { CommandInput } from '../commands/command.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { cutToWidth } from '../terminal/display-width.ts';
import type { ContextIo } from './context-io.ts';

export function createProgressLine(
  { flags }: CommandInput,
  io: Pick<ContextIo, 'isTerminal' | 'error' | 'progress' | 'columns'>,
): (text: string | undefined) => void {
  if (!io.isTerminal || flags.has('json') || flags.has('quiet')) return () => undefined;
  const { progress } = io;
  if (progress !== undefined) return (text) => progress(text === undefined ? undefined : escapeLine(text));
  let isShown = false;
  return (text) => {
    if (text === undefined && !isShown) return;
    isShown = text !== undefined;
    // A line that wraps could not be removed as a whole.
    const shown = cutToWidth(escapeLine(text ?? ''), (io.columns?.() || 80) - 1);
    io.error(`\r\u001b[2K${shown}`);
  };
}
