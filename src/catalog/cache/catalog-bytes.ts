/**
 * A catalog in two parts: a head that says which tools there are, then where each begins, and a body with the tools as they
 * were said. Only the names are taken apart before somebody looks at a tool, so thousands of fat ones cost no more.
 */

import { hash } from 'node:crypto';

import type { Tool } from '../../kernel/protocol-types.ts';
import { unknownDigest } from '../pinning/definition.ts';

/** What a tool may say of itself, in the order it is shown. */
export const toolParts = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

export type ToolPart = (typeof toolParts)[number];

export interface CachedTool {
  readonly name: string;
  /** A hash of what the tool says of itself. */
  readonly digest: string;
  /** Which of them it has, known without a look at the tool. Where it is left out, only the tool can tell. */
  readonly parts?: readonly ToolPart[];
  /** Parsed when it is first asked for. Where it is damaged or gone by then, only the name is left. */
  readonly tool: Tool;
}

export interface CachedCatalog {
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  readonly instructions?: string;
  /** The stamp of the pins that all these tools were in accord with, where that was worth a note. */
  readonly pinned?: string;
  readonly tools: readonly CachedTool[];
}

/** The first line of the head: all that is needed to list the tools. What follows it is the index. */
interface Head {
  readonly holt: 3;
  readonly key: string;
  readonly savedAt: number;
  readonly instructions?: string;
  readonly pinned?: string;
  readonly names: readonly string[];
  /** A sign for each tool. */
  readonly parts: string;
  readonly indexBytes: number;
  readonly indexCheck: string;
  readonly bodyBytes: number;
}

export interface CatalogTexts {
  readonly head: string;
  /** The tools as JSON, to be written one after another. */
  readonly body: readonly string[];
  /** Of both. */
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
  // `digest check length`, the first two of a fixed width.
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

/** Undefined for anything that is not the head of a catalog of that key, with tools that may be loaded. */
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
    // `map`, not a loop: before it is optimised, each turn of one costs an object.
    tools: names.map((name, at) => new LazyTool(name, at, texts)),
  };
}

interface TextParts {
  readonly parts: string;
  readonly index: Buffer;
  readonly check: string;
  readonly loadBody: () => Uint8Array | undefined;
}

/** What is known of all tools beside their names, taken apart when the first is looked at. */
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

  /** Empty when it is damaged: then nothing of it is true. */
  #index(): readonly string[] {
    const { index, check } = this.#parts;
    this.#lines ??= checkOf(index) === check ? index.toString('latin1').split('\n') : [];
    return this.#lines;
  }
}

/** Of each, and the end of the last. */
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

/** One sign for each choice of parts: there are only so many, and thousands of tools share them. */
const choices: ReadonlyMap<string, readonly ToolPart[]> = new Map(
  Array.from({ length: 1 << toolParts.length }, (_, bits) => [
    bits.toString(1 << toolParts.length),
    toolParts.filter((_part, at) => (bits & (1 << at)) !== 0),
  ]),
);

function printParts(tool: Tool): string {
  // Whatever the server left out, there is an input schema to ask for.
  const has = (part: ToolPart): boolean => part === 'inputSchema' || tool[part] !== undefined;
  const bits = toolParts.map((part, at) => (has(part) ? 1 << at : 0));
  return bits.reduce((sum, bit) => sum | bit, 0).toString(1 << toolParts.length);
}

function readParts(sign: string): readonly ToolPart[] {
  return choices.get(sign) ?? toolParts;
}

function parseTool(name: string, body: Uint8Array, check: string): Tool {
  if (checkOf(body) !== check) return { name, inputSchema: { type: 'object', properties: {} } };
  return JSON.parse(Buffer.from(body).toString('utf8')) as Tool; // just as it was written: the check says so
}

/** Against damage and a body of another time, not against malice: who can write here can write anything of ours. */
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
  const found = value as Partial<Record<keyof Head, unknown>>; // looked at below
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
