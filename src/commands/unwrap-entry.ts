/** `holt add-json`: documentation shows an entry inside the file that it belongs to; only the entry itself is written. */

import { usage } from './add-options.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Keys that hold servers by name, in any agent's file. */
const serverMaps = ['mcpServers', 'mcp_servers', 'servers', 'mcp', 'context_servers', 'extensions'] as const;
/** An object with one of these as text or list is a server. */
const serverKeys = ['command', 'cmd', 'url', 'serverUrl', 'httpUrl', 'uri', 'type', 'transport'] as const;

/** The entry for `name`: what is given, or the one inside of it. */
export function unwrapEntry(name: string, given: unknown): unknown {
  if (!isObject(given) || isServer(given)) return given;
  const key = serverMaps.find((one) => isObject(given[one]) && !isServer(given[one]));
  const map = key === undefined ? given : given[key];
  // VS Code's settings have one inside of the other.
  if (key === 'mcp' && isObject(map) && isObject(map['servers'])) return unwrapEntry(name, map);
  return isObject(map) && (key !== undefined || Object.values(map).every(isServer))
    ? entryIn(map, name)
    : given;
}

function entryIn(map: Fields, name: string): unknown {
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

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
