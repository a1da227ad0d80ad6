/** Placeholders refer to values stored elsewhere. They are not secrets and stay readable. */

import type { DialectId } from '../../kernel/servers.ts';

/**
 * Matches `${X}`, `${X:-default}`, `${{ secrets.X }}`, `{env:X}`, `{file:path}` and `{{session_id}}` anywhere
 * in a string.
 */
export const placeholder = String.raw`\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\{(?:env|file):[^{}]*\}|\{\{[^{}]*\}\}`;
const placeholders = new RegExp(placeholder, 'g');

/**
 * References that only count as a whole string, because they may occur in a password by chance: `$NAME`,
 * `$env:NAME`, `%NAME%`.
 */
const bareReference = /^(?:\$(?:env:)?[A-Z_][A-Z0-9_]*|\$env:\w+|%[A-Z_][A-Z0-9_]*%)$/;

const runsBang: ReadonlySet<DialectId> = new Set<DialectId>(['holt', 'omp', 'pi']);

/**
 * The name of another variable. One dialect replaces such a value with that variable, and no secret looks
 * like this.
 */
const variableName = /^[A-Z][A-Z\d]*(?:_[A-Z][A-Z\d]*)+$/;

export function isBareReference(text: string, dialect: DialectId): boolean {
  return bareReference.test(text) || (dialect === 'omp' && isVariableName(text));
}

export function isVariableName(text: string): boolean {
  return variableName.test(text);
}

/**
 * Replaces placeholders with text of the same length without delimiters, so that the parts of a URL can be
 * found.
 */
export function withoutPlaceholders(text: string): string {
  return text.replaceAll(placeholders, (found) => '0'.repeat(found.length));
}

/**
 * Passes each placeholder, and each literal between placeholders, through a function and joins the results.
 */
export function mapAroundPlaceholders(
  text: string,
  onLiteral: (literal: string) => string,
  onPlaceholder: (found: string) => string,
): string {
  let result = '';
  let end = 0;
  for (const match of text.matchAll(placeholders)) {
    result += onLiteral(text.slice(end, match.index)) + onPlaceholder(match[0]);
    end = match.index + match[0].length;
  }
  return result + onLiteral(text.slice(end));
}

/** Splits `${NAME:-default}` into its three parts. Returns undefined when there is no default. */
export function splitDefault(found: string): readonly [string, string, string] | undefined {
  const at = found.indexOf(':-');
  if (at === -1 || !found.startsWith('${')) return undefined;
  return [found.slice(0, at + 2), found.slice(at + 2, -1), '}'];
}

/** True when the dialect would run the value as a command. The user must be able to read such a command. */
export function isCommandValue(value: string, dialect: DialectId): boolean {
  if (runsBang.has(dialect)) return value.startsWith('!');
  return dialect === 'crush' && /\$\(|`/.test(value);
}
