/**
 * Public names that are too long or ambiguous end in a hash of server and tool. In a rule, such a name
 * matches only that pair.
 */

import type { PolicyRule } from '../policy-rule.ts';
import type { ToolNames } from './name-forms.ts';

export interface HashedName {
  readonly rule: PolicyRule;
  /** The beginning of the name, as far as it fits. */
  readonly head: string;
  readonly hash: string;
}

const shape = /^(mcp__[\w-]+)_([0-9a-f]{8})$/;

/** Returns the hashed name in this pattern as a list with one element; an empty list if there is none. */
export function hashedName(written: {
  readonly rule: PolicyRule;
  readonly pattern: string;
}): readonly HashedName[] {
  const { rule, pattern } = written;
  const [, head, hash] = shape.exec(pattern) ?? [];
  if (rule.form !== 'double' || head === undefined || hash === undefined) return [];
  return [{ rule, head, hash }];
}

/** Whether the hashed name denotes this tool. */
export function isHashedName({ head, hash }: HashedName, names: ToolNames): boolean {
  const [form] = names.forms.exact;
  return `${form.double}${names.exact}`.startsWith(head) && names.hash === hash;
}
