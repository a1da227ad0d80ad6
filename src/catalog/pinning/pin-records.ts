/** What is kept of every server's tools: hashes and dates. Texts are kept apart, they are needed only to show a change. */

import { hash } from 'node:crypto';

export interface Pin {
  readonly digest: string;
  /** Days, as in 2026-07-28. */
  readonly first: string;
  readonly seen: string;
}

export interface PinnedServer {
  /** What the host called it last; for showing only. */
  readonly server: string;
  readonly tools: ReadonlyMap<string, Pin>;
  readonly instructions?: Pin | undefined;
  /** As they stand in the file, in its order, where they come from one. */
  readonly lines?: readonly string[] | undefined;
}

export interface Pins {
  readonly servers: ReadonlyMap<string, PinnedServer>;
  /** The day what had been accepted was lost: from then on no server counts as new by itself. */
  readonly lost?: string | undefined;
}

/** As they were accepted; tools as canonical JSON. */
export interface PinTexts {
  readonly tools: ReadonlyMap<string, string>;
  readonly instructions?: string | undefined;
  /** What the texts hashed to before a secret was taken out of them: by tool, and for the instructions by ''. */
  readonly digests?: ReadonlyMap<string, string> | undefined;
}

/** Dates and names for showing do not count: whoever was judged by one would have been judged the same by the other. */
export function isSameRecord(left: PinnedServer | undefined, right: PinnedServer | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined) return false;
  if (left.instructions?.digest !== right.instructions?.digest) return false;
  if (left.tools.size !== right.tools.size) return false;
  return [...left.tools].every(([name, { digest }]) => right.tools.get(name)?.digest === digest);
}

export const noPins: Pins = { servers: new Map() };

/** One line per tool: `hash first-day last-day name`. Thousands of them are read at every start, and lines are the fastest. */
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
 * A hash of one server's part of the file, as `printPins` writes it; undefined where it is written otherwise. Nothing is
 * taken apart for it: no text in a JSON file has line breaks, so these two stand where the part begins and ends.
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

/** What can be read of it, and whether that is all. */
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

/** A server of whose record a part is damaged is not known. */
function readServer(value: unknown): PinnedServer | undefined {
  if (!isObject(value) || typeof value['server'] !== 'string') return undefined;
  const { server, instructions, tools: lines } = value;
  if (!Array.isArray(lines) || !lines.every(isPinLine)) return undefined;
  if (instructions === undefined) return new WrittenServer(server, lines, undefined);
  if (!isPinLine(instructions)) return undefined;
  return new WrittenServer(server, lines, mapOf([instructions]).get(''));
}

const dayLength = '2026-07-28'.length;
const betweenLength = ' 2026-07-28 2026-07-28 '.length;

/** No pattern: thousands of lines are looked at at every start. */
function isPinLine(line: unknown): line is string {
  if (typeof line !== 'string') return false;
  const first = line.indexOf(' ');
  return first !== -1 && line[first + dayLength + 1] === ' ' && line[first + betweenLength - 1] === ' ';
}

/** Whether a line of a file is that of this very tool. */
export function isLineOf(line: string | undefined, name: string, digest: string): boolean {
  return (
    line?.length === digest.length + betweenLength + name.length &&
    line.startsWith(digest) &&
    line[digest.length] === ' ' &&
    line.endsWith(name)
  );
}

/** As it stands in the file. Thousands of lines are only compared with what is offered; a map is made for who needs one. */
class WrittenServer implements PinnedServer {
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

/** A pin as it stands in the file: of thousands that are read only the digests are looked at, and of most not even those. */
class PinLine implements Pin {
  readonly #line: string;
  /** Where the first day begins. */
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
