/** What a person pastes, or a program passes on, after a login: the address the browser ended at, or just the code. Pure. */

import { foreignWords } from './login-errors.ts';

export interface PastedAnswer {
  readonly code: string;
  readonly state?: string;
  readonly iss?: string;
}

export type ReadCallback =
  | { readonly kind: 'answer'; readonly answer: PastedAnswer }
  /** The provider said no; `state` tells to which login. */
  | { readonly kind: 'refused'; readonly state: string | undefined; readonly words: string }
  | { readonly kind: 'unreadable' };

export function readCallback(text: string): ReadCallback {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'unreadable' };
  const query = queryOf(trimmed);
  if (query === undefined)
    return /\s/.test(trimmed) ? { kind: 'unreadable' } : { kind: 'answer', answer: { code: trimmed } };
  const [code, state, iss, error] = ['code', 'state', 'iss', 'error'].map(
    (name) => query.get(name) ?? undefined,
  );
  if (error !== undefined) {
    const description = query.get('error_description');
    return {
      kind: 'refused',
      state,
      words: foreignWords(description === null ? error : `${description} (${error})`),
    };
  }
  if (code === undefined || code === '') return { kind: 'unreadable' };
  return {
    kind: 'answer',
    answer: { code, ...(state === undefined ? {} : { state }), ...(iss === undefined ? {} : { iss }) },
  };
}

/** Of a whole address, or of the part after the question mark. */
function queryOf(text: string): URLSearchParams | undefined {
  if (/^[a-z][\w+.-]*:\/\//i.test(text) && URL.canParse(text)) return new URL(text).searchParams;
  return /^\??(?:code|state|error|iss|session_state)=/.test(text) ? new URLSearchParams(text) : undefined;
}
