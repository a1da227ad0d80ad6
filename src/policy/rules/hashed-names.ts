/** Public names that were too long or clashed end in a hash of their pair. In a rule they stand for that pair alone. */

import type { PolicyRule } from '../policy-rule.ts';
import type { ToolNames } from './name-forms.ts';

export interface HashedName {
  readonly rule: PolicyRule;
  /** As much of the name as there was room for. */
  readonly head: string;
  readonly hash: string;
}

const shape = /^(mcp__[\w-]+)_([0-9a-f]{8})$/;

export function hashedName(written: {
  readonly rule: PolicyRule;
  readonly pattern: string;
}): readonly HashedName[] {
  const { rule, pattern } = written;
  const [, head, hash] = shape.exec(pattern) ?? [];
  if (rule.form !== 'double' || head === undefined || hash === undefined) return [];
  return [{ rule, head, hash }];
}

export function isHashedName({ head, hash }: HashedName, names: ToolNames): boolean {
  const [form] = names.forms.exact;
  return `${form.double}${names.exact}`.startsWith(head) && names.hash === hash;
}
