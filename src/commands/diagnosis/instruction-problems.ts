/** Finds servers whose last seen instructions differ from the accepted ones. Connects nothing. */

import { createCatalogCacheFile } from '../../catalog/catalog-cache.ts';
import { createPinFile } from '../../catalog/pin-file.ts';
import { createPinBook, pinKeyOf } from '../../catalog/pins.ts';
import type { Problem } from '../../kernel/problems.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import type { Roster } from '../../roster/load-roster.ts';
import { contentKey } from '../../roster/same-server.ts';
import { isAllowed } from '../../trust/trust-state.ts';
import type { ProblemContext } from '../command.ts';

export async function instructionProblems(
  roster: Roster,
  { machine, editing, now }: Pick<ProblemContext, 'machine' | 'editing' | 'now'>,
): Promise<readonly Problem[]> {
  const cache = createCatalogCacheFile(machine, { files: editing.files, wallNow: () => now().getTime() });
  const book = createPinBook({ store: createPinFile(machine, { now }), now });
  const checked = roster.servers
    .filter(({ definition, trust }) => isAllowed(trust) && definition.pinning !== 'off')
    .map(async ({ ref, definition }): Promise<readonly Problem[]> => {
      const seen = cache.load(contentKey(definition))?.instructions;
      if (seen === undefined || !(await book.hasOtherInstructions(pinKeyOf(definition), seen))) return [];
      const { file, line, column } = definition.origin;
      return [
        {
          severity: 'warning',
          code: 'instructions-changed',
          file,
          line,
          column,
          server: ref,
          message: `the instructions of "${ref}" are not what was accepted`,
          remedy: `Read them with holt pin diff ${nameWord(ref)}, then accept them with holt pin accept ${nameWord(ref)}.`,
        },
      ];
    });
  return (await Promise.all(checked)).flat();
}
