/**
 * Plain checks that are at least as strict as the SDK's schemas in both protocol eras, at a fraction of the
 * cost.
 */

import { isObject, type JsonObject } from '../../kernel/json.ts';

export type Check = (value: unknown) => boolean;
export type FieldChecks = readonly (readonly [name: string, check: Check])[];

/** Converts the checks to an array in the order written, which is faster to iterate. */
export function fields(checks: Readonly<Record<string, Check>>): FieldChecks {
  return Object.entries(checks);
}

export const isText: Check = (value) => typeof value === 'string';
const isWord: Check = (value) => typeof value === 'string' && value !== '';
export const isFlag: Check = (value) => typeof value === 'boolean';
export const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);

export function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

export function oneOf(...values: readonly string[]): Check {
  return (value) => typeof value === 'string' && values.includes(value);
}

/**
 * Accepts an object whose required fields are present and valid, and whose optional fields are valid if
 * present.
 */
export function recordWith(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  const expected = shape(required, optional);
  return (value) => isObject(value) && isSound(value, expected);
}

/** The kind of each ASCII character; undefined for those that are not part of Base64. */
type Sign = 'letter' | 'blank' | 'padding';

const signs: readonly (Sign | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9+/]/.test(character)) return 'letter';
  if (/[\t\n\f\r ]/.test(character)) return 'blank';
  return character === '=' ? 'padding' : undefined;
});

/**
 * Accepts what `atob` accepts: white space anywhere, and complete or omitted padding. Reads the string in one
 * pass, because it may be megabytes long.
 */
export const isBase64: Check = (value) => {
  if (typeof value !== 'string') return false;
  let letters = 0;
  let padding = 0;
  for (let at = 0; at < value.length; at += 1) {
    const sign = signs[value.charCodeAt(at)];
    if (sign === undefined || (sign === 'letter' && padding > 0)) return false;
    if (sign === 'letter') letters += 1;
    else if (sign === 'padding') padding += 1;
  }
  if (padding > 0) return padding <= 2 && (letters + padding) % 4 === 0;
  return letters % 4 !== 1;
};

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const isMoment: Check = (value) =>
  typeof value === 'string' && moment.test(value) && !Number.isNaN(Date.parse(value));
const isShare: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1;

export const isAnnotations = recordWith(
  {},
  { audience: listOf(oneOf('user', 'assistant')), priority: isShare, lastModified: isMoment },
);

export const isIcons = listOf(
  recordWith({ src: isText }, { mimeType: isText, sizes: listOf(isText), theme: oneOf('light', 'dark') }),
);

const objectFields = { $schema: isText, properties: isObject, required: listOf(isText) };
const objectSchema = recordWith({ type: oneOf('object') }, objectFields);
export const objectSchemaFields = fields(objectFields);

export const isInputSchema = objectSchema;

/** In the stateless era a result may have any type; in the stateful era it must be an object. */
export const isOutputSchema = {
  stateful: objectSchema,
  stateless: recordWith({}, { $schema: isText }),
} as const;

export const isToolAnnotations = recordWith(
  {},
  {
    title: isText,
    readOnlyHint: isFlag,
    destructiveHint: isFlag,
    idempotentHint: isFlag,
    openWorldHint: isFlag,
  },
);

export const isExecution = recordWith({}, { taskSupport: oneOf('required', 'optional', 'forbidden') });

export const isPromptArguments = listOf(
  recordWith({ name: isText }, { description: isText, required: isFlag }),
);

const isContents: Check = (value) =>
  isObject(value) &&
  isText(value['uri']) &&
  (value['mimeType'] === undefined || isText(value['mimeType'])) &&
  (value['_meta'] === undefined || isObject(value['_meta'])) &&
  (isText(value['text']) || isBase64(value['blob']));

const annotated = { annotations: isAnnotations, _meta: isObject };
const named = { title: isText, icons: isIcons, description: isText, _meta: isObject };
const sized = { ...named, mimeType: isText, annotations: isAnnotations };

/**
 * The required (`needs`) and optional (`may`) fields of an entry. A malformed optional field is removed; the
 * entry stays.
 */
export interface EntryShape {
  readonly needs: FieldChecks;
  readonly may: FieldChecks;
}

function shape(needs: Readonly<Record<string, Check>>, may: Readonly<Record<string, Check>>): EntryShape {
  return { needs: fields(needs), may: fields(may) };
}

function toolShape(outputSchema: Check): EntryShape {
  const may = { ...named, outputSchema, annotations: isToolAnnotations, execution: isExecution };
  // A tool without a name cannot be called.
  return shape({ name: isWord, inputSchema: isInputSchema }, may);
}

export const shapes = {
  tool: { stateful: toolShape(isOutputSchema.stateful), stateless: toolShape(isOutputSchema.stateless) },
  prompt: shape({ name: isText }, { ...named, arguments: isPromptArguments }),
  resource: shape({ name: isText, uri: isText }, { ...sized, size: isNumber }),
  resourceTemplate: shape({ name: isText, uriTemplate: isText }, sized),
} as const;

/** The fields of each type of content block. */
export const blocks: ReadonlyMap<string, EntryShape> = new Map([
  ['text', shape({ text: isText }, annotated)],
  ['image', shape({ data: isBase64, mimeType: isText }, annotated)],
  ['audio', shape({ data: isBase64, mimeType: isText }, annotated)],
  ['resource', shape({ resource: isContents }, annotated)],
  ['resource_link', shape({ uri: isText, name: isText }, { ...sized, size: isNumber })],
]);

export interface Kept {
  readonly value: JsonObject;
  /**
   * Names of the removed fields. Those that were null are not reported, because servers often send null for
   * an absent field.
   */
  readonly dropped: readonly string[];
}

const nothing: readonly string[] = [];

/** Removes the fields in `may` that are present and fail their check. */
export function keepGood(value: JsonObject, may: FieldChecks): Kept {
  let bad: string[] | undefined;
  for (const [name, check] of may) {
    const given = value[name];
    if (given !== undefined && !check(given)) (bad ??= []).push(name);
  }
  if (bad === undefined) return { value, dropped: nothing };
  const good = Object.fromEntries(Object.entries(value).filter(([name]) => !bad.includes(name)));
  return { value: good, dropped: bad.filter((name) => value[name] !== null) };
}

/** Returns the name of the first required field that is missing or malformed. */
export function firstMissing(value: JsonObject, needs: FieldChecks): string | undefined {
  for (const [name, check] of needs) {
    if (!check(value[name])) return name;
  }
  return undefined;
}

/** True for an entry that needs no repair, which is nearly every entry. */
export function isSound(value: JsonObject, { needs, may }: EntryShape): boolean {
  for (const [name, check] of needs) {
    if (!check(value[name])) return false;
  }
  for (const [name, check] of may) {
    const given = value[name];
    if (given !== undefined && !check(given)) return false;
  }
  return true;
}
