/**
 * Caches what each server last offered under `~/.holt/cache/catalog`, so that its tools are known at the next
 * start before any server runs. The files can be deleted at any time. Files that are damaged, expired or
 * writable by other users count as missing.
 */

import { hash } from 'node:crypto';

import { sha256 } from '../kernel/hash.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Tool } from '../kernel/protocol-types.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import type { Files } from '../platform/files/files.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import { type FolderSize, pruneFolder } from '../platform/files/prune-folder.ts';
import { readIdentity } from '../platform/machine-facts.ts';
import { writableByOthers } from '../trust/trust-store.ts';
import { unknownDigest } from './pinning/definition.ts';

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
  readonly keptMs?: number;
  readonly maxFiles?: number;
  /** Limit for all files together, and therefore for each file. */
  readonly maxBytes?: number;
  /** Limit for one server's tools, applied when writing and when reading. Defaults to `maxBytes`. */
  readonly maxListBytes?: () => number;
}

const dayMs = 24 * 3600 * 1000;

export function createCatalogCacheFile(machine: Machine, parts: CacheFileParts): CacheStore {
  const { files, wallNow, keptMs = 30 * dayMs, maxFiles = 1000, maxBytes = 256 << 20 } = parts;
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
    return age >= 0 && age < keptMs ? catalog : undefined;
  };

  let kept: FolderSize | undefined;
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
    if (kept !== undefined) kept = { files: kept.files + 2, bytes: kept.bytes + bytes };
    if (kept === undefined || kept.files > maxFiles || kept.bytes > maxBytes)
      kept = await pruneFolder(folder, { maxFiles, maxBytes });
  };

  return {
    load,
    save: async (key, catalog) => {
      const known = load(key);
      const savedAt = wallNow();
      // Rewrite an unchanged catalog only after half of its lifetime.
      if (known !== undefined && isSame(known, catalog) && savedAt - known.savedAt < keptMs / 2) return;
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

/** The parts of a tool's definition, in display order. */
export const toolParts = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

export type ToolPart = (typeof toolParts)[number];

export interface CachedTool {
  readonly name: string;
  /** Hash of the tool's definition. */
  readonly digest: string;
  /** The parts that the tool has, known without parsing it. When undefined, look at `tool` itself. */
  readonly parts?: readonly ToolPart[];
  /**
   * Parsed on first access. If the stored definition is damaged or missing by then, the tool has its name and
   * an empty input schema.
   */
  readonly tool: Tool;
}

export interface CachedCatalog {
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  readonly instructions?: string;
  /** Stamp of the pins that all these tools matched, if it was recorded. */
  readonly pinned?: string;
  readonly tools: readonly CachedTool[];
}

/** The first line of the head, with everything needed to list the tools. The index follows it. */
interface Head {
  readonly holt: 3;
  readonly key: string;
  readonly savedAt: number;
  readonly instructions?: string;
  readonly pinned?: string;
  readonly names: readonly string[];
  /** One character for each tool, from `printParts`. */
  readonly parts: string;
  readonly indexBytes: number;
  readonly indexCheck: string;
  readonly bodyBytes: number;
}

export interface CatalogTexts {
  readonly head: string;
  /** One JSON string for each tool; the file contains them one after another. */
  readonly body: readonly string[];
  /** Size of head and body together. */
  readonly bytes: number;
  readonly bodyBytes: number;
}

const digestWidth = 64;
const checkWidth = 12;
const checkAt = digestWidth + 1;
const lengthAt = checkAt + checkWidth + 1;
const newline = 0x0a;

export function encodeCatalog(key: string, catalog: CachedCatalog): CatalogTexts {
  const { savedAt, instructions, pinned, tools } = catalog;
  const body = tools.map(({ tool }) => JSON.stringify(tool));
  const lengths = body.map((text) => Buffer.byteLength(text));
  // Each line is `digest check length`; the first two have a fixed width.
  const index = tools
    .map(({ digest }, at) => `${digest.padEnd(digestWidth)} ${checkOf(body[at] ?? '')} ${lengths[at] ?? 0}`)
    .join('\n');
  const bodyBytes = lengths.reduce((sum, length) => sum + length, 0);
  const first: Head = {
    holt: 3,
    key,
    savedAt,
    ...(instructions === undefined ? {} : { instructions }),
    ...(pinned === undefined ? {} : { pinned }),
    names: tools.map(({ name }) => name),
    parts: tools.map(({ tool }) => printParts(tool)).join(''),
    indexBytes: Buffer.byteLength(index),
    indexCheck: checkOf(index),
    bodyBytes,
  };
  const head = `${JSON.stringify(first)}\n${index}`;
  return { head, body, bytes: bodyBytes + Buffer.byteLength(head), bodyBytes };
}

export interface StoredBody {
  readonly load: () => Uint8Array | undefined;
  readonly maxBytes: number;
}

/** Returns undefined unless `bytes` is the head of that key's catalog and its body is within `maxBytes`. */
export function decodeCatalog(
  key: string,
  bytes: Uint8Array,
  { load: loadBody, maxBytes }: StoredBody,
): CachedCatalog | undefined {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = whole.indexOf(newline);
  const head = end === -1 ? undefined : readHead(whole.toString('utf8', 0, end), key);
  const index = whole.subarray(end + 1);
  if (head?.indexBytes !== index.length || head.bodyBytes > maxBytes) return undefined;
  const { savedAt, instructions, pinned, names, parts } = head;
  const texts = new LazyTexts({ parts, index, check: head.indexCheck, loadBody });
  return {
    savedAt,
    ...(instructions === undefined ? {} : { instructions }),
    ...(pinned === undefined ? {} : { pinned }),
    // `map` instead of `for…of`, which allocates an object per iteration until it is optimised.
    tools: names.map((name, at) => new LazyTool(name, at, texts)),
  };
}

interface TextParts {
  readonly parts: string;
  readonly index: Buffer;
  readonly check: string;
  readonly loadBody: () => Uint8Array | undefined;
}

/** The index and the body, parsed when a tool is first looked at. */
class LazyTexts {
  readonly #parts: TextParts;
  #lines: readonly string[] | undefined;
  #starts: readonly number[] | undefined;
  #body: Uint8Array | undefined;

  constructor(parts: TextParts) {
    this.#parts = parts;
  }

  parts(at: number): readonly ToolPart[] {
    return readParts(this.#parts.parts[at] ?? '');
  }

  digest(at: number): string {
    return this.#index()[at]?.slice(0, digestWidth).trimEnd() ?? unknownDigest;
  }

  tool(at: number, name: string): Tool {
    const lines = this.#index();
    this.#body ??= this.#parts.loadBody() ?? new Uint8Array();
    this.#starts ??= startsOf(lines);
    const body = this.#body.subarray(this.#starts[at], this.#starts[at + 1]);
    return parseTool(name, body, (lines[at] ?? '').slice(checkAt, checkAt + checkWidth));
  }

  /** Empty when the index is damaged, because then none of it can be trusted. */
  #index(): readonly string[] {
    const { index, check } = this.#parts;
    this.#lines ??= checkOf(index) === check ? index.toString('latin1').split('\n') : [];
    return this.#lines;
  }
}

/** Returns the offset of each tool in the body, followed by the end of the last one. */
function startsOf(lines: readonly string[]): readonly number[] {
  let start = 0;
  return [0, ...lines.map((line) => (start += Number.parseInt(line.slice(lengthAt), 10)))];
}

class LazyTool implements CachedTool {
  readonly name: string;
  readonly #at: number;
  readonly #texts: LazyTexts;
  #tool: Tool | undefined;

  constructor(name: string, at: number, texts: LazyTexts) {
    this.name = name;
    this.#at = at;
    this.#texts = texts;
  }

  get digest(): string {
    return this.#texts.digest(this.#at);
  }

  get parts(): readonly ToolPart[] {
    return this.#texts.parts(this.#at);
  }

  get tool(): Tool {
    return (this.#tool ??= this.#texts.tool(this.#at, this.name));
  }
}

/**
 * Maps one character to each combination of parts. There are few combinations, so thousands of tools share
 * these arrays.
 */
const choices: ReadonlyMap<string, readonly ToolPart[]> = new Map(
  Array.from({ length: 1 << toolParts.length }, (_, bits) => [
    bits.toString(1 << toolParts.length),
    toolParts.filter((_part, at) => (bits & (1 << at)) !== 0),
  ]),
);

function printParts(tool: Tool): string {
  // A tool always has an input schema to ask for, even when the server omitted it.
  const has = (part: ToolPart): boolean => part === 'inputSchema' || tool[part] !== undefined;
  const bits = toolParts.map((part, at) => (has(part) ? 1 << at : 0));
  return bits.reduce((sum, bit) => sum | bit, 0).toString(1 << toolParts.length);
}

function readParts(sign: string): readonly ToolPart[] {
  return choices.get(sign) ?? toolParts;
}

function parseTool(name: string, body: Uint8Array, check: string): Tool {
  if (checkOf(body) !== check) return { name, inputSchema: { type: 'object', properties: {} } };
  return JSON.parse(Buffer.from(body).toString('utf8')) as Tool; // the checksum matches what we wrote
}

/**
 * Detects damage and a body from another write. It does not detect tampering: an attacker who can write here
 * can write any of our files.
 */
function checkOf(body: string | Uint8Array): string {
  return hash('sha256', body, 'base64').slice(0, checkWidth);
}

function readHead(text: string, key: string): Head | undefined {
  try {
    const head: unknown = JSON.parse(text);
    return isHead(head) && head.key === key ? head : undefined;
  } catch {
    return undefined;
  }
}

function isHead(value: unknown): value is Head {
  if (typeof value !== 'object' || value === null) return false;
  const found = value as Partial<Record<keyof Head, unknown>>; // validated below
  const { instructions, pinned, names, parts } = found;
  return (
    found.holt === 3 &&
    typeof found.key === 'string' &&
    typeof found.savedAt === 'number' &&
    typeof found.bodyBytes === 'number' &&
    isTextOrNone(instructions) &&
    isTextOrNone(pinned) &&
    typeof parts === 'string' &&
    Array.isArray(names) &&
    names.length === parts.length &&
    names.every((name) => typeof name === 'string')
  );
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
