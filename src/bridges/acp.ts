/** Servers that an Agent Client Protocol session brings along, as servers of our own: `openHost({ servers })`. */

import { HoltError } from '../kernel/errors.ts';
import { literalValues } from '../roster/literal-values.ts';
import type { ServerConfig } from '../roster/server-config.ts';

interface Pair {
  readonly name: string;
  readonly value: string;
}

/** As the protocol's `session/new` has them. A server without a type is a program. */
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
 * For the `servers` of `openHost`. Names are for people there: what a name of ours may not have becomes `_`. Throws
 * `config-invalid` when two have the same name: one would hide the other.
 */
export function serversFromAcp(list: readonly AcpServer[]): Record<string, ServerConfig> {
  const servers = new Map<string, ServerConfig>();
  for (const server of list) {
    const name = server.name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, 100);
    if (servers.has(name)) {
      const reason = `two servers are called "${name}"`;
      throw new HoltError('config-invalid', `Invalid server config: ${reason}`, { errors: [reason] });
    }
    // The protocol knows no placeholders: whoever sends a value has filled it in.
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
