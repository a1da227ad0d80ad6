/**
 * Caches what each server last offered under `~/.holt/cache/catalog`, so that its tools are known at the next
 * start before any server runs. The files can be deleted at any time. Files that are damaged, expired or
 * writable by other users count as missing.
 */

import { sha256 } from '../kernel/hash.ts';
import type { Machine } from '../kernel/machine.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import type { Files } from '../platform/files/files.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import { type FolderSize, pruneFolder } from '../platform/files/prune-folder.ts';
import { readIdentity } from '../platform/machine-facts.ts';
import { writableByOthers } from '../trust/trust-store.ts';
import { type CachedCatalog, decodeCatalog, encodeCatalog } from './cached-catalog.ts';

/** Keys are the definition's `contentKey`, so a changed definition never gets the tools of another one. */
export interface CacheStore {
  load(key: string): CachedCatalog | undefined;
  /**
   * Writes nothing when the stored catalog is the same and recent enough. Never rejects, because the cache is
   * optional.
   */
  save(key: string, catalog: Omit<CachedCatalog, 'savedAt'>): Promise<void>;
}

export interface CacheFileParts {
  readonly files: Files;
  readonly wallNow: () => number;
  readonly maxAgeMs?: number;
  readonly maxFiles?: number;
  /** Limit for all files together, and therefore for each file. */
  readonly maxBytes?: number;
  /** Limit for one server's tools, applied when writing and when reading. Defaults to `maxBytes`. */
  readonly maxListBytes?: () => number;
}

const dayMs = 24 * 3600 * 1000;

export function createCatalogCacheFile(machine: Machine, parts: CacheFileParts): CacheStore {
  const { files, wallNow, maxAgeMs = 30 * dayMs, maxFiles = 1000, maxBytes = 256 << 20 } = parts;
  const listBytes = (): number => Math.min(maxBytes, parts.maxListBytes?.() ?? maxBytes);
  const { os, holtHome, path } = machine;
  const folder = path.join(holtHome, 'cache', 'catalog');
  const placeOf = (id: string, part: 'head' | 'body'): string =>
    path.join(folder, `${id.slice(0, 40)}.${part}`);
  const read = (place: string): Uint8Array | undefined => {
    const found = files.load(place, maxBytes);
    const isOurs = found.kind === 'file' && writableByOthers(found.facts, readIdentity()) === undefined;
    return isOurs ? found.bytes : undefined;
  };

  // Keys are hashed, because the definition behind a key may contain secrets.
  const load = (key: string): CachedCatalog | undefined => {
    const id = sha256(key);
    const head = read(placeOf(id, 'head'));
    if (head === undefined) return undefined;
    const body = { load: () => read(placeOf(id, 'body')), maxBytes: listBytes() };
    const catalog = decodeCatalog(id, head, body);
    const age = wallNow() - (catalog?.savedAt ?? 0);
    // A time in the future comes from a wrong clock.
    return age >= 0 && age < maxAgeMs ? catalog : undefined;
  };

  let size: FolderSize | undefined;
  const write = async (key: string, catalog: CachedCatalog): Promise<void> => {
    const id = sha256(key);
    const { head, body, bytes, bodyBytes } = encodeCatalog(id, catalog);
    if (bytes > maxBytes || bodyBytes > listBytes()) return;
    await makeHoltFolder(holtHome, ['cache', 'catalog'], { os });
    const options = { os, mode: 'private', durable: false } as const;
    // The body goes first, so that a crash in between leaves at worst tools of which only the names are
    // known.
    await writeFileAtomically(placeOf(id, 'body'), body, options);
    await writeFileAtomically(placeOf(id, 'head'), [head], options);
    // Only the first write measures the folder. Later writes add to that total, so that many servers at one
    // start do not each scan the folder.
    if (size !== undefined) size = { files: size.files + 2, bytes: size.bytes + bytes };
    if (size === undefined || size.files > maxFiles || size.bytes > maxBytes)
      size = await pruneFolder(folder, { maxFiles, maxBytes });
  };

  return {
    load,
    save: async (key, catalog) => {
      const known = load(key);
      const savedAt = wallNow();
      // Rewrite an unchanged catalog only after half of its lifetime.
      if (known !== undefined && isSame(known, catalog) && savedAt - known.savedAt < maxAgeMs / 2) return;
      await write(key, { ...catalog, savedAt }).catch(() => undefined);
    },
  };
}

/** Digests omit what is not pinned, such as icons, so the cache may hold outdated values for those. */
function isSame(left: Omit<CachedCatalog, 'savedAt'>, right: Omit<CachedCatalog, 'savedAt'>): boolean {
  return (
    left.instructions === right.instructions &&
    left.pinned === right.pinned &&
    left.tools.length === right.tools.length &&
    left.tools.every(({ name, digest }, at) => {
      const other = right.tools[at];
      return other?.name === name && other.digest === digest;
    })
  );
}
