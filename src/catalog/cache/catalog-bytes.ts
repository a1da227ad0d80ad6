/**
 * A catalog in two parts: a head that says which tools there are and where each begins, and a body with the tools as they
 * were said. The body is read, and a tool taken apart, only when somebody looks at one, so thousands of fat tools cost no
 * more than their names.
 */

import { createHash } from 'node:crypto';

import type { Tool } from '@modelcontextprotocol/client';

export interface CachedTool {
  readonly name: string;
  /** As `toolDigest` gives it. */
  readonly digest: string;
  /** Parsed when it is first asked for. Where it is damaged or gone by then, only the name is left. */
  readonly tool: Tool;
}

export interface CachedCatalog {
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  readonly instructions?: string;
  readonly tools: readonly CachedTool[];
}

/** In columns: thousands of small arrays would take longer to read. */
interface Head {
  readonly holt: 1;
  readonly key: string;
  readonly savedAt: number;
  readonly instructions?: string;
  readonly names: readonly string[];
  readonly digests: readonly string[];
  readonly lengths: readonly number[];
  readonly checks: readonly string[];
}

export interface CatalogBytes {
  readonly head: Uint8Array;
  readonly body: Uint8Array;
}

export function encodeCatalog(key: string, { savedAt, instructions, tools }: CachedCatalog): CatalogBytes {
  const bodies = tools.map(({ tool }) => Buffer.from(JSON.stringify(tool)));
  const head: Head = {
    holt: 1,
    key,
    savedAt,
    ...(instructions === undefined ? {} : { instructions }),
    names: tools.map(({ name }) => name),
    digests: tools.map(({ digest }) => digest),
    lengths: bodies.map(({ length }) => length),
    checks: bodies.map(checkOf),
  };
  return { head: Buffer.from(JSON.stringify(head)), body: Buffer.concat(bodies) };
}

/** Undefined for anything that is not the head of a catalog of that key. */
export function decodeCatalog(
  key: string,
  bytes: Uint8Array,
  loadBody: () => Uint8Array | undefined,
): CachedCatalog | undefined {
  const head = readHead(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'), key);
  if (head === undefined) return undefined;
  const { savedAt, instructions, names, digests, lengths, checks } = head;
  const body = new LazyBody(loadBody);
  let end = 0;
  const tools = names.map((name, at) => {
    const start = end;
    end += lengths[at] ?? 0;
    return new LazyTool(name, digests[at] ?? '', { body, start, end, check: checks[at] ?? '' });
  });
  return instructions === undefined ? { savedAt, tools } : { savedAt, instructions, tools };
}

class LazyBody {
  readonly #load: () => Uint8Array | undefined;
  #bytes: Uint8Array | undefined;

  constructor(load: () => Uint8Array | undefined) {
    this.#load = load;
  }

  slice(start: number, end: number): Uint8Array {
    this.#bytes ??= this.#load() ?? new Uint8Array();
    return this.#bytes.subarray(start, end);
  }
}

interface Place {
  readonly body: LazyBody;
  readonly start: number;
  readonly end: number;
  readonly check: string;
}

class LazyTool implements CachedTool {
  readonly name: string;
  readonly digest: string;
  readonly #place: Place;
  #tool: Tool | undefined;

  constructor(name: string, digest: string, place: Place) {
    this.name = name;
    this.digest = digest;
    this.#place = place;
  }

  get tool(): Tool {
    const { body, start, end, check } = this.#place;
    this.#tool ??= parseTool(this.name, body.slice(start, end), check);
    return this.#tool;
  }
}

function parseTool(name: string, body: Uint8Array, check: string): Tool {
  if (checkOf(body) !== check) return { name, inputSchema: { type: 'object', properties: {} } };
  return JSON.parse(Buffer.from(body).toString('utf8')) as Tool; // just as it was written: the check says so
}

/** Against damage and a body of another time, not against malice: who can write here can write anything of ours. */
function checkOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64').slice(0, 12);
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
  const head = value as Partial<Record<keyof Head, unknown>>; // looked at below
  const { holt, key, savedAt, instructions, names, lengths } = head;
  if (holt !== 1 || typeof key !== 'string' || typeof savedAt !== 'number') return false;
  if (instructions !== undefined && typeof instructions !== 'string') return false;
  if (!isTexts(names) || !isTexts(head.digests) || !isTexts(head.checks) || !isLengths(lengths)) return false;
  const count = names.length;
  return [lengths, head.digests, head.checks].every((column) => column.length === count);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isLengths(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((length) => Number.isSafeInteger(length) && length >= 0);
}
