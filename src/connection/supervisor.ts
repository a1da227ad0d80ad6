/**
 * All servers of one host. A limited number of them start at the same time, and the failure of one does not
 * affect the others.
 */

import type { HoltError } from '../kernel/errors.ts';
import type { Status } from '../kernel/phases.ts';
import { Connection } from './connection.ts';
import type { ConnectionParts, ConnectOptions } from './connection-parts.ts';
import { isStatusChange, nothingOpen, type ServerEntry } from './server-state.ts';

export type { OpenTransport } from './explain-failure.ts';
export type { ServerReport } from './server-report.ts';
export type { ServerEntry } from './server-state.ts';
export { usualTuning, type Tuning } from './start/attempt.ts';
export { createStartSlots } from './start/start-slots.ts';

/** What all connections share. */
export type SupervisorParts = Omit<ConnectionParts, 'onStatus'>;

export interface Supervisor {
  /** Known servers by their name in this host. */
  readonly connections: ReadonlyMap<string, Connection>;
  /** Returns the connection of this entry and creates it if it does not exist. */
  add(entry: ServerEntry): Connection;
  /**
   * Replaces the connection of that name, in its place in the order. The new one does not start before the
   * old one has closed, which the returned promise waits for.
   */
  replace(entry: ServerEntry, why: HoltError): Promise<void>;
  /** Disconnects and removes the server. Callers that wait for it or still hold it get `why`. */
  remove(ref: string, why: HoltError): Promise<void>;
  /**
   * Connects the server, and its replacement if it is replaced meanwhile. Never rejects. Resolves to
   * undefined for an unknown name.
   */
  connect(ref: string, options: ConnectOptions): Promise<Status | undefined>;
  /** Connects all servers and resolves when every attempt has ended. Never rejects. */
  connectAll(): Promise<void>;
  disconnectAll(): Promise<void>;
  /** Disconnects all servers and prevents any later start. */
  close(why: HoltError): Promise<void>;
}

export function createSupervisor(parts: SupervisorParts): Supervisor {
  const connections = new Map<string, Connection>();
  const closing = createClosingConnections();
  let closed: HoltError | undefined;
  const make = (entry: ServerEntry): Connection => {
    const { ref } = entry;
    // A replaced connection must not report the status of a name that now belongs to another.
    const onStatus = (status: Status): void => {
      if ((connections.get(ref) ?? connection) === connection)
        parts.emit('mcp.status.changed', { server: ref, status });
    };
    const connection = new Connection(entry, { ...parts, onStatus }, closing.lastOf(ref));
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
      const waitFor = closing.expect(entry.ref);
      const status = make(entry).status();
      const oldClosed = waitFor(old?.retire(why));
      // A new connection emits no initial status, so without this event listeners would keep the old one's.
      if (before !== undefined && isStatusChange(before, status))
        parts.emit('mcp.status.changed', { server: entry.ref, status });
      await oldClosed;
    },
    remove: async (ref, why) => {
      const connection = connections.get(ref);
      connections.delete(ref);
      await closing.expect(ref)(connection?.retire(why));
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
        closing.all(),
      ]);
    },
  };
}

/** Connections that are closing, by name. A new connection of the same name waits for them. */
interface ClosingConnections {
  /** Resolves when all earlier connections of this name are closed. Never rejects. */
  lastOf(ref: string): Promise<void>;
  /**
   * Registers a connection that is closing. Pass the promise of its closing to the returned function; the
   * promise that this gives resolves when it and all earlier ones are closed.
   */
  expect(ref: string): (ending: Promise<void> | undefined) => Promise<void>;
  /** Resolves when all of them are closed. Never rejects. */
  all(): Promise<void>;
}

function createClosingConnections(): ClosingConnections {
  const closing = new Map<string, Promise<void>>();
  return {
    lastOf: (ref) => closing.get(ref) ?? nothingOpen,
    expect: (ref) => {
      const earlier = closing.get(ref);
      let settle: ((all: Promise<unknown>) => void) | undefined;
      const closed = new Promise<unknown>((resolve) => {
        settle = resolve;
      }).then(() => {
        if (closing.get(ref) === closed) closing.delete(ref);
      });
      closing.set(ref, closed);
      return (ending) => {
        settle?.(Promise.allSettled([earlier, ending]));
        return closed;
      };
    },
    all: async () => {
      await Promise.all(closing.values());
    },
  };
}
