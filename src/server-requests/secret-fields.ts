/** Finds form fields that ask for secrets, which users should never enter into a server's form. Pure. */

import type { JsonObject } from '../kernel/json.ts';

const alone = new Set([
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'secret',
  'secrets',
  'credential',
  'credentials',
  'apikey',
  'accesstoken',
  'privatekey',
  'cvv',
  'cvc',
]);
const together = ['api key', 'access token', 'auth token', 'refresh token', 'bearer token', 'private key'];

/** Returns the name of the first field that asks for a secret. */
export function asksForSecret(requestedSchema: JsonObject): string | undefined {
  const { properties } = requestedSchema as { readonly properties?: unknown }; // checked on the next line
  if (typeof properties !== 'object' || properties === null) return undefined;
  return Object.entries(properties).find(([name, field]) => isSecret(name, field))?.[0];
}

function isSecret(name: string, field: unknown): boolean {
  const { title, format, type } = (typeof field === 'object' && field !== null ? field : {}) as JsonObject; // untrusted, checked below
  // A boolean reveals no secret, whatever it is about.
  if (type === 'boolean') return false;
  if (format === 'password') return true;
  return [name, title].some((text) => typeof text === 'string' && saysSecret(text));
}

function saysSecret(text: string): boolean {
  const words = text
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const line = ` ${words.join(' ')} `;
  if (words.length === 1 && words[0] === 'token') return true;
  return words.some((word) => alone.has(word)) || together.some((pair) => line.includes(` ${pair} `));
}
