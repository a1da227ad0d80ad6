/** Masks a whole value that is a secret, except for placeholders and the scheme word. */

import type { DialectId } from '../../kernel/servers.ts';
import { isBareReference, isCommandValue, mapAroundPlaceholders, splitDefault } from './placeholders.ts';
import { mask, maskTokens } from './tokens.ts';

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
