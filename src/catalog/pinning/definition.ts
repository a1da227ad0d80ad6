/** What is pinned of a tool, in canonical form (the order of JSON keys does not matter, every character of a string does), and how an offer compares with what was accepted. Pure: the caller stores the outcome. */

import { hash } from 'node:crypto';

import type { Tool } from '../../kernel/protocol-types.ts';
import type { Pin, PinnedServer, PinTexts, StoredPins } from './pin-records.ts';

/** Deeper than any real schema. Definitions that are nested more deeply get no digest. */
const maxDepth = 500;

const parts = ['inputSchema', 'outputSchema', 'annotations'] as const;

/** Takes the place of a digest that cannot be computed. It is not the hash of anything. */
export const unknownDigest = 'unknown';

/**
 * Cached, because tools never change after they are read and several parts of a host need the same digest.
 */
const digests = new WeakMap<Tool, string>();

export function toolDigest(tool: Tool): string {
  const known = digests.get(tool);
  if (known !== undefined) return known;
  const text = definitionText(tool);
  const digest = text === undefined ? unknownDigest : digestOf(text);
  digests.set(tool, digest);
  return digest;
}

/**
 * Returns canonical JSON of all that is pinned, or undefined when it is nested more than `maxDepth` levels
 * deep.
 */
export function definitionText(tool: Tool): string | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  try {
    return print({ name, title, description, inputSchema, outputSchema, annotations }, 0);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns why the tool has no digest, or undefined when it has one. */
export function depthFault(tool: Tool): string | undefined {
  if (toolDigest(tool) !== unknownDigest) return undefined;
  const deep = parts.find(
    (part) => definitionText({ name: '', inputSchema: emptySchema, [part]: tool[part] }) === undefined,
  );
  return `its ${deep ?? 'definition'} is nested more than ${maxDepth} levels deep`;
}

const emptySchema = { type: 'object' } as const;

export function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

function print(value: unknown, depth: number): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth > maxDepth) throw new RangeError('nested too deeply');
  if (Array.isArray(value)) return `[${value.map((item: unknown) => print(item, depth + 1)).join(',')}]`;
  let text = '';
  for (const key of inOrder(Object.keys(value))) {
    const inner: unknown = Reflect.get(value, key);
    // As in JSON, undefined values are omitted.
    if (inner === undefined) continue;
    text += `${text === '' ? '' : ','}${quoted(key)}:${print(inner, depth + 1)}`;
  }
  return `{${text}}`;
}

/** Matches strings that need quotes but no escapes, as nearly all keys and types do. */
const plain = /^[\w$.-]{0,40}$/;

function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/**
 * Schemas consist of thousands of objects with few keys. Copying each array to sort it would create more
 * garbage than output.
 */
const fewKeys = 12;

/** Sorts a short array in place, so the caller must own it. */
function inOrder(keys: string[]): readonly string[] {
  if (keys.length > fewKeys) return keys.toSorted();
  for (let at = 1; at < keys.length; at += 1) {
    const key = keys[at] ?? '';
    let to = at;
    for (let before = keys[to - 1]; to > 0 && before !== undefined && before > key; before = keys[to - 1]) {
      keys[to] = before;
      to -= 1;
    }
    keys[to] = key;
  }
  return keys;
}

export interface Offer {
  readonly tools: readonly Tool[];
  readonly instructions?: string | undefined;
}

/** Removes secrets from what is stored or shown. Comparisons use what the server sent. */
export type Redact = (text: string) => string;

/** An offer that is ready to be compared. Of two tools with the same name, the first counts. */
export interface Prepared {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Tools that are nested too deeply to be compared, with the reason. */
  readonly refused: ReadonlyMap<string, string>;
  readonly instructions: string | undefined;
  readonly redact: Redact;
}

export type ToolVerdict = 'same' | 'new' | 'changed';

export interface Verdict {
  readonly tools: ReadonlyMap<string, ToolVerdict>;
  readonly instructions: ToolVerdict;
}

export function prepare({ tools, instructions }: Offer, redact: Redact): Prepared {
  const first = new Map<string, Tool>();
  const refused = new Map<string, string>();
  for (const tool of tools) {
    const { name } = tool;
    if (first.has(name) || refused.has(name)) continue;
    const fault = depthFault(tool);
    if (fault === undefined) first.set(name, tool);
    else refused.set(name, fault);
  }
  return { tools: first, refused, instructions, redact };
}

/** Without a record everything is new. */
export function compareOffer(record: PinnedServer | undefined, { tools, instructions }: Prepared): Verdict {
  const verdicts = [...tools].map(
    ([name, tool]) => [name, compare(record?.tools.get(name), toolDigest(tool))] as const,
  );
  return {
    tools: new Map(verdicts),
    // Missing instructions need no verdict. If they return, they are compared with the accepted ones.
    instructions: instructions === undefined ? 'same' : compare(record?.instructions, digestOf(instructions)),
  };
}

function compare(pin: Pin | undefined, digest: string): ToolVerdict {
  if (pin === undefined) return 'new';
  return pin.digest === digest ? 'same' : 'changed';
}

export interface PinState {
  readonly record: PinnedServer | undefined;
  /** Whether the server may have had pins that were lost, so that nothing shows what was accepted. */
  readonly lost: boolean;
  /** Whether the record was lost and rebuilt from the accepted texts. */
  readonly rebuilt: boolean;
}

export function pinStateOf({ record, texts, lost }: StoredPins, server: string, today: string): PinState {
  if (record !== undefined || lost === undefined) return { record, lost: false, rebuilt: false };
  if (texts === undefined) return { record: undefined, lost: true, rebuilt: false };
  return { record: recordFromTexts(server, texts, today), lost: false, rebuilt: true };
}

function recordFromTexts(server: string, texts: PinTexts, today: string): PinnedServer {
  const pin = (name: string, text: string): Pin => ({
    digest: texts.digests?.get(name) ?? digestOf(text),
    first: today,
    seen: today,
  });
  return {
    server,
    tools: new Map([...texts.tools].map(([name, text]) => [name, pin(name, text)])),
    ...(texts.instructions === undefined ? {} : { instructions: pin('', texts.instructions) }),
  };
}
