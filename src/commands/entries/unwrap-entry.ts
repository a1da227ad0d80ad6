/**
 * Lets `holt add-json` take an entry that is copied with the file structure around it. Only the entry is
 * written.
 */

import { isObject, type JsonObject } from '../../kernel/json.ts';
import { usage } from './add-options.ts';

/** Keys that hold servers by name in the file of some agent. */
const serverMaps = ['mcpServers', 'mcp_servers', 'servers', 'mcp', 'context_servers', 'extensions'] as const;
/** An object with a string or an array under one of these keys is a server. */
const serverKeys = ['command', 'cmd', 'url', 'serverUrl', 'httpUrl', 'uri', 'type', 'transport'] as const;

/**
 * Returns the entry for `name`: the given value, or the entry inside of it. Throws `usage-invalid` if it has
 * none, or several and none of that name.
 */
export function unwrapEntry(name: string, given: unknown): unknown {
  if (!isObject(given) || isServer(given)) return given;
  const key = serverMaps.find((one) => isObject(given[one]) && !isServer(given[one]));
  const map = key === undefined ? given : given[key];
  // In VS Code's settings `servers` is inside of `mcp`.
  if (key === 'mcp' && isObject(map) && isObject(map['servers'])) return unwrapEntry(name, map);
  return isObject(map) && (key !== undefined || Object.values(map).every(isServer))
    ? entryIn(map, name)
    : given;
}

function entryIn(map: JsonObject, name: string): unknown {
  const names = Object.keys(map);
  if (Object.hasOwn(map, name)) {
    if (names.length === 1) return map[name];
  } else if (names.length === 1) {
    return map[names[0] ?? ''];
  }
  if (names.length === 0) throw usage('The JSON has no server in it', `Write holt add-json ${name} '{…}'.`);
  throw usage(
    `The JSON has ${names.length} servers in it: ${names.join(', ')}`,
    'holt add-json adds one: leave the others out, or add them one by one.',
  );
}

function isServer(value: unknown): boolean {
  return (
    isObject(value) && serverKeys.some((key) => typeof value[key] === 'string' || Array.isArray(value[key]))
  );
}
