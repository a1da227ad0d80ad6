/** All servers of one host. They start side by side, in a measured number, and what happens to one happens to no other. */

import type { HoltError } from '../kernel/errors.ts';
import type { Status } from '../kernel/status.ts';
import { Connection, type ConnectionParts } from './connection.ts';
import type { ServerEntry } from './server-state.ts';

export type { ServerReport } from './server-report.ts';
export type { OpenTransport } from './door.ts';
export { createMarkedStore, isMarked } from './line/marked-tools.ts';
export type { ServerEntry } from './server-state.ts';
export { usualTuning, type Tuning } from './start/attempt.ts';
export { createStartSlots } from './start/start-slots.ts';

export interface Supervisor {
  /** Known servers by the name they are called by. */
  readonly connections: ReadonlyMap<string, Connection>;
  /** The connection of this entry, made when it is not there yet. */
  add(entry: ServerEntry): Connection;
  /** Disconnects and forgets it. Whoever waited for it, or still holds it, hears why. */
  remove(ref: string, why: HoltError): Promise<void>;
  /** Connects all; settles when every one of them has. Never rejects. */
  connectAll(): Promise<Record<string, Status>>;
  disconnectAll(): Promise<void>;
  /** Disconnects all, and starts none ever after. */
  close(why: HoltError): Promise<void>;
}

export function createSupervisor(parts: ConnectionParts): Supervisor {
  const connections = new Map<string, Connection>();
  let closed: HoltError | undefined;
  return {
    connections,
    add: (entry) => {
      const known = connections.get(entry.ref);
      if (known !== undefined) return known;
      const connection = new Connection(entry, parts);
      connections.set(entry.ref, connection);
      if (closed !== undefined) void connection.retire(closed);
      return connection;
    },
    remove: async (ref, why) => {
      const connection = connections.get(ref);
      connections.delete(ref);
      await connection?.retire(why);
    },
    connectAll: async () => {
      const all = [...connections.values()];
      const settled = await Promise.all(
        all.map(
          async (connection) => [connection.entry.ref, await connection.connect({ urgent: false })] as const,
        ),
      );
      return Object.fromEntries(settled);
    },
    disconnectAll: async () => {
      await Promise.allSettled([...connections.values()].map((connection) => connection.disconnect()));
    },
    close: async (why) => {
      closed = why;
      await Promise.allSettled([...connections.values()].map((connection) => connection.retire(why)));
    },
  };
}
