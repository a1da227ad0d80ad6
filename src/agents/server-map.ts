/** Reads the most common layout: a map from names to entries under some key. */

import { dig, get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { ConfigFile, Layer, RawEntry } from './agent-format.ts';

const noEntries: Layer = { entries: [] };

/** Returns the entries of the map at `keys`. Reports a problem if the value is not a map. */
export function mapLayer(file: ConfigFile, keys: readonly string[]): Layer {
  if (!isObjectFile(file)) return noEntries;
  const map = dig(file.root, keys);
  return { entries: entriesOf(file, map, keys.join('.')) };
}

/** Returns false if the file does not contain an object. Reports a problem unless the file is empty. */
export function isObjectFile(file: ConfigFile): boolean {
  if (file.root === undefined) return false;
  if (file.root.kind === 'object') return true;
  file.report({
    severity: 'error',
    code: 'file-shape',
    at: file.root.start,
    message: `the file holds ${file.root.kind === 'array' ? 'a list' : `a single value (${file.root.kind})`} instead of an object`,
  });
  return false;
}

export function entriesOf(file: ConfigFile, map: DocNode | undefined, where: string): readonly RawEntry[] {
  if (map === undefined || map.kind === 'null') return [];
  if (map.kind !== 'object') {
    file.report({
      severity: 'error',
      code: 'file-shape',
      at: map.start,
      message: `"${where}" must be an object of servers, but is ${map.kind === 'array' ? 'a list' : `a ${map.kind}`}`,
    });
    return [];
  }
  return map.entries.map(({ key, keyStart, value }) => ({ name: key, node: value, at: keyStart }));
}

const entryKeys = ['command', 'url', 'serverUrl', 'httpUrl', 'type'];

/** True for an object that is a server by itself rather than a map of servers. */
export function looksLikeEntry(node: DocNode | undefined): node is ObjectNode {
  if (node?.kind !== 'object') return false;
  return entryKeys.some((key) => {
    const kind = get(node, key)?.kind;
    return kind === 'string' || (key === 'command' && kind === 'array');
  });
}

/**
 * Reads files that agents interpret differently: the entries are under a known wrapper key, else at the top
 * level. A wrapper key whose value looks like a server is a server of that name.
 */
export function sniffedLayer(file: ConfigFile, wrappers: readonly string[]): Layer {
  if (!isObjectFile(file) || file.root?.kind !== 'object') return noEntries;
  const wrapper = wrappers.find((key) => {
    const node = get(file.root, key);
    return node !== undefined && !looksLikeEntry(node);
  });
  if (wrapper !== undefined) return mapLayer(file, [wrapper]);
  const bare = file.root.entries.filter((entry) => entry.key !== '$schema');
  if (bare.length === 0 || !bare.every((entry) => looksLikeEntry(entry.value))) return noEntries;
  return { entries: bare.map(({ key, keyStart, value }) => ({ name: key, node: value, at: keyStart })) };
}
