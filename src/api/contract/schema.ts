/**
 * Schemas as values: the same object validates input, appears in the OpenAPI document and provides the
 * TypeScript type. Supports only what the API needs of JSON Schema. Also defines what a
 * route consists of.
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

export const tokenScopes = ['read', 'call', 'admin', 'trust'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export interface Route {
  /** Undefined for a route without a token: it only needs to pass the checks of Host and Origin. */
  readonly scope: TokenScope | undefined;
  readonly summary: string;
  readonly query?: Schema<unknown>;
  readonly body?: Schema<unknown>;
  /** A request without a body counts as `{}`. */
  readonly bodyOptional?: true;
  /** JSON unless `kind` says otherwise. */
  readonly answer: Schema<unknown>;
  readonly kind?: 'json' | 'text' | 'html' | 'svg' | 'events';
  /** Also answers as an event stream when the request has `Accept: text/event-stream`. */
  readonly streams?: Readonly<Record<string, Schema<unknown>>>;
}

export function defineRoute<const Definition extends Route>(route: Definition): Definition {
  return route;
}

type Segments<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | Segments<`/${Tail}`>
    : Rest
  : never;

/** The names of a path's parameters: `/mcp/:name/logs` has `name`. */
export type PathParams<Key extends string> = Segments<Key>;

type Part<Definition, Field extends string> = Definition extends { readonly [Name in Field]: infer Type }
  ? Infer<Type>
  : undefined;
export type QueryOf<Definition> = Part<Definition, 'query'>;
export type BodyOf<Definition> = Part<Definition, 'body'>;
export type AnswerOf<Definition> = Part<Definition, 'answer'>;
