/**
 * Caches facts about servers from their last connection in `~/.holt/cache/eras.json`, so that the next start
 * can skip the requests for them. The cache may be deleted at any time, and a wrong entry only causes a new
 * request. Keys are hashes, because what they stand for may be secret.
 */

import type { DiscoverResult } from '@modelcontextprotocol/client';

import { decodeText } from '../documents/decode.ts';
import { sha256 } from '../kernel/hash.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Machine } from '../kernel/machine.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import type { Files } from '../platform/files/files.ts';
import { withFileLock } from '../platform/files/lock.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import { isDiscover } from './start/protocol.ts';

export type RememberedEra =
  | { readonly era: 'stateless'; readonly discover: DiscoverResult }
  | { readonly era: 'stateful' };

/** Which of the two HTTP transports answered at a URL. */
type RememberedTransport = 'http' | 'sse';

export interface EraMemory {
  /** Undefined if nothing is known or the entry is too old. */
  recall(server: string): RememberedEra | undefined;
  /** Stores what a server has just answered. Do not pass recalled data. */
  remember(server: string, era: RememberedEra): void;
  forget(server: string): void;
  recallTransport(url: string): RememberedTransport | undefined;
  rememberTransport(url: string, transport: RememberedTransport): void;
  /** Waits until everything is written. */
  flush(): Promise<void>;
}

/** Where the entries are stored. Failing to write is harmless. */
export interface EraStore {
  load(): unknown;
  change(edit: (document: unknown) => unknown): Promise<void>;
}

export interface EraParts {
  readonly store: EraStore;
  readonly wallNow: () => number;
  /**
   * Age at which an entry expires. A server that has learned the stateless protocol still answers in the old
   * one, so only a new `server/discover` reveals the change.
   */
  readonly keptMs?: number;
}

interface Entry {
  readonly at: string;
  readonly era?: 'stateless' | 'stateful';
  readonly discover?: JsonObject;
  readonly transport?: RememberedTransport;
}

type Entries = ReadonlyMap<string, Entry>;

const dayMs = 24 * 3600 * 1000;
const weekMs = 7 * dayMs;
const maxEntries = 2000;

export function createEraMemory({ store, wallNow, keptMs = weekMs }: EraParts): EraMemory {
  let known: Entries | undefined;
  let unsaved = new Map<string, Entry | undefined>();
  let saving: Promise<void> = Promise.resolve();
  const isFresh = ({ at }: Entry): boolean => {
    const age = wallNow() - Date.parse(at);
    // An entry with a date in the future was written with a wrong clock.
    return age >= 0 && age < keptMs;
  };
  const look = (key: string): Entry | undefined => {
    known ??= readEntries(store.load());
    const entry = known.get(key);
    return entry !== undefined && isFresh(entry) ? entry : undefined;
  };
  const write = async (): Promise<void> => {
    if (unsaved.size === 0) return;
    const changes = unsaved;
    unsaved = new Map();
    const edit = (document: unknown): unknown => {
      const all = new Map(readEntries(document));
      for (const [key, entry] of changes) {
        if (entry === undefined) all.delete(key);
        else all.set(key, entry);
      }
      const kept = [...all].filter(([, entry]) => isFresh(entry)).slice(-maxEntries);
      return { version: 1, entries: Object.fromEntries(kept) };
    };
    await store.change(edit).catch(() => undefined);
  };
  const change = (key: string, entry: Entry | undefined): void => {
    known = new Map([
      ...(known ?? readEntries(store.load())),
      ...(entry === undefined ? [] : [[key, entry] as const]),
    ]);
    if (entry === undefined) known = new Map([...known].filter(([other]) => other !== key));
    unsaved.set(key, entry);
    // Changes made in the same turn of the event loop share one write.
    saving = saving.then(write);
  };
  const now = (): string => new Date(wallNow()).toISOString();
  return {
    recall: (server) => toEra(look(keyOf('server', server))),
    remember: (server, era) => {
      const key = keyOf('server', server);
      const entry: Entry = { at: now(), ...era };
      if (!isSame(look(key), entry, Math.min(dayMs, keptMs / 2))) change(key, entry);
    },
    forget: (server) => change(keyOf('server', server), undefined),
    recallTransport: (url) => look(keyOf('url', url))?.transport,
    rememberTransport: (url, transport) => {
      if (look(keyOf('url', url))?.transport !== transport)
        change(keyOf('url', url), { at: now(), transport });
    },
    flush: () => saving,
  };
}

function keyOf(kind: 'server' | 'url', text: string): string {
  return `${kind}:${sha256(text).slice(0, 32)}`;
}

function toEra(entry: Entry | undefined): RememberedEra | undefined {
  if (entry?.era === 'stateful') return { era: 'stateful' };
  if (entry?.era === 'stateless' && isDiscover(entry.discover))
    return { era: 'stateless', discover: entry.discover };
  return undefined;
}

/** True if the entry has the same content and is too recent to need a new date. */
function isSame(left: Entry | undefined, right: Entry, youngMs: number): boolean {
  if (left === undefined || Date.parse(right.at) - Date.parse(left.at) > youngMs) return false;
  return JSON.stringify({ ...left, at: '' }) === JSON.stringify({ ...right, at: '' });
}

/** Skips entries that cannot be read. */
function readEntries(document: unknown): Entries {
  const entries = isObject(document) ? document['entries'] : undefined;
  if (!isObject(entries)) return new Map();
  return new Map(Object.entries(entries).flatMap(([key, value]) => readEntry(key, value)));
}

function readEntry(key: string, value: unknown): readonly (readonly [string, Entry])[] {
  if (!isObject(value) || typeof value['at'] !== 'string') return [];
  const { at, era, discover, transport } = value;
  return [
    [
      key,
      {
        at,
        ...(era === 'stateless' || era === 'stateful' ? { era } : {}),
        ...(isObject(discover) ? { discover } : {}),
        ...(transport === 'http' || transport === 'sse' ? { transport } : {}),
      },
    ],
  ];
}

const maxBytes = 16 << 20;
const lockTimeoutMs = 2000;

export function createEraFile(machine: Machine, files: Files): EraStore {
  const { path, holtHome, os } = machine;
  const file = path.join(holtHome, 'cache', 'eras.json');
  const load = (): unknown => {
    const outcome = files.load(file, maxBytes);
    if (outcome.kind !== 'file') return undefined;
    try {
      return JSON.parse(decodeText(outcome.bytes).text);
    } catch {
      return undefined;
    }
  };
  return {
    load,
    change: async (edit) => {
      await makeHoltFolder(holtHome, ['cache'], { os });
      const work = async (): Promise<void> => {
        const bytes = Buffer.from(`${JSON.stringify(edit(load()))}\n`);
        await writeFileAtomically(file, bytes, { os, mode: 'private', durable: false });
      };
      await withFileLock(file, work, { os, holtHome, timeoutMs: lockTimeoutMs });
    },
  };
}
