/** Normalizes the other ways to write an argument (`k:v`, `--k v`, one bare value, `t(k: "v")`) to `K=V` and `K:=JSON`. */

import { HoltError } from '../kernel/errors.ts';
import { fieldOf, isObject, type JsonObject } from '../kernel/json.ts';
import { nearest } from '../kernel/nearest.ts';
import { typesOf } from './schemas/types.ts';
import { normalInputSchema, parameterNames } from './tool-info.ts';

interface Parameters {
  readonly schema: JsonObject;
  /** Required parameters first, in the order the signature shows them. */
  readonly names: readonly string[];
}

/**
 * Returns each word as `K=V` or `K:=JSON`. Throws `usage-invalid` for a word that is not an argument of the
 * tool, or for an option without its value.
 */
export function normalizeWords(words: readonly string[], inputSchema: unknown): readonly string[] {
  const parameters = parametersOf(inputSchema);
  const normal: string[] = [];
  const bare: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const next = words[at + 1];
    const pair = pairIn(word, parameters);
    if (/^--\w/.test(word)) {
      const read = readOption(word, next, parameters);
      normal.push(read.word);
      at += read.used;
    } else if (pair === undefined) {
      bare.push(word);
    } else if (pair.value === '' && pair.sign === ':' && next !== undefined) {
      normal.push(`${pair.key}=${next}`);
      at += 1;
    } else {
      normal.push(pair.sign === ':' ? `${pair.key}=${pair.value}` : word);
    }
  }
  return [...normal, ...bareWords(bare, parameters)];
}

/**
 * Converts the text between the parentheses of `tool(path: "a", 3)` to `K=V` and `K:=JSON` words. Throws
 * `usage-invalid` for a part that matches no argument.
 */
export function normalizeCallText(text: string, inputSchema: unknown): readonly string[] {
  const parameters = parametersOf(inputSchema);
  const parts = splitAtCommas(text).map((part) => part.trim());
  return parts
    .filter((part, index) => part !== '' || index < parts.length - 1)
    .map((part, index) => callArgument(part, index, parameters));
}

function parametersOf(inputSchema: unknown): Parameters {
  return { schema: normalInputSchema(inputSchema), names: parameterNames(inputSchema) };
}

interface Pair {
  readonly key: string;
  readonly sign: '=' | ':' | ':=';
  readonly value: string;
}

/** Reads `k:v` only when `k` is a known argument, because a value may contain a colon too. */
function pairIn(word: string, { names }: Parameters): Pair | undefined {
  const colon = word.indexOf(':');
  const key = word.slice(0, colon);
  if (colon > 0 && word[colon + 1] !== '=' && names.includes(key))
    // In `k: v` the space is part of neither.
    return { key, sign: ':', value: word.slice(colon + 1).replace(/^ +/, '') };
  const equals = word.indexOf('=');
  if (equals < 1) return undefined;
  const isJson = word[equals - 1] === ':';
  const end = isJson ? equals - 1 : equals;
  return { key: word.slice(0, end), sign: isJson ? ':=' : '=', value: word.slice(equals + 1) };
}

function readOption(
  word: string,
  next: string | undefined,
  parameters: Parameters,
): { readonly word: string; readonly used: 0 | 1 } {
  const equals = word.indexOf('=');
  const written = word.slice(2, equals === -1 ? undefined : equals);
  const name = parameterCalled(written, parameters);
  if (name === undefined) return readNegation(word, written, parameters);
  if (equals !== -1) return { word: `${name}=${word.slice(equals + 1)}`, used: 0 };
  const isSwitch = isBoolean(name, parameters) && next !== 'true' && next !== 'false';
  if (isSwitch) return { word: `${name}=true`, used: 0 };
  if (next === undefined) throw wrongWord(word, `--${written} needs a value`);
  return { word: `${name}=${next}`, used: 1 };
}

