/** Decides whether a literal in a config file is probably a secret that should be stored elsewhere. */

import type { DialectId } from '../kernel/servers.ts';
import {
  hasToken,
  isBareReference,
  isCommandValue,
  isVariableName,
  mapAroundPlaceholders,
  splitDefault,
  withoutScheme,
} from './shapes/value.ts';
import { isSecretName, isVagueName } from './shapes/secret-names.ts';

const dummy =
  /^(?:true|false|yes|no|on|off|none|null|nil|undefined|default|auto|test|demo|example|todo|changeme|change[-_]me|replace[-_]?me|dummy|placeholder|redacted|basic|bearer|oauth2?|x+|\*+|\.+|-+|\d{1,5}|<[^>]*>|\[[^\]]*\])$/i;
const forPeople = /^(?:your|my|insert|enter|put|add|paste)[-_ ]|[-_ ]here$|^example[-_]|\.{3}/i;
const path = /^(?:~|\.{0,2})\/|^[A-Za-z]:\\/;
const url = /^[a-z][a-z\d+.-]*:\/\//i;
const urlPassword = /^[a-z][a-z\d+.-]*:\/\/[^/?#\s@:]*:([^/?#\s@]+)@/i;
const queryPair = /[?&]([^=&#?]+)=([^&#]*)/g;

/**
 * `name` is the name of the variable, header or flag. Values that only refer to another place are not
 * secrets.
 */
export function looksSecret(name: string, value: string, dialect: DialectId = 'none'): boolean {
  const text = value.trim();
  if (text === '' || isCommandValue(text, dialect)) return false;
  const literals = literalsOf(text);
  if (literals.some(hasToken)) return true;
  if (url.test(text)) return hasSecretPart(text);
  return isSecretName(name) && literals.some((literal) => isPlausible(literal, isVagueName(name)));
}

function hasSecretPart(text: string): boolean {
  const password = urlPassword.exec(text)?.[1] ?? '';
  if (literalsOf(password).length > 0) return true;
  return Array.from(text.matchAll(queryPair)).some(([, name = '', value = '']) => looksSecret(name, value));
}

/**
 * Returns the literal parts of a value without the scheme word. Defaults of placeholders count as literals.
 */
function literalsOf(value: string): string[] {
  const rest = withoutScheme(value);
  if (isBareReference(rest, 'none')) return [];
  const literals: string[] = [];
  const collect = (literal: string): string => {
    if (literal.trim() !== '') literals.push(literal);
    return '';
  };
  mapAroundPlaceholders(rest, collect, (found) => collect(splitDefault(found)?.[1] ?? ''));
  return literals;
}

function isPlausible(literal: string, isVague: boolean): boolean {
  const text = literal.trim();
  if (isVariableName(text) || [dummy, forPeople, path, url].some((plain) => plain.test(text))) return false;
  return isVague ? text.length >= 8 && /\d/.test(text) : text.length >= 4;
}
