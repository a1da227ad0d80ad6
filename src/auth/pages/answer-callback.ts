/** Answers callback requests from the browser and settles the login that they belong to. */

import { HoltError } from '../../kernel/errors.ts';
import type { LoopbackAnswer, LoopbackRequest } from '../../platform/listeners/loopback-server.ts';
import { ProviderError } from '../login-errors.ts';
import { refusals, type CallbackPages } from './callback-pages.ts';

const longestWords = 500;
/** Far more than a code, a state, an issuer and an error description need. */
const longestQuery = 8 << 10;

export interface CallbackWait {
  readonly server: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Whether the answer may come from the expected provider. If not, the login stays pending. */
  readonly isFrom?: ((issuer: string | undefined) => boolean) | undefined;
  /** Called for the first answer that `isFrom` refuses. */
  readonly onForeign?: (() => void) | undefined;
}

export interface CallbackAnswer {
  readonly code: string;
  readonly iss?: string;
}

/** A pending login. */
export interface Waiting {
  readonly how: CallbackWait;
  readonly succeed: (answer: CallbackAnswer) => void;
  readonly fail: (error: unknown) => void;
  /** An answer with this login's state came from another issuer. */
  readonly refuseForeign: () => void;
}

interface Answering {
  readonly paths: readonly string[];
  readonly waiting: Map<string, Waiting>;
  readonly pages: CallbackPages;
}

/** Returns the page for a request. A rejected callback leaves all pending logins unchanged. */
export function answerTo(request: LoopbackRequest, parts: Answering): LoopbackAnswer {
  const { paths } = parts;
  if (!paths.includes(request.path)) return refusals.notFound;
  if (request.method !== 'GET') return refusals.method;
  if (request.search.length > longestQuery) return refusals.tooLong;
  return answerQuery(new URLSearchParams(request.search), parts);
}

function answerQuery(query: URLSearchParams, { waiting, pages }: Answering): LoopbackAnswer {
  const state = query.get('state') ?? '';
  if (state === '') return refusals.missingState;
  if (['state', 'code', 'error', 'iss'].some((name) => query.getAll(name).length > 1))
    return refusals.repeated;
  const found = waiting.get(state);
  if (found === undefined) return refusals.invalidState;
  if (!query.has('error') && (query.get('code') ?? '') === '') return refusals.missingCode;
  if (found.how.isFrom?.(query.get('iss') ?? undefined) === false) {
    found.refuseForeign();
    return refusals.foreignIssuer;
  }
  // The state is used up from here on, whatever the answer is.
  waiting.delete(state);
  return settle(query, found, pages);
}

/** Settles the login once the page has been sent, because the port may close after that. */
function settle(
  query: URLSearchParams,
  { how, succeed, fail }: Waiting,
  pages: CallbackPages,
): LoopbackAnswer {
  const failWith = (reason: string, cause?: ProviderError): LoopbackAnswer => ({
    ...pages.failed,
    onSent: () => fail(failed(how.server, reason, cause)),
  });
  const iss = query.get('iss') ?? undefined;
  const error = query.get('error');
  if (error !== null) {
    const words = query.get('error_description') ?? '';
    return failWith(providersWords(error, words), new ProviderError(error, 302, words));
  }
  const answer = { code: query.get('code') ?? '', ...(iss === undefined ? {} : { iss }) };
  return { ...pages.received, onSent: () => succeed(answer) };
}

function providersWords(error: string, description: string): string {
  const words = description === '' ? error : `${description} (${error})`;
  return words.length > longestWords ? `${words.slice(0, longestWords)}…` : words;
}

export function failed(server: string, reason: string, cause?: unknown): HoltError<'auth-failed'> {
  return new HoltError(
    'auth-failed',
    `OAuth authentication failed: ${reason}`,
    { server, reason },
    { cause },
  );
}
