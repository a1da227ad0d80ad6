/**
 * Servers that an answer from memory spoke for are started afterwards, so that what has changed is told. Nobody waits for
 * them, and nobody is asked anything for their sake: whoever would need an answer to start stays as it is.
 */

import type { Connection } from '../../connection/connection.ts';
import { inputsIn } from '../../dialects/mentions.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import type { Clock } from '../../platform/clock.ts';

export interface LateStartsParts {
  readonly clock: Clock;
  readonly closing: AbortSignal;
  readonly connections: () => readonly Connection[];
  /** Whether the server itself has said what it offers. */
  readonly isFirstHand: (connection: Connection) => boolean;
}

/** With a name just that server, else all. */
export function createLateStarts(parts: LateStartsParts): (server: string | undefined) => void {
  const { clock, closing, connections, isFirstHand } = parts;
  const due = new Set<string | undefined>();
  // Who is sent away stays away, however often somebody asks for tools.
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

/** For a value, or whether a project's server may use a login that was made for another. */
function mayAsk(definition: ServerDefinition): boolean {
  const { guarded, launch } = definition;
  return (guarded && launch.kind !== 'stdio') || inputsIn(definition).length > 0;
}
