/**
 * Subscribes to resources in both protocols: a stateful server gets one request per connection, a stateless
 * one a stream that stays open. Subscribers share it, and the last one to leave ends it.
 */

import { keepListening } from '../connection/changes.ts';
import type { Connection } from '../connection/connection.ts';
import type { Emit } from '../kernel/events.ts';
import type { Clock } from '../platform/clock.ts';

export interface SubscriptionParts {
  readonly clock: Clock;
  readonly emit: Emit;
  /** Calls `then` when the server connects again. Returns a function that removes the callback. */
  readonly onConnected: (server: string, then: () => void) => () => void;
  readonly debug: (message: string) => void;
}

interface Followed {
  subscribers: number;
  readonly started: Promise<void>;
  readonly stop: () => Promise<void>;
}

export type Subscribe = (connection: Connection, uri: string) => Promise<() => Promise<void>>;

export function createSubscriptions(parts: SubscriptionParts): Subscribe {
  const followed = new Map<string, Followed>();
  return async (connection, uri) => {
    const key = JSON.stringify([connection.entry.ref, uri]);
    const one = followed.get(key) ?? follow(connection, uri, parts);
    followed.set(key, one);
    one.subscribers += 1;
    let isOver = false;
    const leave = async (): Promise<void> => {
      if (isOver) return;
      isOver = true;
      one.subscribers -= 1;
      if (one.subscribers > 0) return;
      followed.delete(key);
      await one.stop();
    };
    try {
      await one.started;
    } catch (error) {
      await leave();
      throw error;
    }
    return leave;
  };
}

function follow(connection: Connection, uri: string, parts: SubscriptionParts): Followed {
  const stopped = new AbortController();
  let end: (() => Promise<void>) | undefined;
  const start = async (): Promise<void> => {
    const { era } = await connection.ready({ signal: stopped.signal });
    if (era === 'stateless') return listen(connection, uri, parts, stopped.signal);
    end = await tell(connection, uri, parts, stopped.signal);
  };
  return {
    subscribers: 0,
    started: start(),
    stop: async () => {
      stopped.abort(new Error('nobody listens any more'));
      await end?.();
    },
  };
}

/** Subscribes at a stateful server. Resolves to a function that unsubscribes. */
async function tell(
  connection: Connection,
  uri: string,
  parts: SubscriptionParts,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const { ref } = connection.entry;
  const subscribe = (): Promise<unknown> =>
    connection.use((session, request) => session.request('resources/subscribe', { uri }, request), {
      signal,
      isSafe: true,
    });
  await subscribe();
  const stop = parts.onConnected(ref, () => {
    // A new connection has no subscriptions, and the resource may have changed in between.
    subscribe().then(
      () => parts.emit('mcp.resource.updated', { server: ref, uri }),
      (error: unknown) => parts.debug(`${ref}: subscribing again failed: ${String(error)}`),
    );
  });
  return async () => {
    stop();
    if (connection.session === undefined) return;
    await connection
      .use((session, request) => session.request('resources/unsubscribe', { uri }, request))
      .catch((error: unknown) => parts.debug(`${ref}: unsubscribing failed: ${String(error)}`));
  };
}

/** Listens to a stateless server until the signal aborts. Settles when the first stream opens or fails. */
function listen(
  connection: Connection,
  uri: string,
  parts: SubscriptionParts,
  signal: AbortSignal,
): Promise<void> {
  const { ref } = connection.entry;
  return new Promise((resolve, reject) => {
    let isFirst = true;
    void keepListening({
      clock: parts.clock,
      signal,
      changes: {
        notice: (kind) => {
          if (kind === 'resources') parts.emit('mcp.resource.updated', { server: ref, uri });
        },
      },
      open: async (until) => {
        try {
          const stream = await connection.use((session) =>
            session.listen({ resourceSubscriptions: [uri] }, until),
          );
          resolve();
          isFirst = false;
          return stream;
        } catch (error) {
          reject(error);
          throw error;
        }
      },
      isFinal: () => isFirst,
    });
  });
}
