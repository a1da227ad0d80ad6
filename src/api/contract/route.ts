/** Defines what a route consists of: who may use it, what it takes and what it answers. */

import type { Infer, Schema } from './schema.ts';

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
