/** One line that shows how far something is. On a terminal only, and never among what `--json` prints. */

import type { CommandInput } from '../commands/command.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { ContextIo } from './context-io.ts';

const lineLength = 78;

export function createProgressLine(
  { flags }: CommandInput,
  io: Pick<ContextIo, 'isTerminal' | 'error' | 'progress'>,
): (text: string | undefined) => void {
  if (!io.isTerminal || flags.has('json') || flags.has('quiet')) return () => undefined;
  const { progress } = io;
  if (progress !== undefined) return (text) => progress(text === undefined ? undefined : escapeLine(text));
  let isShown = false;
  return (text) => {
    if (text === undefined && !isShown) return;
    isShown = text !== undefined;
    const shown = Array.from(escapeLine(text ?? ''))
      .slice(0, lineLength)
      .join('');
    io.error(`\r\u001b[2K${shown}`);
  };
}
