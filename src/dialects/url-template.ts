/** Where a server is must be written down: a value from outside may not decide which machine is talked to. */

import type { TemplatePart } from './template.ts';

/** A scheme, slashes, something for user, host and port, and the sign that ends it. Extra slashes are skipped as URL parsers do. */
const fixedOrigin = /^[a-z][a-z0-9+.-]*:[/\\]+[^/\\?#]+[/\\?#]/i;

/**
 * The first placeholder that stands in the scheme, user, host or port of a URL, as written; undefined when there is none.
 * User and password count too: a `/` or `@` in their value would move the host.
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
  // URL parsers drop these wherever they stand, and whatever is not above a blank in front.
  const seen = before.replaceAll(/[\t\n\r]/g, '').replace(/^[^!-\uffff]+/, '');
  return fixedOrigin.test(seen);
}
