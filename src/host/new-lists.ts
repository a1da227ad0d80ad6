/**
 * A connection says at once that its server has a new list of tools. The world hears of it when that was compared with
 * what was accepted: only then is it known what is offered.
 */

import type { Emit } from '../kernel/events.ts';

export interface NewLists {
  /** For connections, in place of the bus. */
  readonly emit: Emit;
  /** Runs for each server that has a new list of tools. One may follow. */
  readonly follow: (look: (event: { readonly server: string }) => void) => void;
}

export function createNewLists(emit: Emit): NewLists {
  let look: Parameters<NewLists['follow']>[0] | undefined;
  return {
    emit: (name, event) => {
      if (name !== 'mcp.tools.changed') emit(name, event);
      else if ('server' in event) look?.({ server: event.server });
    },
    follow: (then) => {
      look = then;
    },
  };
}
