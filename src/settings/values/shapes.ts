/**
 * Describes what values in holt's own files may look like. Each shape reads a value and reports whatever does
 * not fit, and also describes itself as JSON Schema. Small and hand-written, because settings are read before
 * anything else.
 */

import type { JsonObject } from '../../kernel/json.ts';
import { kindNames, type DocNode, type ObjectEntry, type ObjectNode } from '../../documents/tree.ts';
import { nearest } from '../../kernel/nearest.ts';

/** The layers that can set a value, strongest first. */
export const layerNames = ['managed', 'flag', 'environment', 'local', 'project', 'user', 'default'] as const;
export type LayerName = (typeof layerNames)[number];

export interface SettingOrigin {
  readonly from: LayerName;
  readonly file?: string;
  readonly line?: number;
  readonly variable?: string;
}

export interface ShapeComplaint {
  readonly code: 'setting-unknown' | 'setting-invalid' | 'setting-ignored' | 'entry-duplicate';
  /** Offset in the text. */
  readonly at: number;
  readonly message: string;
  /** What reading does with the value. Writing refuses the value instead. */
  readonly outcome?: string;
  readonly remedy?: string;
}

/** The context of a value: its origin and where to report problems. */
export interface ReadContext {
  /** True for a file that a repository may have supplied. */
  readonly guarded: boolean;
  originAt(offset: number): SettingOrigin;
  complain(complaint: ShapeComplaint): void;
  /** Returns the known name that a mistyped one is closest to. */
  suggest(name: string, known: readonly string[]): string | undefined;
}

/** Comparing names is slow, and a file with more unknown names than this is not a file of settings. */
const maxSuggestions = 100;

/** Suggests names for one file. */
export function createSuggest(): ReadContext['suggest'] {
  let count = 0;
  return (name, known) => {
    count += 1;
    return count > maxSuggestions ? undefined : nearest(name, known);
  };
}

export interface Shape<Value> {
  readonly schema: JsonObject;
  /** The expected value, as worded in a message. */
  readonly wanted: string;
  /** Returns `undefined` if no part of the value is usable; the reason has then been reported. */
  read(node: DocNode, where: string, context: ReadContext): Value | undefined;
  /** For objects with known keys. */
  readonly fields?: Readonly<Record<string, Shape<unknown>>>;
  /** For objects whose keys the user chooses. */
  readonly entries?: Shape<unknown>;
}

export interface Misfit {
  readonly where: string;
  readonly wanted: string;
  readonly outcome?: string;
}

/** Reports what was found and what was expected. */
export function complainInvalid(node: DocNode, misfit: Misfit, context: ReadContext): undefined {
  const { where, wanted, outcome = 'it is ignored' } = misfit;
  const found = node.kind === 'string' || node.kind === 'number' ? short(node.value) : kindNames[node.kind];
  const message = `"${where}" must be ${wanted}, but is ${found}`;
  context.complain({ code: 'setting-invalid', at: node.start, message, outcome });
}

function short(value: string | number): string {
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}…"`;
}

/** A shape for a single value that either fits or does not. */
export function single<Value>(
  wanted: string,
  schema: JsonObject,
  pick: (node: DocNode) => Value | undefined,
): Shape<Value> {
  return {
    schema,
    wanted,
    read: (node, where, context) => pick(node) ?? complainInvalid(node, { where, wanted }, context),
  };
}

export const text = single('a string', { type: 'string' }, (node) =>
  node.kind === 'string' ? node.value : undefined,
);

export const yesOrNo = single('true or false', { type: 'boolean' }, (node) =>
  node.kind === 'boolean' ? node.value : undefined,
);

export function matching(pattern: RegExp, wanted: string): Shape<string> {
  const schema = { type: 'string', pattern: pattern.source };
  return single(wanted, schema, (node) =>
    node.kind === 'string' && pattern.test(node.value) ? node.value : undefined,
  );
}

export function wholeNumber(least: number, most: number): Shape<number> {
  const schema = { type: 'integer', minimum: least, maximum: most };
  return single(`a whole number from ${least} to ${most}`, schema, (node) => {
    if (node.kind !== 'number' || !Number.isInteger(node.value)) return undefined;
    return node.value >= least && node.value <= most ? node.value : undefined;
  });
}

export function oneOf<const Word extends string>(words: readonly Word[]): Shape<Word> {
  const wanted = words.map((word) => `"${word}"`).join(' or ');
  return single(wanted, { enum: words }, (node) =>
    node.kind === 'string' ? words.find((word) => word === node.value) : undefined,
  );
}

/** Items that do not fit are dropped one by one. */
export function listOf<Item>(item: Shape<Item>): Shape<readonly Item[]> {
  const wanted = `a list (each item ${item.wanted})`;
  return {
    schema: { type: 'array', items: item.schema },
    wanted,
    read(node, where, context) {
      if (node.kind !== 'array') return complainInvalid(node, { where, wanted }, context);
      return node.items.flatMap((each, index) => {
        const value = item.read(each, `${where}[${index}]`, context);
        return value === undefined ? [] : [value];
      });
    },
  };
}

