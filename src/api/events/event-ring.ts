/** The last thousand events, for those who come back and say which was the last they saw. */

import type { HostEventName } from '../../kernel/events.ts';
import { frame } from './sse.ts';

const ringSize = 1000;
/** A server that logs much makes the ring shorter, not the memory larger. */
const ringCharacters = 16 << 20;
const longestText = 256 << 10;

export interface EventRing {
  /** The id of the newest event; of none yet, the one before the first. */
  readonly newest: number;
  readonly count: number;
  /** Keeps it and gives the message that tells of it. */
  push(name: HostEventName, event: { readonly id: number; readonly at: string }): string;
  /** Everything after this id; undefined when it is too old, or was never ours. */
  after(lastEventId: string): string | undefined;
}

/** Ids go on growing when the service is started again: one of an earlier run is older than all of this run. */
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

/** What a server logs may be of any size; the rest of an event is not. */
function frameOf(name: HostEventName, event: { readonly id: number; readonly data?: unknown }): string {
  const text = frame(name, event, event.id);
  if (text.length <= longestText || !('data' in event)) return text;
  return frame(name, { ...event, data: `[left out: ${text.length} characters]` }, event.id);
}
