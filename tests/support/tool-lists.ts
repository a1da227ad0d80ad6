/** Groups pairs into one list for each server, in the order in which servers first appear. */

import type { ToolList, ToolPair } from '../../src/catalog/public-names.ts';

export function listsOf(pairs: readonly ToolPair[]): readonly ToolList[] {
  const lists = new Map<string, string[]>();
  for (const { server, tool } of pairs) {
    const tools = lists.get(server) ?? [];
    tools.push(tool);
    lists.set(server, tools);
  }
  return [...lists].map(([server, tools]) => ({ server, tools }));
}
