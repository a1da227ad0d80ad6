/**
 * Sends requests with the stored login, and retries when the login had to be renewed or its scope extended.
 */

import { asksForLogin, type RemoteLogin, type Refused } from '../../auth/remote-login.ts';
import type { Remote } from '../../network/create-network.ts';
import type { FetchHooks, RemoteFetch } from '../../network/remote-fetch.ts';

/**
 * Maximum number of renewals per request: one for a rejected token (401), two for an insufficient scope
 * (403).
 */
const most = { 401: 1, 403: 2 } as const;

/** Wraps `remote` so that requests to the login's origin carry the authorization header. */
export function withLogin(remote: Remote, login: RemoteLogin): Remote {
  return {
    fetch: loggedIn(remote.fetch, login),
    dial: (url, signal) => remote.dial(url, signal),
    close: () => remote.close(),
  };
}

function loggedIn(send: RemoteFetch, login: RemoteLogin): RemoteFetch {
  return async (url, init = {}, hooks = {}) => {
    if (new URL(url).origin !== login.origin) return send(url, init, hooks);
    const tried = { 401: 0, 403: 0 };
    let authorization = await login.authorization();
    for (;;) {
      const held = holdEnd(hooks);
      const response = await send(
        url,
        { ...init, headers: headersWith(init, authorization) },
        held.hooks,
      ).catch((error: unknown) => {
        held.letGo();
        throw error;
      });
      const refused = refusalOf(response);
      if (refused === undefined) {
        held.letGo();
        return response;
      }
      await response.body?.cancel();
      if ((tried[refused.status] += 1) > most[refused.status]) throw login.refusal(refused);
      authorization = await login.renew(authorization, refused);
    }
  };
}

function refusalOf({ status, headers }: Response): (Refused & { readonly status: 401 | 403 }) | undefined {
  const refused = { status, wwwAuthenticate: headers.get('www-authenticate') };
  if (!asksForLogin(refused)) return undefined;
  return { ...refused, status: status === 401 ? 401 : 403 };
}

function headersWith({ headers: given }: RequestInit, authorization: string | undefined): Headers {
  const headers = new Headers(given);
  if (authorization !== undefined) headers.set('authorization', authorization);
  return headers;
}

/** Delays `onEnd` until the response is passed on. If it is never passed on, `onEnd` is not called. */
function holdEnd(hooks: FetchHooks): { readonly hooks: FetchHooks; letGo(): void } {
  const { onEnd } = hooks;
  if (onEnd === undefined) return { hooks, letGo: () => undefined };
  let isHeld = true;
  let ended: Parameters<typeof onEnd> | undefined;
  return {
    hooks: {
      ...hooks,
      onEnd: (failure) => {
        if (isHeld) ended = [failure];
        else onEnd(failure);
      },
    },
    letGo: () => {
      isHeld = false;
      if (ended !== undefined) onEnd(...ended);
    },
  };
}
