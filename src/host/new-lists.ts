/**
 * A connection reports a new list immediately. The host emits its event only after the list was compared with
 * the previous one, and tools with what was accepted, because only then is it known whether anything changed.
 */

import type { Emit } from '../kernel/events.ts';

type Look = (event: { readonly server: string }) => void;

export interface NewLists {
  /** Connections use this in place of the bus. */
  readonly emit: Emit;
  /** Sets the callbacks for new lists of tools, and of anything else. There is only one follower. */
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
