/** The state of fitting one schema to a provider: the rules, the losses so far, and the remaining budgets. */

import { isList, isObject, type JsonObject } from '../../kernel/json.ts';
import { pathText } from './walk.ts';
import type { Rules } from './provider-rules.ts';

/** The position in the original schema, and the references that led here. */
export interface Place {
  readonly path: readonly (string | number)[];
  readonly depth: number;
  readonly enclosing: readonly unknown[];
}

/** A schema that follows the provider's rules. */
export type Fitted = Readonly<Record<string, unknown>>;

/** Keywords that stay, and notes on what was lost. */
export interface Part {
  readonly fields: Fitted;
  readonly notes: readonly string[];
}

export interface Fit {
  readonly rules: Rules;
  readonly root: JsonObject;
  readonly losses: string[];
  /** Schemas that refer to themselves, with their names under `$defs`. */
  readonly definitions: Map<JsonObject, string>;
  /** The original names of renamed top-level parameters, by new name. */
  readonly renamed: Map<string, string>;
  schemasLeft: number;
  enumValuesLeft: number;
  /**
   * Budget for names visited and characters written: a schema can refer to one large part thousands of times.
   */
  workLeft: number;
  /** The last number used for each sanitised name. */
  readonly numbers: Map<string, number>;
  /**
   * Fits a schema inside this one. Pass `orNull` when the value is optional and the provider can only express
   * that as null.
   */
  readonly fit: (schema: unknown, place: Place, orNull?: 'or-null') => Fitted;
}

const maxLosses = 200;
const maxNotes = 600;

export function below(place: Place, key: string | number): Place {
  return { ...place, path: [...place.path, key], depth: place.depth + 1 };
}

/** Visiting a name costs as much as writing this many characters. */
const charactersForName = 10;

/** Charges for the schema's own names and strings, not for its subschemas. */
export function spendOnSchema(schema: JsonObject, fit: Fit): void {
  let work = 0;
  for (const value of Object.values(schema)) {
    if (typeof value === 'string') work += value.length;
    else if (isList(value)) for (const item of value) work += charactersForName + lengthOf(item);
    else if (isObject(value)) for (const name of Object.keys(value)) work += name.length + charactersForName;
    work += charactersForName;
  }
  fit.workLeft -= work;
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

export function spendOnNames(count: number, fit: Fit): void {
  fit.workLeft -= count * charactersForName;
}

export function describedBy(schema: JsonObject): Fitted {
  const text = schema['description'] ?? schema['title'];
  return typeof text === 'string' && text !== '' ? { description: text } : {};
}

/** Records what was lost: in the report, and in the description, where the model reads it. */
export function withNotes(fitted: Fitted, notes: readonly string[], fit: Fit, place: Place): Fitted {
  for (const note of notes) {
    if (fit.losses.length < maxLosses) fit.losses.push(`${pathText(place.path)}: ${note}`);
  }
  return notes.length === 0 ? fitted : describe(fitted, (text) => noted(text, notes), fit);
}

export function noted(description: string, notes: readonly string[]): string {
  const text = [...new Set(notes)].join('; ').slice(0, maxNotes);
  return description === '' ? `(${text})` : `${description} (${text})`;
}

/**
 * Changes the description. A reference takes none, and a union without sibling keywords has it on its first
 * option.
 */
function describe(fitted: Fitted, change: (text: string) => string, fit: Fit): Fitted {
  if ('$ref' in fitted) return fitted;
  const options = fitted['anyOf'];
  if (fit.rules.unionAlone && isList(options) && isObject(options[0])) {
    return { ...fitted, anyOf: [describe(options[0], change, fit), ...options.slice(1)] };
  }
  const text = fitted['description'];
  return { ...fitted, description: change(typeof text === 'string' ? text : '') };
}

/** Combines schemas of which one must match into a union. */
export function unionOf(options: readonly Fitted[], described: Fitted, fit: Fit): Fitted {
  const flat = options.flatMap((option) => nestedOptions(option) ?? [option]);
  const different = flat.length < 2 ? flat : differentOf(flat, fit);
  const [only] = different;
  const text = described['description'];
  const union = different.length === 1 && only !== undefined ? only : { anyOf: different };
  return typeof text === 'string'
    ? describe(union, (own) => (own === '' ? text : `${text} ${own}`), fit)
    : union;
}

function differentOf(options: readonly Fitted[], fit: Fit): readonly Fitted[] {
  const found = new Map<string, Fitted>();
  for (const option of options) {
    // Without budget left all options are kept; a duplicate option is harmless.
    const text = fit.workLeft < 0 ? String(found.size) : JSON.stringify(option);
    fit.workLeft -= text.length;
    found.set(text, option);
  }
  return [...found.values()];
}

function nestedOptions(option: Fitted): readonly Fitted[] | undefined {
  const options = option['anyOf'];
  if (!isList(options) || Object.keys(option).length > 1) return undefined;
  return options.filter((each) => isObject(each));
}

export function orNull(fitted: Fitted, fit: Fit): Fitted {
  const options = fitted['anyOf'];
  if (fit.rules.nullable === 'in-words') return fitted;
  if (fit.rules.nullable === 'keyword') {
    if (!isList(options)) return { ...fitted, nullable: true };
    return {
      ...fitted,
      anyOf: options.map((option) => (isObject(option) ? { ...option, nullable: true } : option)),
    };
  }
  if (isList(options)) return { ...fitted, anyOf: [...options, { type: 'null' }] };
  const { type, enum: values } = fitted;
  if (typeof type !== 'string' || type === 'object')
    return '$ref' in fitted || type === 'object' ? { anyOf: [fitted, { type: 'null' }] } : fitted;
  return { ...fitted, type: [type, 'null'], ...(isList(values) ? { enum: [...values, null] } : {}) };
}

/**
 * Replaces a schema that the provider cannot express by a string that holds JSON. The repair of arguments
 * parses it again.
 */
export function asJsonText(what: string, described: Fitted, fit: Fit, place: Place): Fitted {
  return withNotes({ type: 'string', ...described }, [`${what}, written as JSON text`], fit, place);
}
