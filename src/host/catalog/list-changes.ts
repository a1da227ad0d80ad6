/** Emits an event when the resources or prompts of a server differ from those emitted before. */

import { isDeepStrictEqual } from 'node:util';

import type { Connection } from '../../connection/connection.ts';
import type { Session } from '../../connection/session.ts';
import type { Emit } from '../../kernel/events.ts';
import { isSpeaking } from './known-tools.ts';

const kinds = ['resources', 'prompts'] as const;
type Lists = Session['lists'];

export interface ListChanges {
  /** Compares what this server offers now. */
  look(ref: string): void;
  /** Does the same for all servers, including removed ones. */
  lookAtAll(): void;
}

export function createListChanges(
  emit: Emit,
  connections: () => ReadonlyMap<string, Connection>,
): ListChanges {
  const shown = {
    resources: new Map<string, unknown>(),
    prompts: new Map<string, unknown>(),
  };
  const look = (ref: string): void => {
    const connection = connections().get(ref);
    const lists = connection?.session?.lists;
    // Until a restarted server has lists again, its previous ones count.
    if (connection !== undefined && lists === undefined && isSpeaking(connection)) return;
    for (const kind of kinds) {
      const fresh = listOf(lists, kind);
      if (isDeepStrictEqual(shown[kind].get(ref) ?? noEntries, fresh)) continue;
      shown[kind].set(ref, fresh);
      emit(`mcp.${kind}.changed`, { server: ref });
    }
  };
  return {
    look,
    lookAtAll: () => {
      for (const ref of new Set([
        ...shown.resources.keys(),
        ...shown.prompts.keys(),
        ...connections().keys(),
      ]))
        look(ref);
    },
  };
}

const noEntries: readonly unknown[] = [];

function listOf(lists: Lists | undefined, kind: (typeof kinds)[number]): readonly unknown[] {
  if (lists === undefined) return noEntries;
  if (kind === 'prompts') return lists.prompts;
  return [...lists.resources, ...lists.resourceTemplates];
}
