/** Caches values that are costly to get, for a limited time and only in memory. */

export interface SecretCache {
  /**
   * Returns the value of a command. Caches it for five minutes, and shares one run among simultaneous
   * callers.
   */
  once(key: string, get: () => Promise<string>): Promise<string>;
  /**
   * Returns a person's answer. Asks one question at a time, and stores answers as long as the cache lives,
   * but not a missing answer.
   */
  answer(key: string, ask: () => Promise<string | undefined>): Promise<string | undefined>;
  /**
   * Drops these command values, for example after a server responded with 401; all of them without `keys`.
   */
  drop(keys?: readonly string[]): void;
}

const keptMs = 5 * 60_000;

export function createSecretCache(now: () => number): SecretCache {
  const values = new Map<string, { readonly at: number; readonly value: Promise<string> }>();
  const answers = new Map<string, string>();
  let turn: Promise<unknown> = Promise.resolve();
  return {
    once: (key, get) => {
      const known = values.get(key);
      if (known !== undefined && now() - known.at < keptMs) return known.value;
      const entry = { at: now(), value: get() };
      values.set(key, entry);
      // Do not cache a failure, but do not remove a newer value that replaced it.
      entry.value.catch(() => values.get(key) === entry && values.delete(key));
      return entry.value;
    },
    answer: (key, ask) => {
      const asked = turn.then(async () => {
        const known = answers.get(key);
        if (known !== undefined) return known;
        const answer = await ask();
        if (answer !== undefined) answers.set(key, answer);
        return answer;
      });
      turn = asked.catch(() => undefined);
      return asked;
    },
    drop: (keys) => {
      if (keys === undefined) values.clear();
      else for (const key of keys) values.delete(key);
    },
  };
}
