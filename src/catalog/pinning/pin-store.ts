/** The interface to stored pins, a store in memory, and a store that delays writing. */

import {
  isSameRecord,
  noPins,
  type PinChange,
  type PinnedServer,
  type Pins,
  type PinTexts,
  type StoredPins,
} from './pin-records.ts';

export interface PinStore {
  /** Rejects when pins exist but must not be used. */
  load(): Promise<Pins>;
  /** Returns the accepted texts of one server, to show what changed. */
  loadTexts(key: string): Promise<PinTexts | undefined>;
  /**
   * Returns a short string that changes when anything stored for this server changes. It shows without a
   * lookup per tool that thousands of tools still match. Without this method each tool is looked up.
   */
  stampOf?(key: string): Promise<string | undefined>;
  /**
   * Reads, changes and writes one server's pins exclusively. Writes nothing when `edit` returns undefined.
   */
  change(key: string, edit: (found: StoredPins) => PinChange | undefined): Promise<void>;
}

/** The part of a pin store that a review needs. */
export type ReviewStore = Pick<PinStore, 'load' | 'loadTexts' | 'change'>;

/** Stores pins in memory until the process ends. */
export function createPinMemory(): PinStore {
  let pins: Pins = noPins;
  const texts = new Map<string, PinTexts>();
  return {
    load: async () => pins,
    loadTexts: async (key) => texts.get(key),
    change: async (key, edit) => {
      const change = edit({ record: pins.servers.get(key), texts: texts.get(key), lost: pins.lost });
      if (change === undefined) return;
      pins = { ...pins, servers: new Map(pins.servers).set(key, change.record) };
      if (change.texts !== undefined) texts.set(key, change.texts);
    },
  };
}

export interface PendingPinsParts {
  /** Called when there is something to write; the listener must call `flush` sooner or later. */
  readonly onPending: () => void;
  /** Called when another process pinned this server in the meantime, with a different result. */
  readonly onSuperseded: (key: string) => void;
  readonly onFailed: (server: string, reason: string) => void;
}

type Edit = Parameters<PinStore['change']>[1];

interface Pending {
  readonly edits: readonly Edit[];
  /** The stored record that the edits are based on. */
  readonly before: PinnedServer | undefined;
  /** The state that the edits lead to. */
  readonly after: StoredPins & { readonly record: PinnedServer };
}

export class PendingPins implements ReviewStore {
  readonly #store: PinStore;
  readonly #parts: PendingPinsParts;
  readonly #pending = new Map<string, Pending>();
  readonly #waiters = new Set<() => void>();
  #writes = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(store: PinStore, parts: PendingPinsParts) {
    this.#store = store;
    this.#parts = parts;
  }

  load(): Promise<Pins> {
    return this.#readConsistently(async () => {
      const pins = await this.#store.load();
      if (this.#pending.size === 0) return pins;
      const records = [...this.#pending].map(([key, { after }]) => [key, after.record] as const);
      return { ...pins, servers: new Map([...pins.servers, ...records]) };
    });
  }

  loadTexts(key: string): Promise<PinTexts | undefined> {
    return this.#readConsistently(
      async () => this.#pending.get(key)?.after.texts ?? this.#store.loadTexts(key),
    );
  }

  async change(key: string, edit: Edit): Promise<void> {
    const stored = await this.#readConsistently(async () => {
      const { servers, lost } = await this.#store.load();
      return { record: servers.get(key), texts: await this.#store.loadTexts(key), lost };
    });
    const known = this.#pending.get(key);
    const found = known?.after ?? stored;
    const change = edit(found);
    if (change === undefined) return;
    this.#pending.set(key, {
      edits: [...(known?.edits ?? []), edit],
      before: known === undefined ? stored.record : known.before,
      after: { ...found, record: change.record, texts: change.texts ?? found.texts },
    });
    this.#parts.onPending();
  }

  /** Writes all pending pins. Never rejects: failures go to `onFailed`. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(async () => {
      // All in the same tick, so that the file store combines them into one write.
      await Promise.all([...this.#pending].map(([key, pending]) => this.#write(key, pending)));
      if (this.#pending.size > 0) return;
      for (const resolve of this.#waiters) resolve();
      this.#waiters.clear();
    });
    return this.#flushing;
  }

  /** Resolves when no pins wait to be written. Never rejects. */
  async written(): Promise<void> {
    if (this.#pending.size > 0) await new Promise<void>((resolve) => this.#waiters.add(resolve));
  }

  async #write(key: string, { edits, before, after }: Pending): Promise<void> {
    let isSuperseded = false;
    try {
      await this.#store.change(key, (found) => {
        isSuperseded = ![before, after.record].some((ours) => isSameRecord(ours, found.record));
        return applyAll(edits, found);
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.onFailed(after.record.server, reason);
    }
    const now = this.#pending.get(key);
    const more = now?.edits.slice(edits.length) ?? [];
    if (now === undefined || more.length === 0) this.#pending.delete(key);
    else this.#pending.set(key, { ...now, edits: more, before: after.record });
    this.#writes += 1;
    if (isSuperseded) this.#parts.onSuperseded(key);
  }

  /**
   * Reads again if a write finished meanwhile: its pins may be neither in what was read nor among the pending ones.
   */
  async #readConsistently<Read>(read: () => Promise<Read>): Promise<Read> {
    for (;;) {
      const writes = this.#writes;
      const found = await read();
      if (writes === this.#writes) return found;
    }
  }
}

/** Returns undefined if no edit has anything to store. */
function applyAll(edits: readonly Edit[], found: StoredPins): ReturnType<Edit> {
  let record: PinnedServer | undefined;
  let { texts } = found;
  for (const edit of edits) {
    const change = edit({ ...found, record: record ?? found.record, texts });
    record = change?.record ?? record;
    texts = change?.texts ?? texts;
  }
  return record === undefined ? undefined : { record, texts: texts === found.texts ? undefined : texts };
}
