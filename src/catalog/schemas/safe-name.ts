/** A parameter's name as a provider takes it. */

const maxLength = 64;

/** The name with what is refused made `_`, and a number where that is taken. */
export function safeName(name: string, rule: RegExp, isTaken: (name: string) => boolean): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_]/g, '_').slice(0, maxLength);
  const base = rule.test(plain) ? plain : `_${plain}`.slice(0, maxLength);
  if (!isTaken(base)) return base;
  for (let count = 2; ; count += 1) {
    const numbered = `${base.slice(0, maxLength - 6)}_${count}`;
    if (!isTaken(numbered)) return numbered;
  }
}
