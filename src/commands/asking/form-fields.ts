/**
 * Turns a server's form into fields that can be asked one by one, and typed text into values. Pure. Labels
 * come from the server and are not escaped here.
 */

import { isObject, type JsonObject } from '../../kernel/json.ts';
export type FieldValue = string | number | boolean | readonly string[];

interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  readonly kind: 'text' | 'number' | 'yes-no' | 'one-of' | 'some-of';
  readonly choices: readonly Choice[];
  readonly initial: FieldValue | undefined;
  readonly schema: JsonObject;
}

export type Typed =
  | { readonly ok: true; readonly value: FieldValue }
  | { readonly ok: false; readonly reason: string };

/** Returns the fields, or undefined if one of them cannot be asked for as text. */
export function readFields(schema: JsonObject): readonly FormField[] | undefined {
  const properties = fieldsOf(schema['properties']);
  const required = new Set(listOf(schema['required']));
  const fields = Object.entries(properties).map(([name, value]) =>
    readField(name, fieldsOf(value), required.has(name)),
  );
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function readField(name: string, schema: JsonObject, required: boolean): FormField | undefined {
  const kind = kindOf(schema);
  if (kind === undefined) return undefined;
  return {
    name,
    title: textOf(schema['title']) ?? name,
    description: textOf(schema['description']) ?? '',
    required,
    kind,
    choices: choicesOf(kind === 'some-of' ? fieldsOf(schema['items']) : schema),
    initial: initialOf(schema['default']),
    schema,
  };
}

function kindOf(schema: JsonObject): FormField['kind'] | undefined {
  switch (schema['type']) {
    case 'string':
      return choicesOf(schema).length > 0 ? 'one-of' : 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'yes-no';
    case 'array':
      return choicesOf(fieldsOf(schema['items'])).length > 0 ? 'some-of' : undefined;
    default:
      return undefined;
  }
}

/** Reads both forms of choices: `enum` with `enumNames`, and pairs of `const` and `title`. */
function choicesOf(schema: JsonObject): readonly Choice[] {
  const names = listOf(schema['enumNames']);
  const bare = listOf(schema['enum']).map((value, index) => ({ value, label: names[index] ?? value }));
  const pairs = [schema['oneOf'], schema['anyOf']].flatMap((list) => (Array.isArray(list) ? list : []));
  const titled = pairs.map(fieldsOf).flatMap(({ const: value, title }) => {
    const text = textOf(value);
    return text === undefined ? [] : [{ value: text, label: textOf(title) ?? text }];
  });
  return [...bare, ...titled];
}

function initialOf(value: unknown): FieldValue | undefined {
  if (Array.isArray(value)) return listOf(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined;
}

/** Converts typed text to the value of a field. A choice may be typed as its number or its value. */
export function readTyped(field: FormField, typed: string): Typed {
  switch (field.kind) {
    case 'text':
      return readText(field.schema, typed);
    case 'number':
      return readNumber(field.schema, typed);
    case 'yes-no':
      return readYesNo(typed);
    case 'one-of': {
      const value = choose(field, typed);
      return value === undefined ? wrong('one of the above') : { ok: true, value };
    }
    case 'some-of':
      return readSeveral(field, typed);
  }
}

function readText({ minLength, maxLength, format }: JsonObject, value: string): Typed {
  if (typeof minLength === 'number' && value.length < minLength)
    return wrong(`at least ${minLength} characters`);
  if (typeof maxLength === 'number' && value.length > maxLength)
    return wrong(`at most ${maxLength} characters`);
  const shape = formats.get(textOf(format) ?? '');
  return shape === undefined || shape.fits(value) ? { ok: true, value } : wrong(shape.words);
}

const formats: ReadonlyMap<string, { readonly words: string; fits(value: string): boolean }> = new Map([
  ['email', { words: 'an email address', fits: (value) => /^[^\s@]+@[^\s@]+$/.test(value) }],
  ['uri', { words: 'an address such as https://example.com', fits: (value) => URL.canParse(value) }],
  [
    'date',
    { words: 'a date such as 2026-07-28', fits: (value) => /^\d{4}-\d\d-\d\d$/.test(value) && isTime(value) },
  ],
  [
    'date-time',
    {
      words: 'a time such as 2026-07-28T12:00:00Z',
      fits: (value) => /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/i.test(value) && isTime(value),
    },
  ],
]);

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function readNumber({ type, minimum, maximum }: JsonObject, typed: string): Typed {
  const value = Number(typed);
  if (!Number.isFinite(value)) return wrong('a number');
  if (type === 'integer' && !Number.isInteger(value)) return wrong('a whole number');
  if (typeof minimum === 'number' && value < minimum) return wrong(`${minimum} or more`);
  if (typeof maximum === 'number' && value > maximum) return wrong(`${maximum} or less`);
  return { ok: true, value };
}

function readYesNo(typed: string): Typed {
  const word = typed.toLowerCase();
  if (['y', 'yes', 'true'].includes(word)) return { ok: true, value: true };
  if (['n', 'no', 'false'].includes(word)) return { ok: true, value: false };
  return wrong('y or n');
}

function readSeveral(field: FormField, typed: string): Typed {
  const words = typed.split(',').map((word) => word.trim());
  const values = words.filter((word) => word !== '').map((word) => choose(field, word));
  if (!values.every((value) => value !== undefined)) return wrong('some of the above, with commas between');
  const { minItems, maxItems } = field.schema;
  if (typeof minItems === 'number' && values.length < minItems)
    return wrong(`at least ${minItems} of the above`);
  if (typeof maxItems === 'number' && values.length > maxItems)
    return wrong(`at most ${maxItems} of the above`);
  return { ok: true, value: [...new Set(values)] };
}

/** Finds a choice. A value that looks like a number takes precedence over the position in the list. */
function choose({ choices }: FormField, typed: string): string | undefined {
  const exact = choices.find(({ value, label }) => value === typed || label === typed);
  return (exact ?? (/^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined))?.value;
}

function wrong(expected: string): Typed {
  return { ok: false, reason: `It should be ${expected}.` };
}

function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? { ...value } : {};
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
