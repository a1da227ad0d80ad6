/**
 * Reports servers that are hidden by another one of the same name. Informational: nothing has to be fixed.
 */

import type { Problem } from '../../kernel/problems.ts';
import type { RankedServers } from '../../roster/rank.ts';

export function shadowProblems({ servers, shadowed }: RankedServers): readonly Problem[] {
  return shadowed.map(({ ref, definition }) => {
    const winner = servers.find(({ definition: { name } }) => name === definition.name);
    const { file, line, column } = definition.origin;
    const by =
      winner === undefined ? '' : ` by ${winner.definition.origin.file}:${winner.definition.origin.line}`;
    return {
      severity: 'info',
      code: 'server-shadowed',
      file,
      line,
      column,
      server: ref,
      message: `"${definition.name}" is hidden${by}`,
      remedy: `It can be reached as ${ref}.`,
    };
  });
}
