/**
 * Masks secrets in free-form text: arguments, scripts, JSON in a variable. A masked value ends where a shell
 * would start a new token, so that no command can hide behind a name such as `TOKEN=`.
 */

import type { DialectId } from '../../kernel/servers.ts';
import { isConnectionName, isSecretFlag, isSecretName } from './secret-names.ts';
import {
  isRandomLooking,
  mask,
  maskTokens,
  maskValue,
  placeholder,
  scheme,
  withoutPlaceholders,
} from './value.ts';

const tick = '`';
/** One word as a shell sees it; a placeholder counts as part of the word. */
const word = String.raw`(?:${placeholder}|\$(?!\()|\\(?!["'])|[^\s;|&<>()"'\\$${tick}])+`;
/**
 * Everything between quotes if it contains no command, or else one word, with the scheme before it if there
 * is one.
 */
const valuePattern = [
  String.raw`(?<=\\")[^"\\${tick}]*(?=\\")`,
  String.raw`(?<=")(?:[^"$${tick}]|\$(?!\())*(?=")`,
  String.raw`(?<=')[^']*(?=')`,
  String.raw`(?:(?:${scheme})\s+)?${word}`,
].join('|');
const urlPattern = new RegExp(
  String.raw`(?<![a-z\d+.-])[a-z][a-z\d+.-]*:\/\/(?:${placeholder}|\{[\w-]*\}|\$(?!\()|[^\s;|<>()"'{}$${tick}])+`,
  'gi',
);
/**
 * Matches `NAME=value`, `"name": "value"` and `Name: Bearer value`. The quotes may be escaped, as in JSON
 * within JSON.
 */
const assignment = new RegExp(
  String.raw`(?<![\w.@/\\-])(-{0,2}[A-Za-z_][\w.-]*)\\?["']?\s{0,20}(?:=|:(?![\\/]))\s{0,20}(?:\\?["'])?(${valuePattern})`,
  'gi',
);
const flag = new RegExp(String.raw`(?<!\S)(--?[A-Za-z][\w.-]*)\s{1,20}["']?(${valuePattern})`, 'gi');
/**
 * Names that may be followed by a colon without a space. Others may not: `my-auth:latest` is a container
 * image.
 */
const pairName = /authorization|cookie|key|token|secret|passw|^x-/i;

export function maskText(text: string): string {
  const masked = text
    .replaceAll(urlPattern, (found) => maskUrl(found))
    .replaceAll(assignment, maskAssignment)
    .replaceAll(flag, maskFlag);
  return maskTokens(masked);
}

function maskAssignment(found: string, name: string, secret: string): string {
  const head = found.slice(0, found.length - secret.length);
  const isPair = !head.endsWith(':') || pairName.test(name);
  return isPair && isSecretName(name) ? head + maskValue(secret) : found;
}

function maskFlag(found: string, name: string, secret: string): string {
  if (!isSecretFlag(name) || secret.startsWith('-')) return found;
  return found.slice(0, found.length - secret.length) + maskValue(secret);
}

const start = /^(?:[a-z][a-z\d+.-]*:[\\/]*|[\\/]{2})?/i;

/**
 * Also accepts strings that are not valid URLs: with placeholders, without a scheme, or with special
 * characters in a password.
 */
