/**
 * A server's catalog as the cache stores it: a head, which lists the tools, and a body with one line of JSON
 * for each tool, which is parsed when that tool is first read.
 */

import { sha256 } from '../kernel/hash.ts';
import { isObject } from '../kernel/json.ts';
import type { Tool } from '../kernel/protocol-types.ts';
import { unknownDigest } from './pinning/definition.ts';

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

/**
 * Lists the tools in columns, because thousands of small objects take longer to parse. What each start needs
 * is an array; the other columns are joined by spaces and split on first use. Only names are checked when a
 * head is read: a wrong value in another column costs its tool the definition, as damage in the body does.
 */
interface Head extends Omit<CachedCatalog, 'tools'> {
  readonly holt: 4;
  readonly key: string;
  readonly names: readonly string[];
  /** The bits of each tool's `toolParts`. */
  readonly parts: readonly unknown[];
  readonly digests: string;
  /** The offsets in the body at which the lines end. */
  readonly ends: string;
  /** Hashes of the lines. */
  readonly checks: string;
  readonly bodyBytes: number;
}

export interface EncodedCatalog {
  readonly head: string;
  /** The lines of the body. */
  readonly body: readonly string[];
  /** Size of head and body together. */
  readonly bytes: number;
  readonly bodyBytes: number;
}

export function encodeCatalog(key: string, { tools, ...catalog }: CachedCatalog): EncodedCatalog {
  const body = tools.map(({ tool }) => `${JSON.stringify(tool)}\n`);
  let bodyBytes = 0;
  const ends = body.map((line) => (bodyBytes += Buffer.byteLength(line)));
  const head = JSON.stringify({
    holt: 4,
    key,
    ...catalog,
    names: tools.map(({ name }) => name),
    parts: tools.map(({ tool }) => partBits(tool)),
    digests: tools.map(({ digest }) => digest).join(' '),
    ends: ends.join(' '),
    checks: body.map(checkOf).join(' '),
    bodyBytes,
  } satisfies Head);
  return { head, body, bytes: bodyBytes + Buffer.byteLength(head), bodyBytes };
}

/**
 * The hashes detect damage and a body from another write. They do not detect tampering: an attacker who can
 * write here can write any of our files.
 */
function checkOf(line: string | Uint8Array): string {
  return sha256(line).slice(0, 16);
}

/** Returns undefined unless `bytes` is the head of that key's catalog and its body is small enough. */
export function decodeCatalog(
  key: string,
  bytes: Uint8Array,
  body: { readonly load: () => Uint8Array | undefined; readonly maxBytes: number },
): CachedCatalog | undefined {
  const head = readHead(bytes);
  if (head?.key !== key || head.bodyBytes > body.maxBytes) return undefined;
  const { savedAt, instructions, pinned, names } = head;
  const columns = new Columns(head, body.load);
  return {
    savedAt,
    ...(instructions === undefined ? {} : { instructions }),
    ...(pinned === undefined ? {} : { pinned }),
    tools: names.map((name, at) => new StoredTool(name, at, columns)),
  };
}

function readHead(bytes: Uint8Array): Head | undefined {
  try {
    const head: unknown = JSON.parse(textOf(bytes));
    return isHead(head) ? head : undefined;
  } catch {
    return undefined;
  }
}

function isHead(value: unknown): value is Head {
  if (!isObject(value) || value['holt'] !== 4) return false;
  const { savedAt, instructions = '', pinned = '', names, parts, digests, ends, checks, bodyBytes } = value;
  return (
    [savedAt, bodyBytes].every((number) => typeof number === 'number') &&
    [instructions, pinned, digests, ends, checks].every((text) => typeof text === 'string') &&
    Array.isArray(names) &&
    names.every((name) => typeof name === 'string') &&
    Array.isArray(parts) &&
    parts.length === names.length
  );
}

/** What is known of the tools, by their position. Everything but `parts` is read on first use. */
class Columns {
  readonly parts: readonly unknown[];
  readonly #head: Head;
  readonly #load: () => Uint8Array | undefined;
  #digests: readonly string[] | undefined;
  #lines: { readonly ends: readonly string[]; readonly checks: readonly string[] } | undefined;
  #body: Uint8Array | undefined;

  constructor(head: Head, load: () => Uint8Array | undefined) {
    this.parts = head.parts;
    this.#head = head;
    this.#load = load;
  }

  digest(at: number): string {
    return (this.#digests ??= this.#head.digests.split(' '))[at] ?? unknownDigest;
  }

  tool(at: number, name: string): Tool {
    const { ends, checks } = (this.#lines ??= splitLines(this.#head));
    this.#body ??= this.#load() ?? new Uint8Array();
    const line = this.#body.subarray(Number(ends[at - 1] ?? 0), Number(ends[at]));
    if (checkOf(line) === checks[at]) return JSON.parse(textOf(line)) as Tool; // as it was written
    return { name, inputSchema: { type: 'object', properties: {} } };
  }
}

function splitLines({ ends, checks }: Head): {
  readonly ends: readonly string[];
  readonly checks: readonly string[];
} {
  return { ends: ends.split(' '), checks: checks.split(' ') };
}

class StoredTool implements CachedTool {
  readonly name: string;
  readonly #at: number;
  readonly #columns: Columns;
  #tool: Tool | undefined;

  constructor(name: string, at: number, columns: Columns) {
    this.name = name;
    this.#at = at;
    this.#columns = columns;
  }

  get digest(): string {
    return this.#columns.digest(this.#at);
  }

  get parts(): readonly ToolPart[] {
    return partSets[Number(this.#columns.parts[this.#at])] ?? toolParts;
  }

  get tool(): Tool {
    return (this.#tool ??= this.#columns.tool(this.#at, this.name));
  }
}

/** By their bits. There are few combinations, so thousands of tools share these arrays. */
const partSets: readonly (readonly ToolPart[])[] = Array.from({ length: 1 << toolParts.length }, (_, bits) =>
  toolParts.filter((_part, at) => (bits & (1 << at)) !== 0),
);

function partBits(tool: Tool): number {
  let bits = 0;
  for (const [at, part] of toolParts.entries()) {
    // A tool always has an input schema to ask for, even when the server omitted it.
    if (part === 'inputSchema' || tool[part] !== undefined) bits |= 1 << at;
  }
  return bits;
}

/** Decodes without copying the bytes. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('utf8');
}
