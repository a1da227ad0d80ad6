/** The result of starting a server right after it was added. The entry stays even if the server fails. */

import { nameWord } from '../../kernel/shell-words.ts';
import { escapeLine } from '../../masking/escape-text.ts';
import type { Style } from '../../terminal/style.ts';

export interface TriedEntry {
  readonly server: string;
  readonly works: boolean;
  /** The lines that `holt test` prints. */
  readonly lines: readonly string[];
}

export function renderTried({ server, works, lines }: TriedEntry, style: Style): readonly string[] {
  const name = escapeLine(server);
  return works
    ? [...lines, style.green(`${name} works.`)]
    : [
        ...lines,
        `The entry is kept. Try again with holt test ${nameWord(name)}, or take it back with holt undo.`,
      ];
}
