/** The pages that the browser shows after a login. They never contain data from the request. */

import { HoltError } from '../kernel/errors.ts';
import { sha256 } from '../kernel/hash.ts';
import { escapeHtml } from '../masking/escape-text.ts';
import type { LoopbackAnswer, LoopbackRequest } from '../platform/listeners/loopback-server.ts';
import { ProviderError } from './login-errors.ts';

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const style =
  'body{margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;background:#111;color:#ddd;font:16px/1.5 system-ui,sans-serif}h1{font-size:22px;font-weight:600;margin:0 0 8px}p{margin:0;color:#999}';

/** Removes the code from the address bar and the history. */
const leave = "history.replaceState(null,'',location.pathname);";
const leaveAndClose = `${leave}setTimeout(()=>close(),2000);`;

const always = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

function hashOf(text: string): string {
  return `'sha256-${Buffer.from(sha256(text), 'hex').toString('base64')}'`;
}

function policy(sources: string): string {
  return `default-src 'none'; ${sources}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

interface PageText {
  readonly title: string;
  readonly heading?: string;
  readonly script: string;
}

function page({ title, heading, script }: PageText): Page {
  const first = heading === undefined ? '' : `<h1>${heading}</h1>`;
  return {
    status: 200,
    headers: {
      ...always,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy(`style-src ${hashOf(style)}; script-src ${hashOf(script)}; `),
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="dark"><title>${escapeHtml(title)}</title><style>${style}</style><main>${first}<p>You can close this window</p></main><script>${script}</script></html>\n`,
  };
}

function refusal(status: number, text: string, more: Readonly<Record<string, string>> = {}): Page {
  return {
    status,
    headers: {
      ...always,
      ...more,
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Security-Policy': policy(''),
    },
    body: `${text}\n`,
  };
}

export interface CallbackPages {
  /** Does not report success: that is known only after the code exchange, where the login was started. */
  readonly received: Page;
  /**
   * Does not show the reason: it would put text from another party on holt's page. It is reported where the
   * login was started.
   */
  readonly failed: Page;
}

/** `title` is the name of the program that the user logs in for. */
export function callbackPages(title: string): CallbackPages {
  return {
    received: page({ title, script: leaveAndClose }),
    failed: page({ title, heading: 'The login failed', script: leave }),
  };
}

export const refusals = {
  notFound: refusal(404, 'Not Found'),
  method: refusal(405, 'Method Not Allowed', { Allow: 'GET' }),
  missingState: refusal(400, 'Missing state parameter'),
  invalidState: refusal(400, 'Invalid state'),
  missingCode: refusal(400, 'Missing code parameter'),
  repeated: refusal(400, 'Repeated parameter'),
  foreignIssuer: refusal(400, 'Invalid issuer'),
  tooLong: refusal(414, 'URI Too Long'),
} as const;

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
