/** Values that cost something to get are got once and kept for a while, in memory only. */

export interface SecretCache {
  /** The value of a command: kept for five minutes, and asked for once by all who want it at the same time. */
  once(key: string, get: () => Promise<string>): Promise<string>;
  /** An answer of a person's: kept as long as the cache. No answer is not kept. */
  answer(key: string, ask: () => Promise<string | undefined>): Promise<string | undefined>;
  /** Forgets values of commands, for example after a server said 401. */
  drop(): void;
}

const keptMs = 5 * 60_000;

export function createSecretCache(now: () => number): SecretCache {
  const values = new Map<string, { readonly at: number; readonly value: Promise<string> }>();
  const answers = new Map<string, string>();
  return {
    once: (key, get) => {
      const known = values.get(key);
      if (known !== undefined && now() - known.at < keptMs) return known.value;
      const value = get();
      values.set(key, { at: now(), value });
      value.catch(() => values.delete(key));
      return value;
    },
    answer: async (key, ask) => {
      const known = answers.get(key);
      if (known !== undefined) return known;
      const answer = await ask();
      if (answer !== undefined) answers.set(key, answer);
      return answer;
    },
    drop: () => values.clear(),
  };
}
