/**
 * Masks secrets in free-form text: arguments, scripts, JSON in a variable. A masked value ends where a shell
 * would start a new token, so that no command can hide behind a name such as `TOKEN=`.
 */

import { placeholder } from './placeholders.ts';
import { isSecretFlag, isSecretName } from './secret-names.ts';
import { maskTokens } from './tokens.ts';
import { maskUrl } from './url.ts';
import { maskValue, scheme } from './value.ts';

const tick = '`';
/** One word as a shell sees it; a placeholder counts as part of the word. */
const word = String.raw`(?:${placeholder}|\$(?!\()|\\(?!["'])|[^\s;|&<>()"'\\$${tick}])+`;
/**
 * Everything between quotes if it contains no command, or else one word, with the scheme before it if there
 * is one.
 */
const value = [
  String.raw`(?<=\\")[^"\\${tick}]*(?=\\")`,
  String.raw`(?<=")(?:[^"$${tick}]|\$(?!\())*(?=")`,
  String.raw`(?<=')[^']*(?=')`,
  String.raw`(?:(?:${scheme})\s+)?${word}`,
].join('|');
const url = new RegExp(
  String.raw`(?<![a-z\d+.-])[a-z][a-z\d+.-]*:\/\/(?:${placeholder}|\{[\w-]*\}|\$(?!\()|[^\s;|<>()"'{}$${tick}])+`,
  'gi',
);
/**
 * Matches `NAME=value`, `"name": "value"` and `Name: Bearer value`. The quotes may be escaped, as in JSON
 * within JSON.
 */
const assignment = new RegExp(
  String.raw`(?<![\w.@/\\-])(-{0,2}[A-Za-z_][\w.-]*)\\?["']?\s{0,20}(?:=|:(?![\\/]))\s{0,20}(?:\\?["'])?(${value})`,
  'gi',
);
const flag = new RegExp(String.raw`(?<!\S)(--?[A-Za-z][\w.-]*)\s{1,20}["']?(${value})`, 'gi');
/**
 * Names that may be followed by a colon without a space. Others may not: `my-auth:latest` is a container
 * image.
 */
export const pairName = /authorization|cookie|key|token|secret|passw|^x-/i;

export function maskText(text: string): string {
  const masked = text
    .replaceAll(url, (found) => maskUrl(found))
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
