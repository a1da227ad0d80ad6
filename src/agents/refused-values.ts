/**
 * Reports values other than strings in maps where an agent accepts only strings.
 * holt converts them to strings.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { EntryContext } from './agent-format.ts';

const oddKinds: ReadonlySet<string> = new Set(['number', 'boolean', 'null']);

/** `outcome` is the agent's reaction, as worded in the message: "Claude Code skips this server". */
export function reportOddValues(
  node: ObjectNode,
  context: EntryContext,
  keys: readonly string[],
  outcome: string,
): void {
  for (const key of keys) {
    const map = get(node, key);
    // Lists and objects are reported where they are dropped.
    const odd =
      map?.kind === 'object' ? map.entries.find(({ value }) => oddKinds.has(value.kind)) : undefined;
    if (odd === undefined) continue;
    context.report({
      severity: 'warning',
      code: 'agent-refuses',
      at: odd.value.start,
      message: `${outcome}: "${key}.${odd.key}" is not a string`,
      remedy: 'Put it in quotes.',
    });
  }
}
