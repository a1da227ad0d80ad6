/** Collects the names of a tool's parameters, including nested ones. */

import { isObject } from '../../kernel/json.ts';

const maxDepth = 4;
const maxNames = 200;

export function parameterNames(schema: unknown): readonly string[] {
  const names: string[] = [];
  collect(schema, 0, names);
  return names;
}

function collect(schema: unknown, depth: number, into: string[]): void {
  if (!isObject(schema) || depth > maxDepth) return;
  const { properties, items } = schema;
  collect(items, depth + 1, into);
  if (!isObject(properties)) return;
  for (const [name, inner] of Object.entries(properties)) {
    if (into.length >= maxNames) return;
    into.push(name);
    collect(inner, depth + 1, into);
  }
}
