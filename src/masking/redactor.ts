/**
 * Knows the secrets in use and removes them from all output: logs, errors, events and results. Values under
 * six characters are ignored, because they would match by chance everywhere. So are values that are part of
 * the replacement string.
 */

import { createMatcher, type Matcher } from './redaction/matcher.ts';
import { spellingsOf } from './redaction/spellings.ts';

const minLength = 6;

/**
 * Redacts text in chunks. `push` returns what is safe to show so far; a secret split across chunks is still
 * found.
 */
interface RedactStream {
  push(chunk: string): string;
  /** Returns the text that was held back. The stream can be used again afterwards. */
  end(): string;
}

export interface Redactor {
  /** Secrets are counted: one that was added twice must be removed twice. */
  add(secret: string | SecretValue): void;
  /**
   * Adds secrets that must be searched for first. The search runs only when something is about to be
   * redacted.
   */
  addFound(find: () => readonly string[]): void;
  remove(secret: string | SecretValue): void;
  /** True when there is any secret to look for. */
  isInUse(): boolean;
  redact(text: string): string;
  /**
   * Returns a copy with every string redacted, including keys and the messages, stacks and causes of errors.
   */
  redactValue<Value>(value: Value): Value;
  redactStream(): RedactStream;
}

export function createRedactor(): Redactor {
  const uses = new Map<string, { readonly count: number; readonly spellings: readonly string[] }>();
  const toFind: (() => readonly string[])[] = [];
  let matcher: Matcher | undefined;

  const count = (secret: string | SecretValue, change: number): void => {
    const value = typeof secret === 'string' ? secret : secret.reveal();
    if (value.trim().length < minLength || secretText.includes(value)) return;
    const before = uses.get(value);
    const after = (before?.count ?? 0) + change;
    if (after > 0)
      uses.set(value, { count: after, spellings: before?.spellings ?? spellingsOf(value, minLength) });
    else uses.delete(value);
    if (before === undefined || after <= 0) matcher = undefined;
  };

  // Built on first use, because many secrets are added in a row when servers start.
  const current = (): Matcher => {
    for (const find of toFind.splice(0)) for (const secret of find()) count(secret, 1);
    matcher ??= createMatcher([...uses.values()].flatMap(({ spellings }) => spellings));
    return matcher;
  };

  const redact = (text: string): string => current().replace(text, secretText);

  return {
    add: (secret) => count(secret, 1),
    addFound: (find) => void toFind.push(find),
    remove: (secret) => count(secret, -1),
    isInUse: () => toFind.length > 0 || uses.size > 0,
    redact,
    redactValue: (value) => redactDeep(value, redact),
    redactStream: () => createStream(current),
  };
}

function createStream(current: () => Matcher): RedactStream {
  let held = '';
  return {
    push: (chunk) => {
      const { done, rest } = current().replaceUntilOpen(held + chunk, secretText);
      held = rest;
      return done;
    },
    end: () => {
      const last = current().replace(held, secretText);
      held = '';
      return last;
    },
  };
}

/** Deeper than JSON.stringify reliably supports; deeper values are replaced. */
const maxDepth = 500;
const tooDeep = '[too deep]';

type Redact = (text: string) => string;

function redactDeep<Value>(value: Value, redact: Redact): Value {
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

/** The replacement for a secret in any output. */
export const secretText = '[secret]';

export class SecretValue {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return secretText;
  }

  toJSON(): string {
    return secretText;
  }

  valueOf(): string {
    return secretText;
  }

  [Symbol.toPrimitive](): string {
    return secretText;
  }

  get [Symbol.toStringTag](): string {
    return secretText;
  }

  /** The output of util.inspect and console.log. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return secretText;
  }
}
