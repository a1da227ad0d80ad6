/** What a server says about who logs people in to it (RFC 9728). Read only from the server itself. */

import { loginFailed } from '../login-errors.ts';
import { isUsersOwn, type LoginTarget } from '../login-target.ts';
import type { Fetch } from './login-server.ts';
import { readJson } from './requests.ts';

export interface ProtectedResource {
  /** As it is written: it is sent on byte by byte. */
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes?: string;
}

/** Undefined when the server has nothing of the kind. */
export async function readProtectedResource(
  target: LoginTarget,
  fetch: Fetch,
  named: URL | undefined,
): Promise<ProtectedResource | undefined> {
  // Another origin's document says nothing about this one; a header that names one is as good as none.
  const places = named !== undefined && named.origin === target.url.origin ? [named] : wellKnown(target.url);
  for (const place of places) {
    const response = await fetch(place, { headers: { accept: 'application/json' } });
    if (response.status >= 500 && response.status !== 502)
      throw loginFailed(
        target.server,
        `the server answered ${response.status} when asked for its login server`,
      );
    const document = response.ok ? await readJson(response) : undefined;
    if (document !== undefined && typeof document['resource'] === 'string')
      return checked(target, document, document['resource']);
  }
  return undefined;
}

function wellKnown(url: URL): readonly URL[] {
  const path = url.pathname.replace(/\/$/, '');
  const root = new URL('/.well-known/oauth-protected-resource', url);
  if (path === '') return [root];
  const own = new URL(`/.well-known/oauth-protected-resource${path}`, url);
  own.search = url.search;
  return [own, root];
}

function checked(
  target: LoginTarget,
  document: Readonly<Record<string, unknown>>,
  resource: string,
): ProtectedResource {
  const chosen =
    target.oauth.resource !== undefined && target.oauth.resource !== 'auto' && isUsersOwn(target);
  if (!chosen && !coversResource(resource, target.url))
    throw loginFailed(target.server, 'the server says that its logins are for another place than this one');
  const issuers = textsIn(document['authorization_servers']).filter((issuer) => URL.canParse(issuer));
  const scopes = textsIn(document['scopes_supported']).join(' ');
  return { resource, issuers, ...(scopes === '' ? {} : { scopes }) };
}

/** The same origin, and the whole path or whole steps of it: `https://a.test.evil` is not `https://a.test`. */
export function coversResource(resource: string, url: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname } = new URL(resource);
  return origin === url.origin && steps(url.pathname).startsWith(steps(pathname));
}

function steps(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
