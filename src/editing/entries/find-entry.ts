/**
 * Finds a server in a document: by its name in a map or list, or by the position that its definition came
 * from.
 */

import type { JsonValue } from '../../kernel/json.ts';
import type { Path } from '../../documents/edit-document.ts';
import {
  createLineIndex,
  dig,
  get,
  toValue,
  type DocNode,
  type ParsedDocument,
} from '../../documents/tree.ts';
import type { Position } from '../../documents/tree.ts';
import type { EntryContainer } from '../../agents/agent-format.ts';

export interface FoundEntry {
  /** The path of the map or list that contains the entry. */
  readonly path: Path;
  readonly key: string | number;
  readonly value: JsonValue;
}

export function findNamed(
  root: DocNode | undefined,
  container: EntryContainer,
  name: string,
): FoundEntry | undefined {
  for (const path of container.paths) {
    const node = dig(root, path);
    const found = container.kind === 'map' ? inMap(node, name) : inList(node, name);
    if (found !== undefined) return { path, key: found.key, value: toValue(found.node) };
  }
  return undefined;
}

interface Child {
  readonly key: string | number;
  readonly node: DocNode;
  /** The offset from which a definition takes its position. */
  readonly at: number;
}

function inMap(node: DocNode | undefined, name: string): Child | undefined {
  return children(node).findLast(({ key }) => key === name);
}

function inList(node: DocNode | undefined, name: string): Child | undefined {
  if (node?.kind !== 'array') return undefined;
  return children(node).findLast((child) => {
    const own = get(child.node, 'name');
    return (own?.kind === 'string' || own?.kind === 'number') && String(own.value) === name;
  });
}

function children(node: DocNode | undefined): readonly Child[] {
  if (node?.kind === 'array') return node.items.map((item, key) => ({ key, node: item, at: item.start }));
  if (node?.kind !== 'object') return [];
  return node.entries.map(({ key, keyStart, value }) => ({ key, node: value, at: keyStart }));
}

/** Finds the entry at a position. List items are identified by position alone, map entries also by name. */
export function findAt(
  { text, root }: ParsedDocument,
  place: Position,
  name: string,
): FoundEntry | undefined {
  const position = createLineIndex(text);
  const isHere = ({ key, at }: Child): boolean => {
    if (typeof key === 'string' && key !== name) return false;
    const { line, column } = position(at);
    return line === place.line && column === place.column;
  };
  const search = (node: DocNode | undefined, path: Path): FoundEntry | undefined => {
    for (const child of children(node)) {
      if (isHere(child)) return { path, key: child.key, value: toValue(child.node) };
      const deeper = search(child.node, [...path, child.key]);
      if (deeper !== undefined) return deeper;
    }
    return undefined;
  };
  return search(root, []);
}
