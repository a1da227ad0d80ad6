/**
 * Schemas as values: the same object validates input, appears in the OpenAPI document and provides the
 * TypeScript type. Supports only what the API needs of JSON Schema.
 */

import type { JsonObject } from '../../kernel/json.ts';

declare const carried: unique symbol;

export interface Schema<Value> {
  /** A schema with a name is written only once in the OpenAPI document. */
  readonly name?: string;
  /** Returns JSON Schema. When `refer` returns something for a nested schema, that is used in its place. */
  readonly render: (refer?: Refer) => JsonObject;
  /** Exists only for the compiler. */
  readonly [carried]?: Value;
}
export type Refer = (schema: Schema<unknown>) => JsonObject | undefined;

interface OptionalSchema<Value> extends Schema<Value> {
  readonly optional: true;
}

export type Infer<Type> = Type extends Schema<infer Value> ? Value : never;

type Fields = Readonly<Record<string, Schema<unknown>>>;
type OptionalKeys<Shape> = {
  [Key in keyof Shape]: Shape[Key] extends OptionalSchema<unknown> ? Key : never;
}[keyof Shape];
type Flat<Type> = { [Key in keyof Type]: Type[Key] };
type ObjectOf<Shape> = Flat<
  { readonly [Key in Exclude<keyof Shape, OptionalKeys<Shape>>]: Infer<Shape[Key]> } & {
    readonly [Key in OptionalKeys<Shape>]?: Infer<Shape[Key]>;
  }
>;

interface Words {
  readonly description?: string;
}
interface TextRules extends Words {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}
interface NumberRules extends Words {
  readonly minimum?: number;
  readonly maximum?: number;
}

function of<Value>(json: JsonObject): Schema<Value> {
  return { render: () => json };
}

export const s = {
  string: (rules: TextRules = {}): Schema<string> => of({ type: 'string', ...rules }),
  integer: (rules: NumberRules = {}): Schema<number> => of({ type: 'integer', ...rules }),
  number: (rules: NumberRules = {}): Schema<number> => of({ type: 'number', ...rules }),
  boolean: (rules: Words = {}): Schema<boolean> => of({ type: 'boolean', ...rules }),
  literal: <const Value extends string | number | boolean>(value: Value): Schema<Value> =>
    of({ const: value }),
  oneOf: <const Value extends string>(values: readonly Value[], rules: Words = {}): Schema<Value> =>
    of({ type: 'string', enum: values, ...rules }),
  /** Any JSON value. */
  anything: (rules: Words = {}): Schema<unknown> => of({ ...rules }),
  /** An object with unknown fields. */
  anyObject: (rules: Words = {}): Schema<Readonly<Record<string, unknown>>> =>
    of({ type: 'object', ...rules }),

  array: <Value>(items: Schema<Value>, rules: Words = {}): Schema<readonly Value[]> => ({
    render: (refer) => ({ type: 'array', items: place(items, refer), ...rules }),
  }),
  record: <Value>(values: Schema<Value>, rules: Words = {}): Schema<Readonly<Record<string, Value>>> => ({
    render: (refer) => ({ type: 'object', additionalProperties: place(values, refer), ...rules }),
  }),
  object: <const Shape extends Fields>(fields: Shape, rules: Words = {}): Schema<ObjectOf<Shape>> =>
    objectSchema(fields, { ...rules }),
  /** Refuses unknown fields, because a misspelt one would otherwise be ignored silently. */
  exactObject: <const Shape extends Fields>(fields: Shape, rules: Words = {}): Schema<ObjectOf<Shape>> =>
    objectSchema(fields, { ...rules, additionalProperties: false }),
  union: <const Members extends readonly Schema<unknown>[]>(
    members: Members,
    rules: Words = {},
  ): Schema<Infer<Members[number]>> => ({
    render: (refer) => ({ anyOf: members.map((member) => place(member, refer)), ...rules }),
  }),
  optional: <Value>(schema: Schema<Value>): OptionalSchema<Value> => ({ ...schema, optional: true }),
  named: <Value>(name: string, schema: Schema<Value>): Schema<Value> => ({ ...schema, name }),
};

function objectSchema<Shape extends Fields>(fields: Shape, rules: JsonObject): Schema<ObjectOf<Shape>> {
  const required = Object.keys(fields).filter((key) => !('optional' in (fields[key] ?? {})));
  return {
    render: (refer) => ({
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(fields).map(([key, field]) => [key, place(field, refer)]),
      ),
      ...(required.length === 0 ? {} : { required }),
      ...rules,
    }),
  };
}

/** Renders a schema where it is used: in full, or as a reference to its definition. */
export function place(schema: Schema<unknown>, refer: Refer | undefined): JsonObject {
  return refer?.(schema) ?? schema.render(refer);
}
