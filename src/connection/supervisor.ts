/** All servers of one host. They start side by side, in a measured number, and what happens to one happens to no other. */

import type { HoltError } from '../kernel/errors.ts';
import type { Emit } from '../kernel/events.ts';
import type { Status } from '../kernel/status.ts';
import { Connection } from './connection.ts';
import type { ConnectionParts, ConnectOptions } from './connection-parts.ts';
import { createLeavers } from './leavers.ts';
import { isNews, type ServerEntry } from './server-state.ts';

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
  /**
   * The name belongs to the new entry from now on, in the place it had; it is not started before the old one has ended,
   * which the answer waits for.
   */
  replace(entry: ServerEntry, why: HoltError): Promise<void>;
  /** Disconnects and forgets it. Whoever waited for it, or still holds it, hears why. */
  remove(ref: string, why: HoltError): Promise<void>;
  /** Connects it, and what takes its place meanwhile. Never rejects; undefined for what is not there. */
  connect(ref: string, options: ConnectOptions): Promise<Status | undefined>;
  /** Connects all; settles when every one of them has. Never rejects. */
  connectAll(): Promise<void>;
  disconnectAll(): Promise<void>;
  /** Disconnects all, and starts none ever after. */
  close(why: HoltError): Promise<void>;
}

export function createSupervisor(parts: ConnectionParts): Supervisor {
  const connections = new Map<string, Connection>();
  const leavers = createLeavers();
  let closed: HoltError | undefined;
  const make = (entry: ServerEntry): Connection => {
    const { ref } = entry;
    // Whoever had to go says nothing of a name that is another one's now.
    const emit: Emit = (name, event) => {
      if (name === 'mcp.status.changed' && (connections.get(ref) ?? connection) !== connection) return;
      parts.emit(name, event);
    };
    const connection = new Connection(entry, { ...parts, emit }, leavers.lastOf(ref));
    connections.set(ref, connection);
    if (closed !== undefined) void connection.retire(closed);
    return connection;
  };
  const connect: Supervisor['connect'] = async (ref, options) => {
    let status: Status | undefined;
    let last: Connection | undefined;
    for (let now = connections.get(ref); now !== undefined && now !== last; now = connections.get(ref)) {
      last = now;
      status = await now.connect(options);
    }
    return status;
  };
  return {
    connections,
    add: (entry) => connections.get(entry.ref) ?? make(entry),
    replace: async (entry, why) => {
      const old = connections.get(entry.ref);
      const before = old?.status();
      const leave = leavers.expect(entry.ref);
      const status = make(entry).status();
      const left = leave(old?.retire(why));
      // A new connection says nothing by itself: whoever heard of the old one would go on believing that.
      if (before !== undefined && isNews(before, status))
        parts.emit('mcp.status.changed', { server: entry.ref, status });
      await left;
    },
    remove: async (ref, why) => {
      const connection = connections.get(ref);
      connections.delete(ref);
      await leavers.expect(ref)(connection?.retire(why));
    },
    connect,
    connectAll: async () => {
      await Promise.all([...connections.keys()].map((ref) => connect(ref, { urgent: false })));
    },
    disconnectAll: async () => {
      await Promise.allSettled([...connections.values()].map((connection) => connection.disconnect()));
    },
    close: async (why) => {
      closed = why;
      await Promise.allSettled([
        ...[...connections.values()].map((connection) => connection.retire(why)),
        leavers.all(),
      ]);
    },
  };
}
