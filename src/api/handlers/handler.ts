/** What answers a route: gets what was checked, gives what the contract says. */

import type { AnswerOf, BodyOf, PathParams, QueryOf, RouteKey, Routes, TokenScope } from '../contract.ts';
import type { HttpStream } from '../../platform/http-server.ts';
import { valuesOf } from '../gate/origins.ts';

export interface RouteCall<Key extends RouteKey> {
  readonly params: Readonly<Record<PathParams<Key>, string>>;
  readonly query: QueryOf<Routes[Key]>;
  readonly body: BodyOf<Routes[Key]>;
  readonly headers: readonly (readonly [string, string])[];
  readonly scopes: ReadonlySet<TokenScope>;
  /** Aborted when the client goes away, or the service cannot wait any longer. */
  readonly signal: AbortSignal;
}

/** An answer that comes bit by bit. */
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
