/**
 * Marks the config of a server whose values are literal, although they may look like placeholders. The mark is a
 * symbol because copies of the config preserve it and a file cannot contain it. `Symbol.for` returns the same
 * symbol in every copy of the package.
 */

export const literalValues: unique symbol = Symbol.for('holt.literal-values') as never;

export function hasLiteralValues(config: unknown): boolean {
  return typeof config === 'object' && config !== null && literalValues in config;
}
