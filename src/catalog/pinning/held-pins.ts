/**
 * Holds pins until they are written, so that all servers of one start cause one write. Within this process
 * they apply immediately. They are judged again when they are written, because another process may have
 * written first.
 */

import { isSameRecord, type PinnedServer, type Pins, type PinTexts } from './pin-records.ts';
import type { PinStore } from './pin-store.ts';
import type { ReviewStore } from './review.ts';
import type { Found } from './standing.ts';

export interface HeldPinsParts {
  /** Called when there is something to write; the listener must call `flush` sooner or later. */
  readonly onWaiting: () => void;
  /** Called when another process pinned this server in the meantime, with a different result. */
  readonly onOvertaken: (key: string) => void;
  readonly onFailed: (server: string, reason: string) => void;
}

type Edit = Parameters<PinStore['change']>[1];

interface Held {
  readonly edits: readonly Edit[];
  /** The stored record that the edits are based on. */
  readonly before: PinnedServer | undefined;
  /** The state that the edits lead to. */
  readonly after: Found & { readonly record: PinnedServer };
}

export class HeldPins implements ReviewStore {
  readonly #store: PinStore;
  readonly #parts: HeldPinsParts;
  readonly #held = new Map<string, Held>();
  readonly #waiters = new Set<() => void>();
  #writes = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(store: PinStore, parts: HeldPinsParts) {
    this.#store = store;
    this.#parts = parts;
  }

  load(): Promise<Pins> {
    return this.#steady(async () => {
      const pins = await this.#store.load();
      if (this.#held.size === 0) return pins;
      const records = [...this.#held].map(([key, { after }]) => [key, after.record] as const);
      return { ...pins, servers: new Map([...pins.servers, ...records]) };
    });
  }

  loadTexts(key: string): Promise<PinTexts | undefined> {
    return this.#steady(async () => this.#held.get(key)?.after.texts ?? this.#store.loadTexts(key));
  }

  async change(key: string, edit: Edit): Promise<void> {
    const stored = await this.#steady(async () => {
      const { servers, lost } = await this.#store.load();
      return { record: servers.get(key), texts: await this.#store.loadTexts(key), lost };
    });
    const known = this.#held.get(key);
    const found = known?.after ?? stored;
    const kept = edit(found);
    if (kept === undefined) return;
    this.#held.set(key, {
      edits: [...(known?.edits ?? []), edit],
      before: known === undefined ? stored.record : known.before,
      after: { ...found, record: kept.record, texts: kept.texts ?? found.texts },
    });
    this.#parts.onWaiting();
  }

  /** Writes all held pins. Never rejects: failures go to `onFailed`. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(async () => {
      // All in the same tick, so that the file store combines them into one write.
      await Promise.all([...this.#held].map(([key, held]) => this.#write(key, held)));
      if (this.#held.size > 0) return;
      for (const tell of this.#waiters) tell();
      this.#waiters.clear();
    });
    return this.#flushing;
  }

  /** Resolves when no pins wait to be written. Never rejects. */
  async written(): Promise<void> {
    if (this.#held.size > 0) await new Promise<void>((resolve) => this.#waiters.add(resolve));
  }

  async #write(key: string, { edits, before, after }: Held): Promise<void> {
    let isOvertaken = false;
    try {
      await this.#store.change(key, (found) => {
        isOvertaken = ![before, after.record].some((ours) => isSameRecord(ours, found.record));
        return applyAll(edits, found);
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.onFailed(after.record.server, reason);
    }
    const now = this.#held.get(key);
    const more = now?.edits.slice(edits.length) ?? [];
    if (now === undefined || more.length === 0) this.#held.delete(key);
    else this.#held.set(key, { ...now, edits: more, before: after.record });
    this.#writes += 1;
    if (isOvertaken) this.#parts.onOvertaken(key);
  }

  /**
   * Reads again if a write finished meanwhile: its pins may be neither in what was read nor among those held.
   */
  async #steady<Read>(read: () => Promise<Read>): Promise<Read> {
    for (;;) {
      const writes = this.#writes;
      const found = await read();
      if (writes === this.#writes) return found;
    }
  }
}

/** Returns undefined if no edit has anything to store. */
function applyAll(edits: readonly Edit[], found: Found): ReturnType<Edit> {
  let record: PinnedServer | undefined;
  let { texts } = found;
  for (const edit of edits) {
    const kept = edit({ ...found, record: record ?? found.record, texts });
    record = kept?.record ?? record;
    texts = kept?.texts ?? texts;
  }
  return record === undefined ? undefined : { record, texts: texts === found.texts ? undefined : texts };
}
