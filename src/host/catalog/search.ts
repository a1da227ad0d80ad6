/** Finds tools by words. The index is built on first use and again when the list of tools changes. */

import type { ToolInfo, ToolMatch } from '../../catalog/tool-info.ts';
import { createToolIndex, type ToolIndex } from '../../catalog/tool-search.ts';

export type Search = (
  query: string,
  options?: { readonly limit?: number | undefined; readonly server?: string | undefined },
) => Promise<readonly ToolMatch[]>;

/** `requireServer` throws for an unknown name. */
export function createSearch(
  tools: () => Promise<readonly ToolInfo[]>,
  requireServer: (name: string) => void,
): Search {
  let made: { readonly tools: readonly ToolInfo[]; readonly index: ToolIndex } | undefined;
  return async (query, options = {}) => {
    if (options.server !== undefined) requireServer(options.server);
    const now = await tools();
    if (made?.tools !== now) made = { tools: now, index: createToolIndex(now) };
    return made.index.search(query, options).flatMap(({ at, score }) => {
      const tool = now[at];
      return tool === undefined ? [] : [{ tool, score }];
    });
  };
}
