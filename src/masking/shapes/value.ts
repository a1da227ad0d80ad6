/** Masks values that are secrets, and tokens wherever they appear. Placeholders and the scheme word stay readable. */

import type { DialectId } from '../../kernel/servers.ts';

/** Schemes of the Authorization header. Only known ones, so that the first word of a passphrase is masked. */
export const scheme =
  'Bearer|Basic|Token|Digest|Negotiate|DPoP|OAuth|ApiKey|Api-Key|Key|Bot|SSWS|AWS4-HMAC-SHA256';
const leadingScheme = new RegExp(String.raw`^\s*(?:${scheme})\s+`, 'i');
/** What may be between two placeholders without being part of a secret. */
const separators = /^[\s:;,/@&=.+|-]{0,3}$/;

export function maskValue(value: string, dialect: DialectId = 'none'): string {
  if (value.trim() === '') return value;
  if (isCommandValue(value, dialect)) return maskTokens(value);

  const rest = withoutScheme(value);
  if (isBareReference(rest, dialect)) return value;
  return value.slice(0, value.length - rest.length) + maskLiterals(rest, dialect);
}

/** Removes a leading scheme word, such as `Bearer `. */
export function withoutScheme(value: string): string {
  return value.replace(leadingScheme, '');
}

function maskLiterals(text: string, dialect: DialectId): string {
  let hasPlaceholder = false;
  const masked = mapAroundPlaceholders(
    text,
    (literal) => (separators.test(literal) ? literal : mask),
    (found) => {
      hasPlaceholder = true;
      const parts = splitDefault(found);
      return parts === undefined ? found : parts[0] + maskValue(parts[1], dialect) + parts[2];
    },
  );
  return hasPlaceholder ? masked : mask;
}

export const mask = '***';

const shapes = [
  String.raw`gh[oprsu]_\w{6,}`,
  String.raw`github_pat_\w{6,}`,
  String.raw`glpat-[\w-]{6,}`,
  String.raw`npm_[A-Za-z\d]{20,}`,
  String.raw`pypi-[\w-]{30,}`,
  // A digit is required, so that names such as sk-learn-something stay readable.
  String.raw`(?<![\w-])[sr]k[-_](?=[\w-]{0,80}\d)[\w-]{12,}`,
  String.raw`xox[a-z]-[\w-]{6,}`,
  String.raw`xapp-[\w-]{10,}`,
  String.raw`A(?:KI|SI)A[A-Z\d]{12,}`,
  String.raw`AIza[\w-]{30,}`,
  String.raw`ya29\.[\w-]{10,}`,
  String.raw`(?<![\w-])eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?`,
  String.raw`(?:hf|gsk|r8|ntn|figd|shpat|whsec|lin_api|dop_v1)_\w{16,}`,
  String.raw`(?:xai|pplx|tvly)-[\w-]{16,}`,
  String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
];
const tokens = new RegExp(String.raw`(?<![A-Za-z\d])(?:${shapes.join('|')})`, 'g');
const bearer = /(?<=\bBearer\s)[\w.~+/-]{8,}=*/gi;
const privateKey = /(-----BEGIN [A-Z ]*PRIVATE KEY-----)[^-]*/g;

export function maskTokens(text: string): string {
  return text.replaceAll(tokens, mask).replaceAll(bearer, mask).replaceAll(privateKey, `$1${mask}`);
}

export function hasToken(text: string): boolean {
  return maskTokens(text) !== text;
}

/**
 * True for text with a long run of letters and digits that looks generated. Some services use it in a URL's
 * path as the only credential.
 */
export function isRandomLooking(text: string): boolean {
  const runs = text.match(/[A-Za-z\d]{24,}/g) ?? [];
  return runs.some((run) => /\d.*\d/.test(run) && /[A-Za-z].*[A-Za-z]/.test(run));
}

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
