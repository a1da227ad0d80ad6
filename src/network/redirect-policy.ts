/** Decides whether to follow a redirect: only for GET, only within the origin, at most three times. Pure. */

const statuses = new Set([301, 302, 303, 307, 308]);
const mostHops = 3;

export interface Hop {
  readonly method: string;
  readonly from: URL;
  readonly status: number;
  readonly location: string | null;
  /** How many redirects have already been followed. */
  readonly followed: number;
}

export type RedirectVerdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'follow'; readonly to: URL }
  | { readonly kind: 'refuse'; readonly to: string; readonly reason: string };

export function decideRedirect({ method, from, status, location, followed }: Hop): RedirectVerdict {
  if (!statuses.has(status) || location === null) return { kind: 'none' };
  if (!URL.canParse(location, from.href))
    return { kind: 'refuse', to: 'an invalid address', reason: 'it is not a URL' };
  const to = new URL(location, from);
  const shown = `${to.protocol}//${to.host}${to.pathname}`;
  if (to.origin !== from.origin) return { kind: 'refuse', to: shown, reason: 'it leaves the origin' };
  if (method !== 'GET') return { kind: 'refuse', to: shown, reason: `a ${method} is never sent on` };
  if (to.username !== '' || to.password !== '')
    return { kind: 'refuse', to: shown, reason: 'it carries credentials' };
  if (followed >= mostHops) return { kind: 'refuse', to: shown, reason: `more than ${mostHops} in a row` };
  return { kind: 'follow', to };
}
