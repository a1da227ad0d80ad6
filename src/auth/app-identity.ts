/** How the program that runs here introduces itself: to MCP servers, to login servers, and on the page after a login. */

export interface AppIdentity {
  /** `clientInfo.name`, `client_name`, and the title of the page. */
  readonly name: string;
  /** `clientInfo.version`. */
  readonly version: string;
  /** `client_uri`: a page about the program. */
  readonly url?: string;
}

/** holt itself, where no program embeds it. A test compares the version with the package's. */
export const holtApp = {
  name: 'holt',
  version: '0.1.0',
  url: 'https://www.npmjs.com/package/holt',
} as const satisfies AppIdentity;

/** As an MCP server is told. */
export function clientInfoOf({ name, version }: AppIdentity): {
  readonly name: string;
  readonly version: string;
} {
  return { name, version };
}
