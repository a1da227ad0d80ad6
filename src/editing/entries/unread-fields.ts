/** Finds fields of an entry that holt does not read, and that would therefore be lost in another format. */

import { isObject, type JsonValue } from '../../kernel/json.ts';
import { readBack, type EntryPlace } from './read-back.ts';

/** Fields that may state a default. */
const redundant = new Set([
  'type',
  'transport',
  'transportType',
  'enabled',
  'disabled',
  'name',
  'args',
  'env',
  'headers',
  'oauth',
]);

/** A field counts as unread when the agent's entry reads the same without it. */
export function unreadFields(name: string, entry: JsonValue, place: EntryPlace): readonly string[] {
  if (!isObject(entry)) return [];
  const whole = JSON.stringify(readBack(name, entry, place).content);
  return Object.keys(entry).filter((key) => {
    if (redundant.has(key)) return false;
    const rest = Object.fromEntries(Object.entries(entry).filter(([other]) => other !== key));
    return JSON.stringify(readBack(name, rest, place).content) === whole;
  });
}
