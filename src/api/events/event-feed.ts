/**
 * Everything the host tells, to everybody who listens. Nobody is waited for: who is too far behind is sent away and
 * finds the rest, or a snapshot, when it returns.
 */

import type { HostEventName } from '../../kernel/events.ts';
import type { Status } from '../../kernel/status.ts';
import type { HttpStream } from '../../platform/http-server.ts';
import { createEventRing } from './event-ring.ts';
import { frame } from './sse.ts';

/** Those who wait for the same events share the bytes. */
const mostBacklogBytes = 4 << 20;
const flushCharacters = 64 << 10;
const aliveMs = 15_000;

export type FeedListener = (name: HostEventName, event: { readonly id: number; readonly at: string }) => void;

export interface FeedParts {
  /** Calls for every event of the host; the answer stops it. */
  readonly onEvent: (listener: FeedListener) => () => void;
  readonly status: () => Record<string, Status>;
  readonly wallNow: () => number;
  readonly setTimer: (ms: number, fire: () => void) => () => void;
  /** Calls back after what is going on now. */
  readonly soon: (work: () => void) => void;
}

export interface Subscriber {
  readonly stream: HttpStream;
  readonly lastEventId: string | undefined;
  /** May answer questions, and so gets to see them. */
  readonly mayAnswer: boolean;
}

export interface EventFeed {
  /** Settles when the stream has ended. */
  subscribe(subscriber: Subscriber): Promise<void>;
  /** Says something that is no event of the host, to those who may answer. */
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
      // What waits to be sent is part of what this one is told first.
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

/** Who listens now. Who is too far behind is not among them any more. */
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
