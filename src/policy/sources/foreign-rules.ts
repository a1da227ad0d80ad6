/**
 * Reads other agents' rules: the lists in Claude Code's `permissions`, and opencode's patterns in `tools` and
 * `permission`, which are matched against `<server>_<tool>`. Deny and ask rules apply from any file,
 * opencode's allow rules only from the user's own.
 */

import type { AgentFormat, Location } from '../../agents/agent-format.ts';
import { parseDocument, partLimits } from '../../documents/parse-document.ts';
import { createLineIndex, type DocNode, get, type ObjectEntry, toValue } from '../../documents/tree.ts';
import type { AgentId } from '../../kernel/agent-ids.ts';
import { liesInProject } from '../../kernel/machine.ts';
import { type ConfigFileParts, loadConfigFile } from '../../platform/files/load-config-file.ts';
import type { PolicyRule } from '../policy-rule.ts';

const effects = ['deny', 'ask', 'allow'] as const;

/** Only these rules are about servers; the others are about Claude Code's built-in tools. */
const aboutServers = /^\s*(?:Tool\(\s*)?mcp__/iu;

/** Returns the file's rules. A value of the wrong type that may deny or ask becomes an unreadable rule. */
export function claudeRules(file: RuleFile): readonly PolicyRule[] {
  return valuesOf(file.root, 'permissions').flatMap((permissions) => {
    if (permissions.kind === 'null') return [];
    if (permissions.kind !== 'object')
      return [unreadableClaudeRule(file, permissions, 'deny', 'an object of lists belongs there')];
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
      return aboutServers.test(item.value) ? [claudeRule(file, effect, item, item.value)] : [];
    return effect === 'allow' ? [] : [unreadableClaudeRule(file, item, effect, 'a rule is a string')];
  });
}

function claudeRule(file: RuleFile, effect: PolicyRule['effect'], node: DocNode, text: string): PolicyRule {
  const { agent, guarded } = file;
  return { effect, text, form: 'double', file: file.file, line: file.lineOf(node), agent, guarded };
}

function unreadableClaudeRule(
  file: RuleFile,
  node: DocNode,
  effect: PolicyRule['effect'],
  reason: string,
): PolicyRule {
  return { ...claudeRule(file, effect, node, JSON.stringify(toValue(node))), unreadable: reason };
}

export function opencodeRules(file: RuleFile): readonly PolicyRule[] {
  const all = [...toolSwitches(file), ...permissionRules(file)];
  return file.guarded ? all.filter(({ effect }) => effect !== 'allow') : all;
}

/** `true` enables a tool, but does not allow it without asking. */
function toolSwitches(file: RuleFile): readonly PolicyRule[] {
  return entriesOf(get(file.root, 'tools')).flatMap(({ key, value }) => {
    if (value.kind === 'null' || (value.kind === 'boolean' && value.value)) return [];
    return value.kind === 'boolean'
      ? [opencodeRule(file, value, key, 'deny')]
      : [unreadableOpencodeRule(file, value, key)];
  });
}

function permissionRules(file: RuleFile): readonly PolicyRule[] {
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
  if (word === 'allow' || word === 'ask' || word === 'deny') return opencodeRule(file, node, pattern, word);
  return unreadableOpencodeRule(file, node, pattern);
}

function entriesOf(node: DocNode | undefined): readonly ObjectEntry[] {
  return node?.kind === 'object' ? node.entries : [];
}

function opencodeRule(file: RuleFile, node: DocNode, text: string, effect: PolicyRule['effect']): PolicyRule {
  const { agent, guarded } = file;
  return { effect, text, form: 'plain', file: file.file, line: file.lineOf(node), agent, guarded };
}

function unreadableOpencodeRule(file: RuleFile, node: DocNode, pattern: string): PolicyRule {
  return {
    ...opencodeRule(file, node, pattern, 'deny'),
    unreadable: 'it is none of "allow", "ask" and "deny"',
  };
}

/** An opened file that may contain rules. */
export interface RuleFile {
  readonly file: string;
  readonly agent: AgentId;
  readonly guarded: boolean;
  readonly root: DocNode | undefined;
  lineOf(node: { readonly start: number }): number;
}

/** The result of opening a file: read, missing, or lost. The rules of a lost file are unknown. */
export type OpenedRules =
  | { readonly kind: 'read'; readonly file: RuleFile }
  | { readonly kind: 'missing' }
  | { readonly kind: 'lost'; readonly rule: PolicyRule };

/** Opens and parses the file. Never rejects because of its content. */
export async function openRuleFile(
  { id }: AgentFormat,
  location: Location,
  parts: ConfigFileParts,
): Promise<OpenedRules> {
  const { path, text } = location;
  const guarded = location.guarded || isProjects(location, parts);
  const found = text === undefined ? loadConfigFile(path, guarded, parts) : givenText(text);
  if (found.kind === 'missing') return { kind: 'missing' };
  const lost = { kind: 'lost', rule: lostRules(path, guarded, id) } as const;
  if (found.kind === 'refused') return lost;
  const document = await parseDocument(found.bytes, location.format, partLimits(guarded));
  if (!document.ok) return lost;
  const position = createLineIndex(document.text);
  return {
    kind: 'read',
    file: {
      file: path,
      agent: id,
      guarded,
      root: document.root,
      lineOf: ({ start }) => position(start).line,
    },
  };
}

function givenText(text: string): { readonly kind: 'file'; readonly bytes: Uint8Array } {
  return { kind: 'file', bytes: Buffer.from(text) };
}

/** Trust depends on the file's location, because a variable may point into the project. */
function isProjects({ path, scope, text }: Location, { machine }: ConfigFileParts): boolean {
  return text === undefined && scope !== 'managed' && liesInProject(path, machine);
}

/**
 * Returns a rule that represents all rules of an unusable file. Marked as reported, because the code that
 * opened the file for servers or settings reports the problem.
 */
export function lostRules(file: string, guarded: boolean, agent?: AgentId): PolicyRule {
  return {
    effect: 'deny',
    text: 'permissions',
    form: 'double',
    file,
    line: 1,
    guarded,
    unreadable: 'the file cannot be used',
    lost: true,
    reported: true,
    ...(agent === undefined ? {} : { agent }),
  };
}
