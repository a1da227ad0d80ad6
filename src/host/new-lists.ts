/**
 * A connection reports at once that its server has a new list. It becomes an event of the host when that was compared with
 * what was offered before, and tools with what was accepted: only then is it known whether anything changed.
 */

import type { Emit } from '../kernel/events.ts';

type Look = (event: { readonly server: string }) => void;

export interface NewLists {
  /** For connections, in place of the bus. */
  readonly emit: Emit;
  /** Runs for each server that has a new list of tools, or of something else. One may follow. */
  readonly follow: (looks: { readonly tools: Look; readonly others: Look }) => void;
}

export function createNewLists(emit: Emit): NewLists {
  let looks: Parameters<NewLists['follow']>[0] | undefined;
  return {
    emit: (name, event) => {
      if (name === 'mcp.tools.changed' && 'server' in event) looks?.tools({ server: event.server });
      else if ((name === 'mcp.resources.changed' || name === 'mcp.prompts.changed') && 'server' in event)
        looks?.others({ server: event.server });
      else emit(name, event);
    },
    follow: (then) => {
      looks = then;
    },
  };
}
