/** Routes for logins. They never return a server's tokens, only where to log in and the outcome. */

import type { Handlers } from './handler.ts';
import type { ServerHandlerParts } from './servers.ts';

export type LoginHandlerParts = Pick<ServerHandlerParts, 'host' | 'entryOf'>;

type Mine = Extract<keyof Handlers, `${string}/auth` | `${string}/auth/${string}`>;

export function loginHandlers({ host, entryOf }: LoginHandlerParts): Pick<Handlers, Mine> {
  return {
    'POST /mcp/:name/auth': async ({ params, body: { scope } }) => {
      const { authorizationUrl, state } = await host.startAuth(params.name, { scope });
      return { authorizationUrl, oauthState: state };
    },
    'POST /mcp/:name/auth/callback': ({ params, body }) => host.finishAuth(params.name, body),
    'POST /mcp/:name/auth/authenticate': ({ params, body: { flow, scope }, signal }) =>
      host.authenticate(params.name, { flow, scope, signal }),
    'DELETE /mcp/:name/auth': async ({ params }) => {
      const outcome = await host.removeAuth(params.name);
      // A login may outlive its server. If neither exists, this rejects with `server-not-found`.
      if (!outcome.removed) await entryOf(params.name);
      return { success: true, ...outcome };
    },
  };
}
