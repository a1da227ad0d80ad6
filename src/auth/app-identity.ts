/**
 * How the program identifies itself: to MCP servers, to login servers, and on the page shown after a login.
 */

import manifest from '../../package.json' with { type: 'json' };

export interface AppIdentity {
  /** Used as `clientInfo.name`, `client_name` and the title of the page. */
  readonly name: string;
  /** Used as `clientInfo.version`. */
  readonly version: string;
  /** Used as `client_uri`: a web page about the program. */
  readonly url?: string;
}

/** The identity of holt itself, used when no other program embeds it. */
export const holtApp = {
  name: 'holt',
  version: manifest.version,
  url: 'https://www.npmjs.com/package/holt',
} as const satisfies AppIdentity;

/** Returns the `clientInfo` that MCP servers receive. */
export function clientInfoOf({ name, version }: AppIdentity): {
  readonly name: string;
  readonly version: string;
} {
  return { name, version };
}
