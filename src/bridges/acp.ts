/** Converts the MCP servers of an Agent Client Protocol session to servers for `openHost({ servers })`. */

import { HoltError } from '../kernel/errors.ts';
import { literalValues } from '../roster/runtime-servers.ts';
import type { ServerConfig } from '../roster/server-config.ts';

interface Pair {
  readonly name: string;
  readonly value: string;
}

/** A server in the protocol's `session/new`. Without a type it is a program. */
export type AcpServer =
  | {
      readonly type?: 'stdio' | undefined;
      readonly name: string;
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      readonly env?: readonly Pair[] | undefined;
    }
  | {
      readonly type: 'http' | 'sse';
      readonly name: string;
      readonly url: string;
      readonly headers?: readonly Pair[] | undefined;
    };

/**
 * Returns the `servers` for `openHost`. In ACP, names are for people, so characters that holt does not allow
 * become `_`. Throws `config-invalid` when two have the same name, because one would hide the other.
 */
export function serversFromAcp(list: readonly AcpServer[]): Record<string, ServerConfig> {
  const servers = new Map<string, ServerConfig>();
  for (const server of list) {
    const name = server.name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, 100);
    if (servers.has(name)) {
      const reason = `two servers are named "${name}"`;
      throw new HoltError('config-invalid', `Invalid server config: ${reason}`, { errors: [reason] });
    }
    // The protocol has no placeholders, so all values are literal.
    servers.set(name, Object.assign(configOf(server), { [literalValues]: true }));
  }
  return Object.fromEntries(servers);
}

function configOf(server: AcpServer): ServerConfig {
  if ('url' in server) {
    const { type, url, headers = [] } = server;
    return { type, url, headers: recordOf(headers) };
  }
  const { command, args = [], env = [] } = server;
  return { command, args: [...args], env: recordOf(env) };
}

function recordOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
