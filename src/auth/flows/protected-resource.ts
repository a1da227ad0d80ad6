/** Reads which login servers a server names (RFC 9728). Accepts this only from the server's own origin. */

import { loginFailed } from '../login-errors.ts';
import { isUsersOwn, type LoginTarget } from '../login-target.ts';
import type { Fetch } from './login-server.ts';
import { readJson } from './requests.ts';

export interface ProtectedResource {
  /** The resource identifier, unchanged, because it is sent byte for byte. */
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes?: string;
}

/**
 * Returns undefined when the server has no such metadata. Rejects when the metadata is for another resource.
 */
export async function readProtectedResource(
  target: LoginTarget,
  fetch: Fetch,
  named: URL | undefined,
): Promise<ProtectedResource | undefined> {
  // A document from another origin is not evidence, so a header that names one is ignored.
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

/**
 * Whether `resource` has the same origin and its path is a prefix of the URL's, segment by segment:
 * `https://a.test.evil` does not cover `https://a.test`.
 */
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