type FieldShapes<Value> = { readonly [Key in keyof Value]-?: Shape<NonNullable<Value[Key]>> };

/** An object with known keys, all of them optional. */
export function objectOf<Value extends object>(fields: FieldShapes<Value>): Shape<Partial<Value>> {
  return fieldsOf<Partial<Value>>(fields, []);
}

/** An object that is unusable without some of its keys. */
export function wholeObjectOf<Value extends object>(
  fields: FieldShapes<Value>,
  required: readonly (keyof Value & string)[],
): Shape<Value> {
  return fieldsOf<Value>(fields, required);
}

function fieldsOf<Value>(fields: object, required: readonly string[]): Shape<Value> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both callers pass an object of shapes
  const byKey = fields as Readonly<Record<string, Shape<unknown>>>;
  const keys = Object.keys(byKey);
  const wanted = `an object with ${keys.join(', ')}`;
  const readEntry = (
    entry: ObjectEntry,
    where: string,
    context: ReadContext,
  ): readonly [string, unknown][] => {
    const shape = Object.hasOwn(byKey, entry.key) ? byKey[entry.key] : undefined;
    if (shape === undefined) complainUnknown(entry, where, keys, context);
    const value = shape?.read(entry.value, `${where}.${entry.key}`, context);
    return value === undefined ? [] : [[entry.key, value]];
  };
  return {
    schema: objectSchema(byKey, required),
    wanted,
    fields: byKey,
    read(node, where, context) {
      if (node.kind !== 'object') return complainInvalid(node, { where, wanted }, context);
      const read = distinctEntries(node, where, context).flatMap((entry) => readEntry(entry, where, context));
      const missing = required.find((key) => !read.some(([found]) => found === key));
      if (missing !== undefined)
        return complainInvalid(node, { where, wanted: `an object with "${missing}"` }, context);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each key was read by its own shape
      return Object.fromEntries(read) as Value;
    },
  };
}

/** Returns the JSON Schema of an object with these fields. */
export function objectSchema(
  fields: Readonly<Record<string, Shape<unknown>>>,
  required: readonly string[] = [],
): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([key, shape]) => [key, shape.schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** An object whose keys the user chooses; all values have the same shape. */
export function mapOf<Value>(
  item: Shape<Value>,
  keys: Shape<string> = text,
): Shape<Readonly<Record<string, Value>>> {
  const wanted = `an object whose keys are each ${keys.wanted}`;
  return {
    schema: { type: 'object', propertyNames: keys.schema, additionalProperties: item.schema },
    wanted,
    entries: item,
    read(node, where, context) {
      if (node.kind !== 'object') return complainInvalid(node, { where, wanted }, context);
      const read = distinctEntries(node, where, context).flatMap(({ key, keyStart, value: child }) => {
        const name: DocNode = { kind: 'string', value: key, start: keyStart, end: keyStart };
        if (keys.read(name, `${where}.${key}`, context) === undefined) return [];
        const value = item.read(child, `${where}.${key}`, context);
        return value === undefined ? [] : [[key, value] as const];
      });
      return Object.fromEntries(read);
    },
  };
}

/**
 * Returns each key once, without nulls, which mean "not set". Of a key that is written twice, the last one
 * counts in the user's own files. In a repository's file neither counts, because readers differ in which one
 * they use.
 */
export function distinctEntries(
  node: ObjectNode,
  where: string,
  context: ReadContext,
): readonly ObjectEntry[] {
  const last = new Map<string, ObjectEntry>();
  const repeated = new Set<string>();
  for (const entry of node.entries) {
    if (last.has(entry.key)) repeated.add(entry.key);
    last.set(entry.key, entry);
  }
  for (const key of repeated) {
    const shown = where === '' ? key : `${where}.${key}`;
    const outcome = context.guarded ? 'neither counts' : 'the last one counts';
    const at = last.get(key)?.keyStart ?? node.start;
    context.complain({ code: 'entry-duplicate', at, message: `"${shown}" stands here twice`, outcome });
    if (context.guarded) last.delete(key);
  }
  return [...last.values()].filter(({ value }) => value.kind !== 'null');
}

export function complainUnknown(
  entry: ObjectEntry,
  where: string,
  known: readonly string[],
  context: ReadContext,
): void {
  const near = context.suggest(entry.key, known);
  const message = where === '' ? `unknown setting "${entry.key}"` : `"${where}" has no "${entry.key}"`;
  const remedy = near === undefined ? `Known are ${known.join(', ')}.` : `Did you mean "${near}"?`;
  context.complain({ code: 'setting-unknown', at: entry.keyStart, message, remedy });
}
