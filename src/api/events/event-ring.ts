/** The last thousand events, for clients that reconnect and send the id of the last event they saw. */

import type { HostEventName } from '../../kernel/events.ts';
import { frame } from './sse.ts';

const ringSize = 1000;
/** When a server logs much, the ring holds fewer events instead of using more memory. */
const ringCharacters = 16 << 20;
const longestText = 256 << 10;

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
  const kept: { readonly id: number; readonly text: string }[] = [];
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
      kept.push({ id: newest, text });
      characters += text.length;
      while (kept.length > ringSize || characters > ringCharacters)
        characters -= kept.shift()?.text.length ?? 0;
      return text;
    },
    after: (lastEventId) => {
      const last = /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : Number.NaN;
      const oldest = kept[0]?.id ?? newest + 1;
      if (!(last >= oldest - 1 && last <= newest)) return undefined;
      const missed = kept.filter(({ id }) => id > last);
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
