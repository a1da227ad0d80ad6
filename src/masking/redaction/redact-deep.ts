/** Copies a value and passes every string in it through a function. Handles cycles and deep nesting. */

import { SecretValue } from '../secret-value.ts';

/** Deeper than JSON.stringify reliably supports; deeper values are replaced. */
const maxDepth = 500;
const tooDeep = '[too deep]';

type Redact = (text: string) => string;

export function redactDeep<Value>(value: Value, redact: Redact): Value {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the copy has the shape of the original
  return copy(value, 0, { redact, copies: new Map() }) as Value;
}

interface Context {
  readonly redact: Redact;
  /** Maps originals to their copies, so that a cycle in the original becomes the same cycle in the copy. */
  readonly copies: Map<object, unknown>;
}

function copy(value: unknown, depth: number, context: Context): unknown {
  if (typeof value === 'string') return context.redact(value);
  if (typeof value !== 'object' || value === null || isOpaque(value)) return value;
  if (context.copies.has(value)) return context.copies.get(value);
  if (depth > maxDepth) return tooDeep;
  return copyObject(value, (inner) => copy(inner, depth + 1, context), context);
}

function copyObject(value: object, inner: (value: unknown) => unknown, context: Context): unknown {
  const { copies, redact } = context;
  if (value instanceof URL) return redact(value.href);
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    copies.set(value, list);
    for (const item of value) list.push(inner(item));
    return list;
  }
  if (value instanceof Map) {
    const map = new Map<unknown, unknown>();
    copies.set(value, map);
    for (const [key, item] of value) map.set(inner(key), inner(item));
    return map;
  }
  if (value instanceof Set) {
    const set = new Set<unknown>();
    copies.set(value, set);
    for (const item of value) set.add(inner(item));
    return set;
  }
  return copyFields(value, inner, context);
}

function copyFields(value: object, inner: (value: unknown) => unknown, { copies, redact }: Context): object {
  // An error keeps its class, and also its message and stack, which are not enumerable.
  const isError = value instanceof Error;
  const target: object = isError ? Object.create(Object.getPrototypeOf(value)) : {};
  copies.set(value, target);
  for (const key of isError ? Reflect.ownKeys(value) : Object.keys(value)) {
    const name = typeof key === 'string' ? redact(key) : key;
    const copied = inner(Reflect.get(value, key));
    // Assignment is several times as fast as defining a property, but must not be used for keys such as
    // `__proto__`.
    if (isError || name in target) define(target, name, copied, isEnumerable(value, key));
    else Reflect.set(target, name, copied);
  }
  return target;
}

function isEnumerable(value: object, key: PropertyKey): boolean {
  return Object.prototype.propertyIsEnumerable.call(value, key);
}

function define(target: object, key: PropertyKey, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}

/** True for values that contain no text, or that hide it themselves. */
function isOpaque(value: object): boolean {
  return value instanceof SecretValue || value instanceof Date || ArrayBuffer.isView(value);
}
