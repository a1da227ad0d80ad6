/**
 * Sends every event of the host to all subscribers, and waits for none of them. A subscriber that falls too
 * far behind is disconnected. When it reconnects it gets the events that it missed, or a snapshot.
 */

import type { HostEventName } from '../../kernel/events.ts';
import type { Status } from '../../kernel/status.ts';
import type { HttpStream } from '../../platform/listeners/http-server.ts';
import { createEventRing } from './event-ring.ts';
import { frame } from './sse.ts';

/**
 * Limit for the unsent bytes of one subscriber. Subscribers that wait for the same events share the bytes.
 */
const mostBacklogBytes = 4 << 20;
const flushCharacters = 64 << 10;
const aliveMs = 15_000;

export type FeedListener = (name: HostEventName, event: { readonly id: number; readonly at: string }) => void;

export interface FeedParts {
  /** Registers a listener for every event of the host. Returns a function that removes it. */
  readonly onEvent: (listener: FeedListener) => () => void;
  readonly status: () => Record<string, Status>;
  readonly wallNow: () => number;
  readonly setTimer: (ms: number, fire: () => void) => () => void;
  /** Runs `work` after the current turn of the event loop. */
  readonly soon: (work: () => void) => void;
}

export interface Subscriber {
  readonly stream: HttpStream;
  readonly lastEventId: string | undefined;
  /** Whether the subscriber may answer questions, and therefore receives them. */
  readonly mayAnswer: boolean;
}

export interface EventFeed {
  /** Resolves when the stream has ended. */
  subscribe(subscriber: Subscriber): Promise<void>;
  /** Sends a message that is not an event of the host to the subscribers that may answer questions. */
  tellAnswerers(event: string, data: unknown): void;
  hasAnswerer(): boolean;
  readonly counts: { readonly subscribers: number; readonly events: number; readonly dropped: number };
  close(): void;
}

export function createEventFeed(parts: FeedParts): EventFeed {
  const ring = createEventRing(parts.wallNow());
  const audience = createAudience();
  let pending: string[] = [];
  let pendingLength = 0;
  const flush = (): void => {
    if (pending.length === 0) return;
    const bytes = Buffer.from(pending.join(''));
    [pending, pendingLength] = [[], 0];
    audience.tell(bytes);
  };
  const stopListening = parts.onEvent((name, event) => {
    const text = ring.push(name, event);
    if (audience.all.size === 0) return;
    if (pending.length === 0) parts.soon(flush);
    pending.push(text);
    pendingLength += text.length;
    if (pendingLength >= flushCharacters) flush();
  });
  const snapshot = (kind: 'snapshot' | 'reset'): string => {
    const at = new Date(parts.wallNow()).toISOString();
    return frame(kind, { status: parts.status(), at, id: ring.newest }, ring.newest);
  };
  const opening = (lastEventId: string | undefined): string => {
    if (lastEventId === undefined || lastEventId === '') return snapshot('snapshot');
    return ring.after(lastEventId) ?? snapshot('reset');
  };
  const stopTimer = repeat(parts, () => audience.tell(Buffer.from(': alive\n\n')));

  return {
    subscribe: async (subscriber) => {
      // Send pending events to the others first: the opening message of the new subscriber covers them.
      flush();
      subscriber.stream.write(`: welcome\n\n${opening(subscriber.lastEventId)}`);
      audience.all.add(subscriber);
      await subscriber.stream.closed;
      audience.all.delete(subscriber);
    },
    tellAnswerers: (event, data) => {
      flush();
      audience.tell(Buffer.from(frame(event, data)), ({ mayAnswer }) => mayAnswer);
    },
    hasAnswerer: () => [...audience.all].some(({ mayAnswer }) => mayAnswer),
    get counts() {
      return { subscribers: audience.all.size, events: ring.count, dropped: audience.dropped };
    },
    close: () => {
      stopListening();
      stopTimer();
      flush();
      for (const { stream } of audience.all) stream.end();
    },
  };
}

/** The current subscribers. One that falls too far behind is removed and disconnected. */
function createAudience() {
  const all = new Set<Subscriber>();
  let dropped = 0;
  return {
    all,
    get dropped() {
      return dropped;
    },
    tell: (bytes: Uint8Array, isMeant: (subscriber: Subscriber) => boolean = () => true): void => {
      for (const subscriber of all) {
        if (!isMeant(subscriber)) continue;
        const { stream } = subscriber;
        if (stream.backlogBytes + bytes.length <= mostBacklogBytes) {
          stream.write(bytes);
          continue;
        }
        all.delete(subscriber);
        dropped += 1;
        stream.destroy();
      }
    },
  };
}

function repeat({ setTimer }: FeedParts, work: () => void): () => void {
  let stop = setTimer(aliveMs, again);
  function again(): void {
    work();
    stop = setTimer(aliveMs, again);
  }
  return () => stop();
}