export function maskUrl(url: string): string {
  // Placeholders may contain `?`, `@` or `/`, so find the parts in a copy with placeholders blanked out and
  // cut them from the original.
  const shape = withoutPlaceholders(url);
  const authority = start.exec(shape)?.[0].length ?? 0;
  const path = userInfoEnd(shape, authority);
  const query = indexFrom(shape, /[?#]/, path);
  const fragment = indexFrom(shape, /#/, query);

  return (
    url.slice(0, authority) +
    maskUserInfo(url.slice(authority, path), shape.slice(authority, path)) +
    maskPath(url.slice(path, query)) +
    maskPairs(url.slice(query, fragment), shape.slice(query, fragment)) +
    maskPairs(url.slice(fragment), shape.slice(fragment))
  );
}

/**
 * Returns where the host begins. A backslash ends the host, as in `fetch`: otherwise `evil\@good` would be
 * shown as `***@good`.
 */
function userInfoEnd(shape: string, authority: number): number {
  const end = indexFrom(shape, /[\\/?#]/, authority);
  const at = shape.slice(authority, end).lastIndexOf('@');
  if (at !== -1) return authority + at + 1;
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(shape);
  // A raw `/`, `?` or `#` in a password makes the URL invalid, but the password must still be masked.
  if (hasScheme && !URL.canParse(shape)) return Math.max(authority, shape.lastIndexOf('@') + 1);
  return authority;
}

function maskUserInfo(text: string, shape: string): string {
  if (text === '') return '';
  const colon = shape.indexOf(':');
  if (colon === -1) return `${maskValue(text.slice(0, -1))}@`;
  const user = maskValue(text.slice(0, colon));
  const password = maskValue(text.slice(colon + 1, -1));
  return user === mask && password === mask ? `${mask}@` : `${user}:${password}@`;
}

function maskPath(text: string): string {
  return maskTokens(text)
    .split('/')
    .map((segment) => (isRandomLooking(segment) ? mask : segment))
    .join('/');
}

/** Masks pairs such as `?a=1&b` or `#a=1`, including the first character. */
function maskPairs(text: string, shape: string): string {
  let at = 0;
  return shape
    .split('&')
    .map((part) => {
      const original = text.slice(at, at + part.length);
      at += part.length + 1;
      const equals = part.indexOf('=');
      if (equals === -1) return maskBare(original);
      return original.slice(0, equals + 1) + maskValue(original.slice(equals + 1));
    })
    .join('&');
}

function maskBare(text: string): string {
  const mark = /^[?#]/.exec(text)?.[0] ?? '';
  return isRandomLooking(text.slice(mark.length)) ? mark + mask : maskTokens(text);
}

function indexFrom(text: string, pattern: RegExp, from: number): number {
  const at = text.slice(from).search(pattern);
  return at === -1 ? text.length : from + at;
}

const wholeFlag = /^-{1,2}[A-Za-z][\w.-]*$/;
const wholeHeader = /^((?:--?[\w-]+=|-H)?([A-Za-z][\w-]*)\s*:(?!\/\/)\s*)(.*)$/s;
const wholePair = /^((-{0,2}[A-Za-z_][\w.-]*)=)(.*)$/s;
/** Flags whose value runs as a script: `sh -c`, `bash -lc`, `env -S`, `node --eval`, `cmd /c`. */
const scriptFlag = /^(?:-[A-Za-z]*c|-S|\/[ck]|-command|--(?:eval|print|command|call|exec|split-string))$/i;

export function maskArgument(arg: string, before: string | undefined, dialect: DialectId): string {
  if (before !== undefined && wholeFlag.test(before) && !isFlag(arg)) {
    if (isSecretFlag(before)) return maskValue(arg, dialect);
    if (isConnectionName(before)) return maskConnection(arg);
  }
  return maskPair(arg, before, dialect) ?? maskHeader(arg, before, dialect) ?? maskText(arg);
}

/**
 * Masks `user:password` before the `@` in a connection string that is not a URL, and the rest like any text.
 */
export function maskConnection(text: string): string {
  const bare = /^[^:@/\s]+:[^\s/](?:.*)@(?=[\w([])/.exec(text);
  return bare === null ? maskText(text) : `${mask}@${maskText(text.slice(bare[0].length))}`;
}

/**
 * Masks an argument that is a single pair. The whole value is the secret, whatever characters it contains.
 */
function maskPair(arg: string, before: string | undefined, dialect: DialectId): string | undefined {
  const [, head = '', name = '', value = ''] = wholePair.exec(arg) ?? [];
  if (head === '' || isScript(value, before)) return undefined;
  if (isSecretName(name)) return head + maskValue(value, dialect);
  return isConnectionName(name) ? head + maskConnection(value) : undefined;
}

/** Masks an argument that is a single header, with or without its flag. */
function maskHeader(arg: string, before: string | undefined, dialect: DialectId): string | undefined {
  const [, head = '', name = '', value = ''] = wholeHeader.exec(arg) ?? [];
  if (head === '' || scriptFlag.test(before ?? '') || /\$\(|[`\n|]|&&/.test(arg)) return undefined;
  return pairName.test(name) && isSecretName(name) ? head + maskValue(value, dialect) : undefined;
}

/** True when a part of the value may be a command, which the user must be able to see. */
function isScript(value: string, before = ''): boolean {
  if (before === '--env') return false;
  // `docker -e NAME=value` and `ruby -e CODE` look alike.
  if (before === '-e') return /[(`]|;.*\s|\s.*;/s.test(value);
  return scriptFlag.test(before) || /\s|\$\(|`/.test(value);
}

function isFlag(arg: string): boolean {
  return arg.startsWith('--') || /^-[A-Za-z]$/.test(arg);
}
