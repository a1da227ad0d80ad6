/** Reads Claude Code's rules about servers from `permissions` in its settings. */

import { toValue, type DocNode } from '../../documents/tree.ts';
import type { PolicyRule } from '../policy-rule.ts';
import type { RuleFile } from './rule-files.ts';

const effects = ['deny', 'ask', 'allow'] as const;

/** Only these rules are about servers; the others are about Claude Code's built-in tools. */
const aboutServers = /^\s*(?:Tool\(\s*)?mcp__/iu;

/** Returns the file's rules. A value of the wrong type that may deny or ask becomes an unreadable rule. */
export function claudeRules(file: RuleFile): readonly PolicyRule[] {
  return valuesOf(file.root, 'permissions').flatMap((permissions) => {
    if (permissions.kind === 'null') return [];
    if (permissions.kind !== 'object')
      return [unreadable(file, permissions, 'deny', 'an object of lists belongs there')];
    return effects.flatMap((effect) => {
      const lists = valuesOf(permissions, effect);
      // For duplicate keys, only the last allow list applies, but all deny and ask lists do.
      return (effect === 'allow' ? lists.slice(-1) : lists).flatMap((list) => listRules(file, effect, list));
    });
  });
}

/** Returns all values of a key, which may occur more than once. */
function valuesOf(node: DocNode | undefined, key: string): readonly DocNode[] {
  if (node?.kind !== 'object') return [];
  return node.entries.filter((entry) => entry.key === key).map(({ value }) => value);
}

function listRules(file: RuleFile, effect: PolicyRule['effect'], list: DocNode): readonly PolicyRule[] {
  if (list.kind === 'null') return [];
  const items = list.kind === 'array' ? list.items : [list];
  return items.flatMap((item) => {
    if (item.kind === 'string')
      return aboutServers.test(item.value) ? [ruleOf(file, effect, item, item.value)] : [];
    return effect === 'allow' ? [] : [unreadable(file, item, effect, 'a rule is a string')];
  });
}

function ruleOf(file: RuleFile, effect: PolicyRule['effect'], node: DocNode, text: string): PolicyRule {
  const { agent, guarded } = file;
  return { effect, text, form: 'double', file: file.file, line: file.lineOf(node), agent, guarded };
}

function unreadable(file: RuleFile, node: DocNode, effect: PolicyRule['effect'], reason: string): PolicyRule {
  return { ...ruleOf(file, effect, node, JSON.stringify(toValue(node))), unreadable: reason };
}
