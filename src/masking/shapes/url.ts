/** Masks what is secret in a URL: user-info, every query value, keys in the fragment or path. */

import { withoutPlaceholders } from './placeholders.ts';
import { isRandomLooking, mask, maskTokens } from './tokens.ts';
import { maskValue } from './value.ts';

const start = /^(?:[a-z][a-z\d+.-]*:[\\/]*|[\\/]{2})?/i;

/** Also takes text that is no proper URL: placeholders, a missing scheme, a password with odd characters. */
export function maskUrl(url: string): string {
  // Placeholders may hold `?`, `@` or `/`; the parts are found where those are blanked out, and cut from the original.
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

/** Where the host begins. A backslash ends the host as it does for fetch, lest `evil\@good` be shown as `***@good`. */
function userInfoEnd(shape: string, authority: number): number {
  const end = indexFrom(shape, /[\\/?#]/, authority);
  const at = shape.slice(authority, end).lastIndexOf('@');
  if (at !== -1) return authority + at + 1;
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(shape);
  // A raw `/`, `?` or `#` in a password makes the URL unusable, but the password is there all the same.
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

/** Takes `?a=1&b` or `#a=1`, first character included. */
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
