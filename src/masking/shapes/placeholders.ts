/** Texts that stand for a value kept elsewhere. They are no secrets and stay readable. */

import type { DialectId } from '../../kernel/servers.ts';

/** `${X}`, `${X:-default}`, `${{ secrets.X }}`, `{env:X}`, `{file:path}`, `{{session_id}}` wherever they stand. */
export const placeholder = String.raw`\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\{(?:env|file):[^{}]*\}|\{\{[^{}]*\}\}`;
const placeholders = new RegExp(placeholder, 'g');

/** Forms that count only as a whole, because inside a password they would be chance: `$NAME`, `$env:NAME`, `%NAME%`. */
const bareReference = /^(?:\$(?:env:)?[A-Z_][A-Z0-9_]*|\$env:\w+|%[A-Z_][A-Z0-9_]*%)$/;

const runsBang: ReadonlySet<DialectId> = new Set<DialectId>(['holt', 'omp', 'pi']);

/** Another variable's name; one dialect takes such a value for the variable, and no secret looks like it. */
const variableName = /^[A-Z][A-Z\d]*(?:_[A-Z][A-Z\d]*)+$/;

export function isBareReference(text: string, dialect: DialectId): boolean {
  return bareReference.test(text) || (dialect === 'omp' && isVariableName(text));
}

export function isVariableName(text: string): boolean {
  return variableName.test(text);
}

/** A text of the same length without placeholders' delimiters, to find a URL's parts in. */
export function withoutPlaceholders(text: string): string {
  return text.replaceAll(placeholders, (found) => '0'.repeat(found.length));
}

/** The text with its placeholders and what lies between them each passed through a function. */
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

/** `${NAME:-default}` in its three pieces; undefined when there is no default. */
export function splitDefault(found: string): readonly [string, string, string] | undefined {
  const at = found.indexOf(':-');
  if (at === -1 || !found.startsWith('${')) return undefined;
  return [found.slice(0, at + 2), found.slice(at + 2, -1), '}'];
}

/** True where the dialect would run the value as a command: a person must be able to read what would run. */
export function isCommandValue(value: string, dialect: DialectId): boolean {
  if (runsBang.has(dialect)) return value.startsWith('!');
  return dialect === 'crush' && /\$\(|`/.test(value);
}
