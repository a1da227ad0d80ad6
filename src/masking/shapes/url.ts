/** Masks the secrets in a URL: user-info, all query values, and keys in the fragment or path. */

import { withoutPlaceholders } from './placeholders.ts';
import { isRandomLooking, mask, maskTokens } from './tokens.ts';
import { maskValue } from './value.ts';

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
