/**
 * Marks the config of a server whose values are what they are, though they may look like placeholders. A symbol, because it
 * goes where the config goes, copies included, and cannot come out of a file.
 */

export const literalValues: unique symbol = Symbol.for('holt.literal-values') as never; // the same in every copy of the package

export function hasLiteralValues(config: unknown): boolean {
  return typeof config === 'object' && config !== null && literalValues in config;
}
