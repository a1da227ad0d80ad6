/** Reports fields that users bring along from other agents, and how this agent treats them. */

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
