/**
 * Reads opencode's rules: patterns in `tools` and `permission`, matched against `<server>_<tool>`. Deny and
 * ask rules apply from any file, allow rules only from the user's own.
 */

import { get, type DocNode, type ObjectEntry } from '../../documents/tree.ts';
import type { PolicyRule } from '../policy-rule.ts';
import type { RuleFile } from './rule-files.ts';

export function opencodeRules(file: RuleFile): readonly PolicyRule[] {
  const all = [...toolSwitches(file), ...permissions(file)];
  return file.guarded ? all.filter(({ effect }) => effect !== 'allow') : all;
}

/** `true` enables a tool, but does not allow it without asking. */
function toolSwitches(file: RuleFile): readonly PolicyRule[] {
  return entriesOf(get(file.root, 'tools')).flatMap(({ key, value }) => {
    if (value.kind === 'null' || (value.kind === 'boolean' && value.value)) return [];
    return value.kind === 'boolean' ? [ruleOf(file, value, key, 'deny')] : [doubtful(file, value, key)];
  });
}

function permissions(file: RuleFile): readonly PolicyRule[] {
  const node = get(file.root, 'permission');
  if (node === undefined || node.kind === 'null') return [];
  if (node.kind !== 'object') return [wordRule(file, node, '*')];
  return node.entries.flatMap(({ key, value }) =>
    value.kind === 'object' ? byArgument(file, key, value.entries) : [wordRule(file, value, key)],
  );
}

/**
 * Handles answers per argument. For a server's tools opencode only evaluates `*`, and holt cannot distinguish
 * arguments either.
 */
function byArgument(file: RuleFile, key: string, entries: readonly ObjectEntry[]): readonly PolicyRule[] {
  return entries.flatMap((entry) => {
    const rule = wordRule(file, entry.value, key);
    if (entry.key === '*') return [rule];
    return rule.effect === 'allow' ? [] : [{ ...rule, effect: 'ask' as const }];
  });
}

function wordRule(file: RuleFile, node: DocNode, pattern: string): PolicyRule {
  const word = node.kind === 'string' ? node.value : undefined;
  if (word === 'allow' || word === 'ask' || word === 'deny') return ruleOf(file, node, pattern, word);
  return doubtful(file, node, pattern);
}

function entriesOf(node: DocNode | undefined): readonly ObjectEntry[] {
  return node?.kind === 'object' ? node.entries : [];
}

function ruleOf(file: RuleFile, node: DocNode, text: string, effect: PolicyRule['effect']): PolicyRule {
  const { agent, guarded } = file;
  return { effect, text, form: 'plain', file: file.file, line: file.lineOf(node), agent, guarded };
}

function doubtful(file: RuleFile, node: DocNode, pattern: string): PolicyRule {
  return { ...ruleOf(file, node, pattern, 'deny'), unreadable: 'it is none of "allow", "ask" and "deny"' };
}
