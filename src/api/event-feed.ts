/**
 * Sends every event of the host to all subscribers, and waits for none of them. A subscriber that falls too
 * far behind is disconnected. When it reconnects it gets the events that it missed, or a snapshot.
 */

import type { HostEventName } from '../kernel/events.ts';
import type { Status } from '../kernel/phases.ts';
import type { HttpStream } from '../platform/listeners/http-server.ts';

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
  sendToAnswerers(event: string, data: unknown): void;
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
    audience.send(bytes);
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
  const stopTimer = repeat(parts, () => audience.send(Buffer.from(': alive\n\n')));

  return {
    subscribe: async (subscriber) => {
      // Send pending events to the others first: the opening message of the new subscriber covers them.
      flush();
      subscriber.stream.write(`: welcome\n\n${opening(subscriber.lastEventId)}`);
      audience.all.add(subscriber);
      await subscriber.stream.closed;
      audience.all.delete(subscriber);
    },
    sendToAnswerers: (event, data) => {
      flush();
      audience.send(Buffer.from(frame(event, data)), ({ mayAnswer }) => mayAnswer);
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
    send: (bytes: Uint8Array, isMeant: (subscriber: Subscriber) => boolean = () => true): void => {
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

const ringSize = 1000;
/** When a server logs much, the ring holds fewer events instead of using more memory. */
const ringCharacters = 16 << 20;
const longestText = 256 << 10;

/** The last thousand events, for clients that reconnect and send the id of the last event they saw. */
export interface EventRing {
  /** The id of the newest event; before the first event, the id that precedes it. */
  readonly newest: number;
  readonly count: number;
  /** Stores the event and returns the message to send. */
  push(name: HostEventName, event: { readonly id: number; readonly at: string }): string;
  /** Returns all messages after this id; undefined when the id is too old or unknown. */
  after(lastEventId: string): string | undefined;
}

/**
 * Ids keep growing across restarts of the service, so an id of an earlier run is older than all ids of this
 * run.
 */
export function createEventRing(startedAtMs: number): EventRing {
  const base = Math.floor(startedAtMs / 1000) * 1_000_000;
  const stored: { readonly id: number; readonly text: string }[] = [];
  let characters = 0;
  let newest = base;
  let count = 0;
  return {
    get newest() {
      return newest;
    },
    get count() {
      return count;
    },
    push: (name, event) => {
      newest = base + event.id;
      count += 1;
      const text = frameOf(name, { ...event, id: newest });
      stored.push({ id: newest, text });
      characters += text.length;
      while (stored.length > ringSize || characters > ringCharacters)
        characters -= stored.shift()?.text.length ?? 0;
      return text;
    },
    after: (lastEventId) => {
      const last = /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : Number.NaN;
      const oldest = stored[0]?.id ?? newest + 1;
      if (!(last >= oldest - 1 && last <= newest)) return undefined;
      const missed = stored.filter(({ id }) => id > last);
      return missed.map(({ text }) => text).join('');
    },
  };
}

/** Omits logged data that is too long. The other fields of an event are always small. */
function frameOf(name: HostEventName, event: { readonly id: number; readonly data?: unknown }): string {
  const text = frame(name, event, event.id);
  if (text.length <= longestText || !('data' in event)) return text;
  return frame(name, { ...event, data: `[left out: ${text.length} characters]` }, event.id);
}

/** One message of an event stream. JSON contains no raw line breaks, so the data is always one line. */
export function frame(event: string, data: unknown, id?: number): string {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return `${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

export const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'X-Accel-Buffering': 'no',
};
