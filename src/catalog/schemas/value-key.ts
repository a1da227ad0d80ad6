/**
 * Computes a string for each JSON value, the same for two values exactly when they are equal: the order of an
 * object's keys does not matter, and 1.0 is 1. Long keys become digests. Iterative and with pauses, so that
 * any value has a key.
 */

import { createHash, type Hash } from 'node:crypto';

import { isList } from '../../kernel/json.ts';
import { runSteps, type Later, type Steps } from './later.ts';
import { isDue, namesOf, spend, takePause, type Walk } from './walk.ts';

export interface ValueKey {
  readonly text: string;
  /** False for a digest: values with equal digests still have to be compared. */
  readonly isExact: boolean;
}

/** Longer keys are hashed, in pieces of this size. */
const maxText = 4096;
const charactersInStep = 128;
const valuesInStep = 4;

export function valueKeyOf(value: unknown, walk: Walk): Later<ValueKey> {
  const isShort =
    typeof value === 'string' ? value.length <= maxText : typeof value !== 'object' || value === null;
  return isShort ? { text: shortText(value, walk), isExact: true } : runSteps(keySteps(value, walk));
}

/** The prefix keeps engines from treating the key as an array index, whose hash is predictable. */
function shortText(value: unknown, walk: Walk): string {
  if (typeof value === 'number' || typeof value === 'boolean') return `#${value}`;
  if (typeof value !== 'string') return value === null ? '#null' : `#${typeof value}`;
  spend(walk, value.length / charactersInStep);
  return JSON.stringify(value);
}

interface Open {
  readonly holder: object;
  /** Sorted; undefined for a list. */
  readonly names: readonly string[] | undefined;
  readonly size: number;
  at: number;
}

function* keySteps(value: unknown, walk: Walk): Steps<ValueKey> {
  const key = new KeyWriter();
  const open: Open[] = [];
  yield* writeOne(value, { key, open, walk });
  for (let here = open.at(-1); here !== undefined; here = open.at(-1)) {
    if (isDue(walk)) yield takePause(walk);
    if (here.at >= here.size) {
      key.write(here.names === undefined ? ']' : '}');
      open.pop();
      continue;
    }
    const name = here.names?.[here.at];
    if (name !== undefined) yield* writeOne(name, { key, open, walk });
    const inner: unknown = Reflect.get(here.holder, name ?? here.at);
    here.at += 1;
    yield* writeOne(inner, { key, open, walk });
    key.write(',');
  }
  return key.end();
}

interface Writing {
  readonly key: KeyWriter;
  readonly open: Open[];
  readonly walk: Walk;
}

/** Writes a plain value, or the beginning of a list or an object. */
function* writeOne(value: unknown, { key, open, walk }: Writing): Steps<void> {
  spend(walk, 1 / valuesInStep);
  if (isList(value)) {
    key.write('[');
    open.push({ holder: value, names: undefined, size: value.length, at: 0 });
  } else if (typeof value === 'object' && value !== null) {
    key.write('{');
    const names = namesOf(value, walk).toSorted();
    spend(walk, names.length / valuesInStep);
    open.push({ holder: value, names, size: names.length, at: 0 });
  } else if (typeof value !== 'string' || value.length <= maxText) {
    key.write(shortText(value, walk));
  } else {
    key.write(`${value.length}:`);
    for (let at = 0; at < value.length; at += maxText) {
      spend(walk, maxText / charactersInStep);
      if (isDue(walk)) yield takePause(walk);
      key.write(value.slice(at, at + maxText));
    }
  }
}

class KeyWriter {
  #text = '';
  #hash: Hash | undefined;

  write(text: string): void {
    this.#text += text;
    if (this.#text.length > maxText) this.#flush();
  }

  end(): ValueKey {
    if (this.#hash === undefined) return { text: this.#text, isExact: true };
    this.#flush();
    return { text: this.#hash.digest('base64'), isExact: false };
  }

  #flush(): void {
    this.#hash ??= createHash('sha256');
    // UTF-8 would encode all lone surrogates alike.
    this.#hash.update(this.#text, 'utf16le');
    this.#text = '';
  }
}
