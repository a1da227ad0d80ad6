/** What is wrong with what servers say of themselves: other instructions than were accepted, two tools of one name. */

import type { Connection } from '../../connection/connection.ts';
import type { Problem, ProblemCode } from '../../kernel/problems.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import type { EventBus } from '../event-bus.ts';

export interface ServerProblemsParts {
  readonly bus: Pick<EventBus, 'on'>;
  readonly connections: () => Iterable<Connection>;
  /** Lines of a diff; empty while the instructions are what was accepted. */
  readonly instructionsChanged: (connection: Connection) => readonly string[];
}

export function createServerProblems(parts: ServerProblemsParts): () => readonly Problem[] {
  const duplicates = followDuplicates(parts.bus);
  return () =>
    [...parts.connections()].flatMap((connection) => {
      const { ref } = connection.entry;
      const changes = parts.instructionsChanged(connection);
      return [
        ...duplicates(ref).map((message) => problemOf(connection, 'offer-duplicate', message)),
        ...(changes.length === 0
          ? []
          : [problemOf(connection, 'instructions-changed', instructionsText(ref, changes))]),
      ];
    });
}

export function instructionsText(server: string, changes: readonly string[]): string {
  return `the instructions of "${server}" are not what was accepted: ${changes.join('; ')}`;
}

/** By server, as of its last start. */
function followDuplicates(bus: ServerProblemsParts['bus']): (server: string) => readonly string[] {
  const told = new Map<string, Set<string>>();
  // Not by phases: every call walks through two of them, and somebody who listens makes them cost something.
  bus.on('mcp.status.changed', ({ server, status }) => {
    if (status.status === 'connecting') told.delete(server);
  });
  bus.on('mcp.warning', ({ server, code, message }) => {
    if (code === 'entry-duplicate') told.set(server, (told.get(server) ?? new Set()).add(message));
  });
  return (server) => [...(told.get(server) ?? [])];
}

const remedies = {
  'offer-duplicate': () => 'A call reaches the first one. Its maker has to give them two names.',
  'instructions-changed': (ref: string) =>
    `Accept them with holt pin accept ${nameWord(ref)}, once you have read them.`,
} as const satisfies Partial<Record<ProblemCode, (ref: string) => string>>;

function problemOf({ entry }: Connection, code: keyof typeof remedies, message: string): Problem {
  const { file, line, column } = entry.definition.origin;
  const remedy = remedies[code](entry.ref);
  return { severity: 'warning', code, file, line, column, server: entry.ref, message, remedy };
}
