/**
 * Checks that a server's address is written out: an outside value must not decide which machine is contacted.
 */

import type { TemplatePart } from './template.ts';

/**
 * A scheme, slashes, the user, host and port, and the character that ends them.
 * Skips extra slashes, as URL parsers do.
 */
const fixedOrigin = /^[a-z][a-z0-9+.-]*:[/\\]+[^/\\?#]+[/\\?#]/i;

/**
 * Returns the first placeholder in the scheme, user, host or port of a URL, as written, or `undefined` if
 * there is none. User and password are included, because a `/` or `@` in their value would change the host.
 */
export function checkUrlTemplate(parts: readonly TemplatePart[]): string | undefined {
  let before = '';
  for (const part of parts) {
    if (part.kind !== 'text' && part.kind !== 'escaped') return isPlaceFixed(before) ? undefined : part.raw;
    before += part.text;
  }
  return undefined;
}

function isPlaceFixed(before: string): boolean {
  // URL parsers drop tabs and line breaks anywhere, and control characters and spaces at the start.
  const seen = before.replaceAll(/[\t\n\r]/g, '').replace(/^[^!-\uffff]+/, '');
  return fixedOrigin.test(seen);
}
