/** Defines a route's handler: it gets validated input and returns what the contract specifies. */

import type { AnswerOf, BodyOf, PathParams, QueryOf, RouteKey, Routes, TokenScope } from '../contract.ts';
import type { HttpStream } from '../../platform/listeners/http-server.ts';
import { valuesOf } from '../gate/origins.ts';

export interface RouteCall<Key extends RouteKey> {
  readonly params: Readonly<Record<PathParams<Key>, string>>;
  readonly query: QueryOf<Routes[Key]>;
  readonly body: BodyOf<Routes[Key]>;
  readonly headers: readonly (readonly [string, string])[];
  readonly scopes: ReadonlySet<TokenScope>;
  /** Aborted when the client disconnects, or when a closing service cannot wait any longer. */
  readonly signal: AbortSignal;
}

/** An answer that is sent in parts. */
export class Streamed {
  readonly run: (stream: HttpStream) => Promise<void>;

  constructor(run: (stream: HttpStream) => Promise<void>) {
    this.run = run;
  }
}

export type Handler<Key extends RouteKey> = (
  call: RouteCall<Key>,
) => AnswerOf<Routes[Key]> | Streamed | Promise<AnswerOf<Routes[Key]> | Streamed>;

export type Handlers = { readonly [Key in RouteKey]: Handler<Key> };

export function headerOf(
  { headers }: Pick<RouteCall<RouteKey>, 'headers'>,
  name: string,
): string | undefined {
  return valuesOf(headers, name)[0];
}
