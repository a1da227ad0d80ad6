/** Where pins are kept. */

import type { Kept } from './keep.ts';
import { noPins, type Pins, type PinTexts } from './pin-records.ts';
import type { Found } from './standing.ts';

export interface PinStore {
  /** Rejects when they are there and must not be used. */
  load(): Promise<Pins>;
  /** The texts that were accepted for one server, to show what changed. */
  loadTexts(key: string): Promise<PinTexts | undefined>;
  /**
   * Something short that stays the same only while nothing that is kept for this server changes: by it thousands of tools
   * that were in accord before are known to be so still. Without it each is looked up.
   */
  stampOf?(key: string): Promise<string | undefined>;
  /** Reads, changes and writes one server's pins while nobody else does. Undefined changes nothing. */
  change(key: string, edit: (found: Found) => Kept | undefined): Promise<void>;
}

/** Forgets everything with the process. */
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