function readNegation(
  word: string,
  written: string,
  parameters: Parameters,
): { readonly word: string; readonly used: 0 } {
  const name = written.startsWith('no-') ? parameterCalled(written.slice(3), parameters) : undefined;
  if (name !== undefined && isBoolean(name, parameters)) return { word: `${name}=false`, used: 0 };
  const near = nearest(written, parameters.names);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw wrongWord(
    word,
    `"--${written}" is neither an option of holt call nor an argument of this tool${hint}`,
  );
}

/** `--max-depth` also finds `maxDepth` and `max_depth`. */
function parameterCalled(written: string, { names }: Parameters): string | undefined {
  if (names.includes(written)) return written;
  const found = names.filter((name) => plain(name) === plain(written));
  return found.length === 1 ? found[0] : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

function isBoolean(name: string, { schema }: Parameters): boolean {
  const types = typesOf(propertyOf(name, schema), schema);
  return types.has('boolean') && !types.has('string');
}

function propertyOf(name: string, { properties }: JsonObject): unknown {
  return (isObject(properties) ? fieldOf(properties, name) : undefined) ?? true;
}

/**
 * Assigns one bare value to the tool's only required (or only) parameter if that accepts a string. Several
 * bare values are ambiguous, so they are rejected.
 */
function bareWords(bare: readonly string[], parameters: Parameters): readonly string[] {
  const [only, ...others] = bare;
  if (only === undefined) return [];
  const name = textParameter(parameters);
  if (name !== undefined && others.length === 0) return [`${name}=${only}`];
  const example = name === undefined ? '' : `: put the text in quotes, as one word`;
  throw wrongWord(only, `"${only}" is not an argument${others.length > 0 ? example : ''}`);
}

function textParameter({ schema, names }: Parameters): string | undefined {
  const required = names.filter((name) => requiredNames(schema).has(name));
  const [name, ...others] = required.length > 0 ? required : names;
  if (name === undefined || others.length > 0) return undefined;
  return typesOf(propertyOf(name, schema), schema).has('string') ? name : undefined;
}

function requiredNames({ required }: JsonObject): ReadonlySet<unknown> {
  return new Set(Array.isArray(required) ? required : []);
}

const namedArgument = /^(?:"([^"]+)"|'([^']+)'|([\w$.-]+))\s*[:=]\s*(\S[\s\S]*)$/;

function callArgument(part: string, index: number, parameters: Parameters): string {
  const [, double, single, bare, value = ''] = namedArgument.exec(part) ?? [];
  const key = double ?? single ?? bare;
  if (key !== undefined && parameters.names.includes(key)) return withValue(key, value);
  const name = parameters.names[index];
  if (name === undefined || (key !== undefined && /^[\w$-]+\s*[:=](?!\/\/)/.test(part)))
    throw wrongWord(part, `"${part}" is not an argument`);
  return withValue(name, part);
}

/** Quoted strings, arrays and objects are JSON; everything else is read as the parameter's type. */
function withValue(name: string, text: string): string {
  const single = /^'((?:[^'\\]|\\.)*)'$/s.exec(text)?.[1];
  if (single !== undefined) return `${name}:=${JSON.stringify(single.replaceAll(/\\(['\\])/g, '$1'))}`;
  return /^["[{]/.test(text) ? `${name}:=${text}` : `${name}=${text}`;
}

/** Splits at commas that are not inside quotes, brackets, braces or parentheses. */
function splitAtCommas(text: string): readonly string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const [piece] of text.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\s\S]/g)) {
    if ('[{('.includes(piece)) depth += 1;
    if (']})'.includes(piece)) depth -= 1;
    if (piece === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

function wrongWord(given: string, message: string): HoltError<'usage-invalid'> {
  return new HoltError(
    'usage-invalid',
    message,
    { given },
    { remedy: 'Write NAME=VALUE, NAME:=JSON or NAME=@FILE.' },
  );
}
