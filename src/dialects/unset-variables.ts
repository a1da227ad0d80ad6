/** Variables that a definition counts on and that are not set. Only whether they are there is asked, never what they hold. */

import type { ServerDefinition } from '../kernel/servers.ts';
import { variablesIn, type VariableMention } from './mentions.ts';

/** One mention for each name, the first. What its agent leaves empty without a word is not among them. */
export function unsetVariables(
  definition: ServerDefinition,
  isSet: (name: string) => boolean,
): readonly VariableMention[] {
  const mentions = variablesIn(definition);
  if (mentions.length === 0) return mentions;
  const missing = new Map<string, VariableMention>();
  for (const mention of mentions) {
    const { name } = mention;
    if (missing.has(name) || isSet(name) || !isWanted(mention, definition)) continue;
    missing.set(name, mention);
  }
  return [...missing.values()];
}

function isWanted(mention: VariableMention, { launch }: ServerDefinition): boolean {
  const { name, raw, field, hasFallback, bare, whenUnset } = mention;
  if (hasFallback || bare || whenUnset === 'empty') return false;
  if (whenUnset !== 'literal') return true;
  // A dollar without braces that is sent as written may well be part of a password.
  if (!raw.includes('{')) return false;
  // An argument that is sent as written is filled in by the program itself, from the environment it is given.
  if (field !== 'args' || launch.kind !== 'stdio') return true;
  return !Object.hasOwn(launch.env, name) && !Object.hasOwn(launch.envFrom, name);
}
