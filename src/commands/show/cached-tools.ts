/** The tools that servers offered when they were last connected, for completion. Connects nothing. */

import { createCatalogCacheFile } from '../../catalog/catalog-cache.ts';
import { isOffered } from '../../policy/tool-filter.ts';
import { contentKey } from '../../roster/same-server.ts';
import { isAllowed } from '../../trust/trust-state.ts';
import type { CommandContext } from '../command.ts';

export interface CachedToolName {
  /** Both spellings: `server.tool` and `mcp__server__tool`. */
  readonly selectors: readonly string[];
  readonly argumentNames: () => readonly string[];
}

export async function cachedTools({
  loadRoster,
  machine,
  editing,
  now,
}: Pick<CommandContext, 'loadRoster' | 'machine' | 'editing' | 'now'>): Promise<readonly CachedToolName[]> {
  const cache = createCatalogCacheFile(machine, { files: editing.files, wallNow: () => now().getTime() });
  const { servers } = await loadRoster();
  return servers
    .filter(({ definition, trust }) => definition.enabled && isAllowed(trust))
    .flatMap(({ ref, definition }) =>
      (cache.load(contentKey(definition))?.tools ?? [])
        .filter(({ name }) => isOffered(definition, name))
        .map((cached) => ({
          selectors: [`${ref}.${cached.name}`, `mcp__${ref}__${cached.name}`],
          argumentNames: () => Object.keys(cached.tool.inputSchema.properties ?? {}),
        })),
    );
}
