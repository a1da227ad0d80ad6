/**
 * Reports placeholders whose variable is not set. Reading the config is enough to find them, before anything
 * starts.
 */

import { fieldName, type VariableMention } from '../dialects/mentions.ts';
import { unsetVariables } from '../dialects/unset-variables.ts';
import type { FindPlace } from '../discovery/find-place.ts';
import type { Problem } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { RosterEntry } from './rank.ts';

export interface UnsetParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly placeOf: FindPlace;
}

/** Returns one problem for each place and variable, however many agents read that place. */
export function unsetProblems(
  entries: readonly Pick<RosterEntry, 'definition' | 'trust'>[],
  { env, placeOf }: UnsetParts,
): readonly Problem[] {
  const problems = new Map<string, Problem>();
  const isSet = (name: string): boolean => env[name] !== undefined;
  for (const { definition } of entries.filter(mayStart)) {
    for (const mention of unsetVariables(definition, isSet)) {
      const place = placeOf(definition, mention.text) ?? definition.origin;
      const { file, line, column } = place;
      const key = `${line}:${column}:${mention.name.length}:${mention.name}${file}`;
      problems.set(key, { file, line, column, server: definition.name, ...toldOf(definition, mention) });
    }
  }
  return [...problems.values()];
}

/**
 * A server that is disabled, denied or blocked does not start, so it lacks nothing. One that awaits approval
 * may start soon.
 */
function mayStart({ definition, trust }: Pick<RosterEntry, 'definition' | 'trust'>): boolean {
  return definition.enabled && trust !== 'denied' && trust !== 'blocked';
}

function toldOf(
  { name: server }: ServerDefinition,
  { name, field, path, whenUnset }: VariableMention,
): Pick<Problem, 'severity' | 'code' | 'message' | 'remedy'> {
  const code = 'placeholder-unset';
  const remedy = `Set ${name}, or change the entry.`;
  if (whenUnset === 'omit') {
    const message = `the variable ${name} is not set: "${server}" runs without it`;
    return { severity: 'info', code, message, remedy };
  }
  const where = fieldName([field, ...path.slice(1)]);
  const message = `"${server}" needs the variable ${name} (in "${where}"), which is not set`;
  return { severity: 'warning', code, message, remedy };
}
