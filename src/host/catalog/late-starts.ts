/**
 * Starts servers whose tools a list took from the cache, so that changes since then are noticed. Nothing
 * waits for these starts. Servers that may need to ask a person are not started.
 */

import type { Connection } from '../../connection/connection.ts';
import { inputsIn } from '../../dialects/mentions.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import type { Clock } from '../../platform/clock.ts';

export interface LateStartsParts {
  readonly clock: Clock;
  readonly closing: AbortSignal;
  readonly connections: () => readonly Connection[];
  /** Whether the known tools come from the server itself and not from the cache. */
  readonly isFirstHand: (connection: Connection) => boolean;
}

/** Returns a function that starts one server by name, or all. */
export function createLateStarts(parts: LateStartsParts): (server: string | undefined) => void {
  const { clock, closing, connections, isFirstHand } = parts;
  const due = new Set<string | undefined>();
  // A server that was disconnected stays disconnected, however often tools are listed.
  const tried = new WeakSet<Connection>();
  const isWanted = (connection: Connection): boolean => {
    const { entry } = connection;
    if (!due.has(undefined) && !due.has(entry.ref)) return false;
    if (connection.status().status !== 'idle' || tried.has(connection) || isFirstHand(connection))
      return false;
    return !mayAsk(entry.definition);
  };
  const start = (): void => {
    const wanted = closing.aborted ? [] : connections().filter(isWanted);
    due.clear();
    for (const connection of wanted) {
      tried.add(connection);
      void connection.connect({ urgent: false });
    }
  };
  return (server) => {
    if (due.size === 0) clock.setTimer(0, start);
    due.add(server);
  };
}

/**
 * True if a start may ask a person: for an input, or whether a project's server may use another entry's
 * login.
 */
function mayAsk(definition: ServerDefinition): boolean {
  const { guarded, launch } = definition;
  return (guarded && launch.kind !== 'stdio') || inputsIn(definition).length > 0;
}
