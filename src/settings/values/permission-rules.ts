/**
 * Reads the `permissions` of a settings file: rules as written, each with its origin. The policy decides what
 * a rule matches, and which allow rules count: that depends on the file they come from.
 */

import { toValue, type DocNode } from '../../documents/tree.ts';
import {
  complainInvalid,
  objectOf,
  type Misfit,
  type ReadContext,
  type SettingOrigin,
  type Shape,
} from './shapes.ts';

export interface PermissionRule {
  readonly rule: string;
  readonly origin: SettingOrigin;
}

export interface Permissions {
  readonly allow: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
}

export const noRules: Permissions = { allow: [], ask: [], deny: [] };

const lists = objectOf<Permissions>({
  allow: ruleList('left out'),
  ask: ruleList('kept'),
  deny: ruleList('kept'),
});

/** A value that is not an object may have been meant as a restriction, so it is stored as a deny rule. */
export const permissions: Shape<Partial<Permissions>> = {
  ...lists,
  read: (node, where, context) =>
    node.kind === 'object'
      ? lists.read(node, where, context)
      : { deny: keepUnreadable(node, { where, wanted: lists.wanted }, context) },
};

/**
 * An allow rule that is not a string is dropped. An ask or deny rule that is not a string is stored as it is
 * written: the policy cannot read it, and asks instead of allowing.
 */
function ruleList(unreadable: 'kept' | 'left out'): Shape<readonly PermissionRule[]> {
  const wanted = 'a list of rules';
  const readRule = (node: DocNode, misfit: Misfit, context: ReadContext): readonly PermissionRule[] => {
    if (unreadable === 'left out') {
      complainInvalid(node, misfit, context);
      return [];
    }
    return keepUnreadable(node, misfit, context, node.kind === 'string' ? node.value : undefined);
  };
  return {
    schema: { type: 'array', items: { type: 'string' } },
    wanted,
    read(node, where, context) {
      if (node.kind !== 'array') return readRule(node, { where, wanted }, context);
      return node.items.flatMap((item, index) =>
        item.kind === 'string'
          ? [{ rule: item.value, origin: context.originAt(item.start) }]
          : readRule(item, { where: `${where}[${index}]`, wanted: 'a rule as text' }, context),
      );
    },
  };
}

function keepUnreadable(
  node: DocNode,
  misfit: Misfit,
  context: ReadContext,
  rule = JSON.stringify(toValue(node)),
): readonly PermissionRule[] {
  complainInvalid(node, { ...misfit, outcome: 'what it may have held back is asked for' }, context);
  return [{ rule, origin: context.originAt(node.start) }];
}
