/** Parses what a user pastes after a login: the URL that the browser ended at, or only the code. Pure. */

import { foreignText } from './login-errors.ts';

export interface PastedAnswer {
  readonly code: string;
  readonly state?: string;
  readonly iss?: string;
}

export interface PastedRefusal {
  readonly words: string;
  readonly state?: string;
  readonly iss?: string;
}

export type ReadCallback =
  | { readonly kind: 'answer'; readonly answer: PastedAnswer }
  /** The provider refused the login. */
  | { readonly kind: 'refused'; readonly refusal: PastedRefusal }
  | { readonly kind: 'unreadable' };

/** The query of a callback has at most 8 KiB; the rest is for the address before it. */
const maxLength = 16 << 10;

/** Accepts a whole URL, a query string, or a bare code without white space. */
export function readCallback(text: string): ReadCallback {
  const trimmed = text.length > maxLength ? '' : text.trim();
  if (trimmed === '') return { kind: 'unreadable' };
  const query = queryOf(trimmed);
  if (query === undefined)
    return /\s/.test(trimmed) ? { kind: 'unreadable' } : { kind: 'answer', answer: { code: trimmed } };
  const [code, state, iss, error] = ['code', 'state', 'iss', 'error'].map(
    (name) => query.get(name) ?? undefined,
  );
  const sender = { ...(state === undefined ? {} : { state }), ...(iss === undefined ? {} : { iss }) };
  if (error !== undefined) {
    const description = query.get('error_description');
    const words = foreignText(description === null ? error : `${description} (${error})`);
    return { kind: 'refused', refusal: { words, ...sender } };
  }
  if (code === undefined || code === '') return { kind: 'unreadable' };
  return { kind: 'answer', answer: { code, ...sender } };
}

/** Returns the query of a whole URL, or of a string that is only the query. */
function queryOf(text: string): URLSearchParams | undefined {
  if (/^[a-z][\w+.-]*:\/\//i.test(text) && URL.canParse(text)) return new URL(text).searchParams;
  return /^\??(?:code|state|error|iss|session_state)=/.test(text) ? new URLSearchParams(text) : undefined;
}
