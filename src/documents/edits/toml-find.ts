/** Finds where a path of a TOML document is written: in a dotted key, or inside an inline table or an array. */

import type { AST } from 'toml-eslint-parser';

import type { Path } from '../edit.ts';
import { isPrefix, namesOf, type Pair, type Statement } from './toml-statements.ts';

/** A position inside a value. */
export interface Inline {
  readonly node: AST.TOMLInlineTable | AST.TOMLArray;
  /** The part of the path that does not exist, or that is written as dotted names. */
  readonly rest: Path;
}

/**
 * Returns where a path continues inside a value, or `undefined` while it stays among headers and dotted keys.
 */
export function findInline(statements: readonly Statement[], path: Path): Inline | undefined {
  for (const statement of statements) {
    if (statement.kind === 'pair' && isPrefix(statement.path, path)) {
      return descend(statement.node.value, path.slice(statement.path.length));
    }
  }
  return undefined;
}

function descend(node: AST.TOMLContentNode, path: Path): Inline | undefined {
  if (node.type === 'TOMLValue') return undefined;
  const [key] = path;
  if (node.type === 'TOMLArray') {
    const item = typeof key === 'number' ? node.elements[key] : undefined;
    return item === undefined ? { node, rest: path } : descend(item, path.slice(1));
  }
  for (const pair of node.body) {
    const names = namesOf(pair.key);
    if (isPrefix(names, path)) return descend(pair.value, path.slice(names.length));
  }
  return { node, rest: path };
}

export function childOf(inline: Inline | undefined, key: string | number): AST.TOMLContentNode | undefined {
  if (inline === undefined) return undefined;
  if (inline.node.type === 'TOMLArray')
    return typeof key === 'number' ? inline.node.elements[key] : undefined;
  const names = [...inline.rest, key];
  return inline.node.body.find((pair) => samePath(namesOf(pair.key), names))?.value;
}

/** Returns the last pair with a dotted key that leads through the path, if the map is written that way. */
export function lastDotted(statements: readonly Statement[], path: Path): Pair | undefined {
  const inside = statements.filter((statement) => isPrefix(path, statement.path));
  const pairs = inside.filter((statement) => statement.kind === 'pair');
  if (pairs.length < inside.length) return undefined;
  return pairs.findLast(({ owner }) => (owner?.path.length ?? 0) < path.length);
}

/** True if the tables in this map are written as inline tables, one per line. */
export function prefersInline(statements: readonly Statement[], path: Path): boolean {
  const inside = statements.filter(
    (statement) => isPrefix(path, statement.path) && !samePath(statement.path, path),
  );
  const last = inside.at(-1);
  const onlyPairs = inside.every((statement) => statement.kind === 'pair');
  return onlyPairs && last?.kind === 'pair' && last.node.value.type === 'TOMLInlineTable';
}

export function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && isPrefix(a, b);
}
