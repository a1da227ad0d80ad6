/**
 * A catalog in two parts: a head that says which tools there are and where each begins, and a body with the tools as they
 * were said. The body is read, and a tool taken apart, only when somebody looks at one, so thousands of fat tools cost no
 * more than their names.
 */

import { hash } from 'node:crypto';

import type { Tool } from '@modelcontextprotocol/client';

/** What a tool may say of itself, in the order it is shown. */
export const toolParts = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

export type ToolPart = (typeof toolParts)[number];

export interface CachedTool {
  readonly name: string;
  /** As `toolDigest` gives it. */
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
  readonly tools: readonly CachedTool[];
}

interface Head {
  readonly holt: 2;
  readonly key: string;
  readonly savedAt: number;
  readonly instructions?: string;
  /** `digest check parts length name`, the first three of a fixed width: one text for each is the fastest to read. */
  readonly tools: readonly string[];
}

export interface CatalogTexts {
  readonly head: string;
  /** The tools as JSON, to be written one after another. */
  readonly body: readonly string[];
  /** Of both. */
  readonly bytes: number;
}

const digestWidth = 64;
const checkWidth = 12;
const checkAt = digestWidth + 1;
const partsAt = checkAt + checkWidth + 1;
const lengthAt = partsAt + 2;

export function encodeCatalog(key: string, { savedAt, instructions, tools }: CachedCatalog): CatalogTexts {
  const body = tools.map(({ tool }) => JSON.stringify(tool));
  const lengths = body.map((text) => Buffer.byteLength(text));
  const parts: Head = {
    holt: 2,
    key,
    savedAt,
    ...(instructions === undefined ? {} : { instructions }),
    tools: tools.map(({ name, digest, tool }, at) => {
      const check = checkOf(body[at] ?? '');
      return `${digest.padEnd(digestWidth)} ${check} ${printParts(tool)} ${lengths[at] ?? 0} ${name}`;
    }),
  };
  const head = JSON.stringify(parts);
  const bytes = lengths.reduce((sum, length) => sum + length, Buffer.byteLength(head));
  return { head, body, bytes };
}

/** Undefined for anything that is not the head of a catalog of that key. */
export function decodeCatalog(
  key: string,
  bytes: Uint8Array,
  loadBody: () => Uint8Array | undefined,
): CachedCatalog | undefined {
  const head = readHead(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'), key);
  if (head === undefined || !head.tools.every(isToolLine)) return undefined;
  const { savedAt, instructions } = head;
  const body = new LazyBody(head.tools, loadBody);
  const tools = head.tools.map((line, at) => new LazyTool(line, at, body));
  return instructions === undefined ? { savedAt, tools } : { savedAt, instructions, tools };
}

/**
 * Whether its columns are where they should be; a wrong length or digest only costs the tool its texts. `every` and `map`,
 * not a loop: before it is optimised, each turn of one costs an object. No pattern for the whole of
 * it either: thousands of matches are felt.
 */
function isToolLine(line: unknown): boolean {
  return (
    typeof line === 'string' &&
    isBlank(line, checkAt - 1) &&
    isBlank(line, partsAt - 1) &&
    isBlank(line, lengthAt - 1) &&
    isDigit(line.charCodeAt(lengthAt)) &&
    line.includes(' ', lengthAt)
  );
}

function isBlank(line: string, at: number): boolean {
  return line.charCodeAt(at) === 0x20;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Where each tool begins is added up when the first is looked at. */
class LazyBody {
  readonly #lines: readonly string[];
  readonly #load: () => Uint8Array | undefined;
  #starts: readonly number[] | undefined;
  #bytes: Uint8Array | undefined;

  constructor(lines: readonly string[], load: () => Uint8Array | undefined) {
    this.#lines = lines;
    this.#load = load;
  }

  at(index: number): Uint8Array {
    this.#bytes ??= this.#load() ?? new Uint8Array();
    this.#starts ??= startsOf(this.#lines);
    return this.#bytes.subarray(this.#starts[index], this.#starts[index + 1]);
  }
}

/** Of each, and the end of the last. */
function startsOf(lines: readonly string[]): readonly number[] {
  let start = 0;
  return [0, ...lines.map((line) => (start += Number.parseInt(line.slice(lengthAt), 10)))];
}

class LazyTool implements CachedTool {
  readonly name: string;
  readonly #line: string;
  readonly #at: number;
  readonly #body: LazyBody;
  #tool: Tool | undefined;

  constructor(line: string, at: number, body: LazyBody) {
    this.name = line.slice(line.indexOf(' ', lengthAt) + 1);
    this.#line = line;
    this.#at = at;
    this.#body = body;
  }

  get digest(): string {
    return this.#line.slice(0, digestWidth).trimEnd();
  }

  get parts(): readonly ToolPart[] {
    return readParts(this.#line.slice(partsAt, partsAt + 1));
  }

  get tool(): Tool {
    return (this.#tool ??= this.#parse());
  }

  #parse(): Tool {
    return parseTool(this.name, this.#body.at(this.#at), this.#line.slice(checkAt, checkAt + checkWidth));
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
  const { holt, key, savedAt, instructions, tools } = value as Partial<Record<keyof Head, unknown>>; // looked at below
  if (holt !== 2 || typeof key !== 'string' || typeof savedAt !== 'number') return false;
  return (instructions === undefined || typeof instructions === 'string') && Array.isArray(tools);
}
