/**
 * Reads arguments from a command line: `K=V` in the schema's type, `K:=JSON`, `K=@FILE`, `a.b=1`, a repeated
 * key for a list.
 */

import { HoltError } from '../kernel/errors.ts';
import { fieldOf, isList, isObject, type JsonObject, putField } from '../kernel/json.ts';
import { booleanIn, numberIn, structureIn, followed, typesOf, typeText } from './schemas/types.ts';

interface Place {
  /** The path to the value: the names of enclosing objects, then its own name. */
  readonly names: readonly string[];
  readonly schema: unknown;
}

interface Reading {
  readonly root: JsonObject;
  readonly readFile: (path: string) => string;
  readonly errors: { path: string; expected: string }[];
}

/**
 * Reads each word as an argument. Throws `usage-invalid` for a malformed word and `arguments-invalid` for a
 * value of the wrong type; `checkArguments` validates the arguments as a whole. `readFile` returns a file's
 * text or throws; it resolves relative paths.
 */
export function readArguments(
  words: readonly string[],
  schema: unknown,
  readFile: (path: string) => string,
): JsonObject {
  const reading: Reading = { root: isObject(schema) ? schema : {}, readFile, errors: [] };
  const read: Record<string, unknown> = {};
  for (const word of words) readWord(word, read, reading);
  if (reading.errors.length > 0) {
    const text = reading.errors.map(({ path, expected }) => `${path}: expected ${expected}`).join('; ');
    throw new HoltError('arguments-invalid', text, { tool: '', errors: reading.errors });
  }
  return read;
}

function readWord(word: string, read: Record<string, unknown>, reading: Reading): void {
  const sign = word.indexOf('=');
  const isJson = word[sign - 1] === ':';
  const key = word.slice(0, isJson ? sign - 1 : sign);
  if (sign < 1 || key === '') throw wrongUsage(word, `"${word}" is not an argument`);
  const given = word.slice(sign + 1);
  const text = given.startsWith('@') && given.length > 1 ? textOf(given.slice(1), key, reading) : given;
  const place = placeOf(key, reading.root);
  const types = typesOf(place.schema, reading.root);
  const value = isJson ? jsonOf(text, key) : typed(text, place.schema, reading.root);
  if (value === undefined) reading.errors.push({ path: key, expected: typeText(place.schema, reading.root) });
  else put(read, place, value, { word, takesList: types.has('array') && !types.has('string') });
}

function wrongUsage(given: string, message: string): HoltError<'usage-invalid'> {
  return new HoltError(
    'usage-invalid',
    message,
    { given },
    { remedy: 'Write NAME=VALUE, NAME:=JSON or NAME=@FILE' },
  );
}

function textOf(path: string, key: string, reading: Reading): string {
  try {
    return reading.readFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    throw new HoltError(
      'usage-invalid',
      `The file for ${key} cannot be read: ${reason}`,
      { given: path },
      { cause: error, remedy: `For a value that begins with @ write ${key}:='"@…"'` },
    );
  }
}

function jsonOf(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HoltError(
      'usage-invalid',
      `${key} is not JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}`,
      { given: key },
      { cause: error, remedy: `For plain text write ${key}=TEXT` },
    );
  }
}

/**
 * A property with exactly this name takes precedence. Otherwise a dot leads into an object that the schema
 * declares.
 */
function placeOf(key: string, root: JsonObject): Place {
  const names: string[] = [];
  let here: unknown = root;
  let rest = key;
  for (;;) {
    const properties = propertiesOf(here, root);
    const dot = rest.indexOf('.');
    const head = rest.slice(0, dot);
    if (Object.hasOwn(properties, rest) || dot < 1 || !takesObject(fieldOf(properties, head), root)) {
      return { names: [...names, rest], schema: fieldOf(properties, rest) ?? true };
    }
    names.push(head);
    here = fieldOf(properties, head);
    rest = rest.slice(dot + 1);
  }
}

function propertiesOf(schema: unknown, root: JsonObject): JsonObject {
  const here = followed(schema, root);
  return isObject(here) && isObject(here['properties']) ? here['properties'] : {};
}

function takesObject(schema: unknown, root: JsonObject): boolean {
  return schema !== undefined && schema !== true && typesOf(schema, root).has('object');
}

/**
 * Text stays a string wherever the schema accepts strings; `:=` overrides that. Returns undefined when the
 * text cannot be read as an accepted type.
 */
function typed(text: string, schema: unknown, root: JsonObject): unknown {
  const types = typesOf(schema, root);
  if (types.has('string')) return text;
  if (types.has('integer') || types.has('number')) {
    const number = numberIn(text);
    if (number !== undefined) return number;
  }
  if (types.has('null') && text === 'null') return null;
  const boolean = types.has('boolean') ? booleanIn(text) : undefined;
  if (boolean !== undefined) return boolean;
  return structureIn(text, types) ?? (types.has('array') ? oneItem(text, schema, root) : undefined);
}

function oneItem(text: string, schema: unknown, root: JsonObject): unknown {
  const list = followed(schema, root);
  const items = isObject(list) ? (list['items'] ?? true) : true;
  const item = isList(items) ? text : typed(text, items, root);
  return item === undefined ? undefined : [item];
}

function put(
  read: Record<string, unknown>,
  place: Place,
  value: unknown,
  how: { readonly word: string; readonly takesList: boolean },
): void {
  let here = read;
  for (const name of place.names.slice(0, -1)) here = objectIn(here, name, how.word);
  const last = place.names.at(-1) ?? '';
  const before = fieldOf(here, last);
  if (before === undefined) putField(here, last, value);
  else if (how.takesList && isList(before))
    putField(here, last, [...before, ...(isList(value) ? value : [value])]);
  else throw wrongUsage(how.word, `${place.names.join('.')} is given twice`);
}

function objectIn(parent: Record<string, unknown>, name: string, word: string): Record<string, unknown> {
  const before = fieldOf(parent, name);
  const inner: unknown = before ?? {};
  if (!isObject(inner)) throw wrongUsage(word, `${name} is given twice`);
  const own = { ...inner };
  putField(parent, name, own);
  return own;
}
