/** Reports fields that users bring along from other agents, and values that this agent treats in its own way. */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { EntryContext } from './agent-format.ts';

export interface Habit {
  readonly key: string;
  /** Only this value is reported; any value if omitted. */
  readonly value?: boolean;
  readonly code: 'agent-ignores' | 'agent-refuses' | 'not-evaluated';
  readonly message: string;
  readonly remedy?: string;
}

export function reportHabits(node: ObjectNode, context: EntryContext, habits: readonly Habit[]): void {
  for (const { key, value, ...complaint } of habits) {
    const found = get(node, key);
    if (found === undefined || found.kind === 'null') continue;
    if (value !== undefined && !(found.kind === 'boolean' && found.value === value)) continue;
    context.report({ severity: 'warning', at: found.start, ...complaint });
  }
}

/** holt loads no files of variables: their contents would reach a server without being shown. */
export const envFileHabit: Habit = {
  key: 'envFile',
  code: 'not-evaluated',
  message: '"envFile" is not read: holt loads no files of variables',
  remedy: 'Put the variables in "env", or set them in the environment.',
};

/** For agents that switch servers on and off outside the file. */
export function switchHabits(label: string): readonly Habit[] {
  const note = (key: string, value: boolean): Habit => ({
    key,
    value,
    code: 'agent-ignores',
    message: `${label} does not look at "${key}": the server is on`,
    remedy: `Switch it off in ${label} itself, or remove it here.`,
  });
  return [note('disabled', true), note('enabled', false)];
}

const oddKinds: ReadonlySet<string> = new Set(['number', 'boolean', 'null']);

/**
 * Reports values other than strings in maps where an agent accepts only strings; holt converts them. `outcome`
 * is the agent's reaction, as worded in the message: "Claude Code skips this server".
 */
export function reportOddValues(
  node: ObjectNode,
  context: EntryContext,
  keys: readonly string[],
  outcome: string,
): void {
  for (const key of keys) {
    const map = get(node, key);
    // Lists and objects are reported where they are dropped.
    const odd =
      map?.kind === 'object' ? map.entries.find(({ value }) => oddKinds.has(value.kind)) : undefined;
    if (odd === undefined) continue;
    context.report({
      severity: 'warning',
      code: 'agent-refuses',
      at: odd.value.start,
      message: `${outcome}: "${key}.${odd.key}" is not a string`,
      remedy: 'Put it in quotes.',
    });
  }
}
