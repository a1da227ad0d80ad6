/** Values that cost something to get are got once and kept for a while, in memory only. */

export interface SecretCache {
  /** The value of a command: kept for five minutes, and asked for once by all who want it at the same time. */
  once(key: string, get: () => Promise<string>): Promise<string>;
  /** An answer of a person's: kept as long as the cache, asked for one at a time. No answer is not kept. */
  answer(key: string, ask: () => Promise<string | undefined>): Promise<string | undefined>;
  /** Forgets these values of commands, for example after a server said 401; all of them when none are named. */
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
      // A failure is not kept; a newer value that took its place is.
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
