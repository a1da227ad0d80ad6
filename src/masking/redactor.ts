/**
 * Knows the secrets in use and removes them from all output: logs, errors, events and results. Values under
 * six characters are ignored, because they would match by chance everywhere. So are values that are part of
 * the replacement string.
 */

import { createMatcher, type Matcher } from './redaction/matcher.ts';
import { redactDeep } from './redaction/redact-deep.ts';
import { spellingsOf } from './redaction/spellings.ts';
import { secretText, type SecretValue } from './secret-value.ts';

const minLength = 6;

/**
 * Redacts text in chunks. `push` returns what is safe to show so far; a secret split across chunks is still
 * found.
 */
export interface RedactStream {
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
