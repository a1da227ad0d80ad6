/** Reports that a server no longer offers what was accepted, once for each change. */

import { isDeepStrictEqual } from 'node:util';

import type { RefusedTool, WithheldTool } from '../../catalog/tool-info.ts';
import type { Connection } from '../../connection/connection.ts';
import type { Emit } from '../../kernel/events.ts';
import { instructionsText, refusalText, withheldToast } from './server-problems.ts';

export interface FoundChanges {
  readonly withheld: readonly WithheldTool[];
  readonly refused: readonly RefusedTool[];
  /** All changed tools, including those that are only reported and not withheld. */
  readonly changed: readonly WithheldTool[];
  /** Diff lines. Empty while the instructions are the accepted ones. */
  readonly instructionsChanged: readonly string[];
}

/** Limits the warnings, because the server chooses how many tools it lists. */
const mostTold = 20;

export function createTeller(
  emit: Emit,
  toast: (text: string) => void,
): (connection: Connection, found: FoundChanges) => void {
  const told = new WeakMap<Connection, Omit<FoundChanges, 'withheld'>>();
  return (connection, { withheld, refused, changed, instructionsChanged }) => {
    const before = told.get(connection);
    told.set(connection, { refused, changed, instructionsChanged });
    const { ref } = connection.entry;
    if (refused.length > 0 && !isDeepStrictEqual(before?.refused, refused)) {
      for (const tool of refused.slice(0, mostTold))
        emit('mcp.warning', { server: ref, code: 'schema-too-deep', message: refusalText(tool) });
    }
    if (changed.length > 0 && !isDeepStrictEqual(before?.changed, changed)) {
      emitMutated({ changed, withheld }, emit);
      const text = withheldToast(ref, withheld);
      if (text !== undefined) toast(text);
    }
    if (instructionsChanged.length === 0) return;
    if (isDeepStrictEqual(before?.instructionsChanged, instructionsChanged)) return;
    const message = instructionsText(ref, instructionsChanged);
    emit('mcp.warning', { server: ref, code: 'instructions-changed', message });
  };
}

function emitMutated({ changed, withheld }: Pick<FoundChanges, 'changed' | 'withheld'>, emit: Emit): void {
  const held = new Set(withheld.map(({ tool }) => tool));
  for (const { server, tool, changes } of changed)
    emit('mcp.tool.mutated', { server, tool, withheld: held.has(tool), changes });
}
