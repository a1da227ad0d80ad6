/** Converts a parameter's name to one that a provider accepts. */

const maxLength = 64;

export interface TakenNames {
  readonly isTaken: (name: string) => boolean;
  /**
   * The last number that was added to each name, so that numbering thousands of equal names takes linear
   * time.
   */
  readonly numbers: Map<string, number>;
}

/** Replaces refused characters with `_`, and adds a number when the result is taken. */
export function safeName(name: string, rule: RegExp, { isTaken, numbers }: TakenNames): string {
  const plain = name.slice(0, maxLength).replaceAll(/[^a-zA-Z0-9_]/g, '_');
  const base = rule.test(plain) ? plain : `_${plain}`.slice(0, maxLength);
  if (!isTaken(base)) return base;
  for (let count = (numbers.get(base) ?? 1) + 1; ; count += 1) {
    const numbered = `${base.slice(0, maxLength - 6)}_${count}`;
    numbers.set(base, count);
    if (!isTaken(numbered)) return numbered;
  }
}
