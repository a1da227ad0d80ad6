/** The interface to stored pins, and a store in memory. */

import type { Kept } from './keep.ts';
import { noPins, type Pins, type PinTexts } from './pin-records.ts';
import type { Found } from './standing.ts';

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
  change(key: string, edit: (found: Found) => Kept | undefined): Promise<void>;
}

/** Stores pins in memory until the process ends. */
export function createPinMemory(): PinStore {
  let pins: Pins = noPins;
  const texts = new Map<string, PinTexts>();
  return {
    load: async () => pins,
    loadTexts: async (key) => texts.get(key),
    change: async (key, edit) => {
      const kept = edit({ record: pins.servers.get(key), texts: texts.get(key), lost: pins.lost });
      if (kept === undefined) return;
      pins = { ...pins, servers: new Map(pins.servers).set(key, kept.record) };
      if (kept.texts !== undefined) texts.set(key, kept.texts);
    },
  };
}
