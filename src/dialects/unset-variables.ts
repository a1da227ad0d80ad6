/**
 * Finds the variables that a definition needs and that are not set.
 * Checks only whether they exist, never their values.
 */

import type { ServerDefinition } from '../kernel/servers.ts';
import { variablesIn, type VariableMention } from './mentions.ts';

/** Returns the first mention of each name. Omits variables that the agent silently replaces with nothing. */
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
  // A dollar without braces that is sent as written may be part of a password.
  if (!raw.includes('{')) return false;
  // An argument that is sent as written is expanded by the server's program itself, from its own environment.
  if (field !== 'args' || launch.kind !== 'stdio') return true;
  return !Object.hasOwn(launch.env, name) && !Object.hasOwn(launch.envFrom, name);
}
