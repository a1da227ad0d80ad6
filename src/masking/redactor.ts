/**
 * Knows the secrets in use and takes them out of whatever is about to leave: logs, errors, events, answers.
 * Values under six characters are not looked for: they would be found everywhere by chance. Nor are values that are
 * part of the replacement itself.
 */

import { createMatcher, type Matcher } from './redaction/matcher.ts';
import { redactDeep } from './redaction/redact-deep.ts';
import { spellingsOf } from './redaction/spellings.ts';
import { secretText, type SecretValue } from './secret-value.ts';

const minLength = 6;

/** Text in pieces. `push` gives back what can be shown already; a secret cut in two is still found. */
export interface RedactStream {
  push(chunk: string): string;
  /** What was held back. The stream may be used again afterwards. */
  end(): string;
}

export interface Redactor {
  /** Counts: a secret added twice has to be removed twice. */
  add(secret: string | SecretValue): void;
  /** For secrets that have to be found first: that is done when something is about to leave, not before. */
  addFound(find: () => readonly string[]): void;
  remove(secret: string | SecretValue): void;
  /** Whether there is anything to look for. */
  isInUse(): boolean;
  redact(text: string): string;
  /** A copy with every text in it redacted, keys, error messages, stacks and causes too. */
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

  // Built on first use: many secrets come in a row when servers start.
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
