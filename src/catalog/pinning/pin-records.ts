/**
 * What is stored of every server's tools: hashes and dates. Texts are stored separately, because they are
 * needed only to show a change.
 */

import { hash } from 'node:crypto';
import { isObject } from '../../kernel/json.ts';

export interface Pin {
  readonly digest: string;
  /** A day such as 2026-07-28, like `seen`. */
  readonly first: string;
  readonly seen: string;
}

export interface PinnedServer {
  /** The host's last name for the server. For display only. */
  readonly server: string;
  readonly tools: ReadonlyMap<string, Pin>;
  readonly instructions?: Pin | undefined;
  /** The lines of the tools in file order, when the record was read from a file. */
  readonly lines?: readonly string[] | undefined;
}

export interface Pins {
  readonly servers: ReadonlyMap<string, PinnedServer>;
  /**
   * The day on which accepted pins were lost. From then on, a server without a record does not count as new.
   */
  readonly lost?: string | undefined;
}

/** The accepted texts; tools as canonical JSON. */
export interface PinTexts {
  readonly tools: ReadonlyMap<string, string>;
  readonly instructions?: string | undefined;
  /**
   * The hashes of texts from which a secret was removed, before the removal: by tool, and under '' for the
   * instructions.
   */
  readonly digests?: ReadonlyMap<string, string> | undefined;
}

/** What is stored of one server when its pins are changed. */
export interface StoredPins {
  readonly record: PinnedServer | undefined;
  readonly texts: PinTexts | undefined;
  readonly lost: string | undefined;
}

/** What to store of one server. */
export interface PinChange {
  readonly record: PinnedServer;
  /** Undefined when the stored texts do not change. */
  readonly texts: PinTexts | undefined;
}

/** Ignores dates and display names, because they do not change a verdict. */
export function isSameRecord(left: PinnedServer | undefined, right: PinnedServer | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined) return false;
  if (left.instructions?.digest !== right.instructions?.digest) return false;
  if (left.tools.size !== right.tools.size) return false;
  return [...left.tools].every(([name, { digest }]) => right.tools.get(name)?.digest === digest);
}

export const noPins: Pins = { servers: new Map() };

/**
 * One line per tool: `hash first-day last-day name`. Every start reads thousands of them, and lines are the
 * fastest to read.
 */
export function printPins({ servers, lost }: Pins): string {
  const entries = [...servers].map(([key, { server, tools, instructions }]) => [
    key,
    {
      server,
      instructions: instructions === undefined ? undefined : printPin('', instructions),
      tools: [...tools].map(([name, pin]) => printPin(name, pin)),
    },
  ]);
  return `${JSON.stringify({ version: 1, lost, servers: Object.fromEntries(entries) }, undefined, 1)}\n`;
}

/**
 * Returns a hash of one server's part of the file, or undefined when the file is not laid out as `printPins`
 * does it. Parses nothing: JSON strings contain no line breaks, so both search strings occur only where the
 * part begins and ends.
 */
export function stampOfPart(bytes: Uint8Array, key: string): string | undefined {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const from = whole.indexOf(`\n  ${JSON.stringify(key)}: {\n`);
  const to = from === -1 ? -1 : whole.indexOf('\n  }', from);
  return to === -1 ? undefined : hash('sha256', whole.subarray(from, to), 'hex');
}

function printPin(name: string, { digest, first, seen }: Pin): string {
  return `${digest} ${first} ${seen} ${name}`;
}

/** Returns what could be read, and whether any of it is damaged. */
export function readPins(text: string): { readonly pins: Pins; readonly damaged: boolean } {
  const document = parse(text);
  if (!isObject(document) || document['version'] !== 1 || !isObject(document['servers']))
    return { pins: noPins, damaged: true };
  const rows = Object.entries(document['servers']).map(([key, value]) => [key, readServer(value)] as const);
  const servers = rows.flatMap(([key, server]) => (server === undefined ? [] : [[key, server] as const]));
  const { lost } = document;
  return {
    pins: { servers: new Map(servers), ...(typeof lost === 'string' ? { lost } : {}) },
    damaged: servers.length < rows.length,
  };
}

/** Returns undefined when any part of the record is damaged. */
function readServer(value: unknown): PinnedServer | undefined {
  if (!isObject(value) || typeof value['server'] !== 'string') return undefined;
  const { server, instructions, tools: lines } = value;
  if (!Array.isArray(lines) || !lines.every(isPinLine)) return undefined;
  if (instructions === undefined) return new StoredServer(server, lines, undefined);
  if (!isPinLine(instructions)) return undefined;
  return new StoredServer(server, lines, mapOf([instructions]).get(''));
}

const dayLength = '2026-07-28'.length;
const betweenLength = ' 2026-07-28 2026-07-28 '.length;

/** Uses no regular expression, because every start checks thousands of lines. */
function isPinLine(line: unknown): line is string {
  if (typeof line !== 'string') return false;
  const first = line.indexOf(' ');
  return first !== -1 && line[first + dayLength + 1] === ' ' && line[first + betweenLength - 1] === ' ';
}

/** Whether a line of the file is the pin of this tool with this digest. */
export function isLineOf(line: string | undefined, name: string, digest: string): boolean {
  return (
    line?.length === digest.length + betweenLength + name.length &&
    line.startsWith(digest) &&
    line[digest.length] === ' ' &&
    line.endsWith(name)
  );
}

/**
 * A record backed by the lines of the file. Usually they are only compared with what is offered, so the map
 * is built on first use.
 */
class StoredServer implements PinnedServer {
  readonly server: string;
  readonly lines: readonly string[];
  readonly instructions: Pin | undefined;
  #tools: ReadonlyMap<string, Pin> | undefined;

  constructor(server: string, lines: readonly string[], instructions: Pin | undefined) {
    this.server = server;
    this.lines = lines;
    this.instructions = instructions;
  }

  get tools(): ReadonlyMap<string, Pin> {
    return (this.#tools ??= mapOf(this.lines));
  }
}

function mapOf(lines: readonly string[]): ReadonlyMap<string, Pin> {
  return new Map(
    lines.map((line) => {
      const first = line.indexOf(' ') + 1;
      return [line.slice(first + betweenLength - 1), new PinLine(line, first)];
    }),
  );
}

/**
 * A pin backed by its line of the file. Most pins are compared by digest or not read at all, so the fields
 * are cut out on access.
 */
class PinLine implements Pin {
  readonly #line: string;
  /** Offset of the first day. */
  readonly #first: number;

  constructor(line: string, first: number) {
    this.#line = line;
    this.#first = first;
  }

  get digest(): string {
    return this.#line.slice(0, this.#first - 1);
  }

  get first(): string {
    return this.#line.slice(this.#first, this.#first + dayLength);
  }

  get seen(): string {
    const at = this.#first + dayLength + 1;
    return this.#line.slice(at, at + dayLength);
  }
}

export function printTexts({ tools, instructions, digests = new Map() }: PinTexts): string {
  const hidden = digests.size === 0 ? undefined : Object.fromEntries(digests);
  const document = { version: 1, instructions, digests: hidden, tools: Object.fromEntries(tools) };
  return `${JSON.stringify(document)}\n`;
}

export function readTexts(text: string): PinTexts | undefined {
  const document = parse(text);
  if (!isObject(document) || document['version'] !== 1 || !isObject(document['tools'])) return undefined;
  const { instructions, digests } = document;
  return {
    tools: textsIn(document['tools']),
    ...(typeof instructions === 'string' ? { instructions } : {}),
    ...(isObject(digests) ? { digests: textsIn(digests) } : {}),
  };
}

function textsIn(fields: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
