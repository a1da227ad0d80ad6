/** What of a tool is pinned, in one form: the order of JSON keys does not count, every character of a text does. */

import { hash } from 'node:crypto';

import type { Tool } from '../../kernel/protocol-types.ts';

/** Deeper than any real schema; what is deeper is not taken apart. */
const maxDepth = 500;

const parts = ['inputSchema', 'outputSchema', 'annotations'] as const;

/** Stands for what cannot be told, and is no hash of anything. */
export const unknownDigest = 'unknown';

/** Tools are never changed after they were read, and several parts of a host ask for the same one. */
const digests = new WeakMap<Tool, string>();

export function toolDigest(tool: Tool): string {
  const known = digests.get(tool);
  if (known !== undefined) return known;
  const text = definitionText(tool);
  const digest = text === undefined ? unknownDigest : digestOf(text);
  digests.set(tool, digest);
  return digest;
}

/** Canonical JSON of all that is pinned; undefined when it is nested too deeply to be told. */
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
    // As JSON has it: what is undefined is not there.
    if (inner === undefined) continue;
    text += `${text === '' ? '' : ','}${quoted(key)}:${print(inner, depth + 1)}`;
  }
  return `{${text}}`;
}

/** Strings that JSON.stringify would only put in quotes: nearly all keys and types. */
const plain = /^[\w$.-]{0,40}$/;

function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Objects of a schema have few keys, and there are thousands of them: sorting as such makes more rubbish than text. */
const fewKeys = 12;

/** In place, which is why the keys are given and not the object. */
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
