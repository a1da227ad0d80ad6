/** Deny and ask rules. They match every possible reading of their text, and confusable names on request. */

import { compileGlob, type Glob } from '../../kernel/glob.ts';
import { trimBlanks } from '../../masking/edge-blanks.ts';
import type { PolicyRule, PolicyServer, RuleFault } from '../policy-rule.ts';
import {
  foldForm,
  type HashedName,
  hashedName,
  isHashedName,
  isUnfinished,
  readRule,
  sanitise,
  type ServerForm,
  type ToolNames,
} from './rule-names.ts';

export interface RestrictingPattern {
  readonly rule: PolicyRule;
  readonly pattern: string;
}

export interface RestrictingRules {
  /** Returns the first rule that matches the tool's exact name. */
  find(names: ToolNames): PolicyRule | undefined;
  /** Returns the first rule that matches a name that is confusable with the tool's name. */
  findConfusable(names: ToolNames): PolicyRule | undefined;
}

/** Compiles the patterns. */
export function restrictingRules(patterns: readonly RestrictingPattern[]): RestrictingRules {
  const hashed = patterns.flatMap(hashedName);
  const exact = spelledRules(patterns, sanitise, (names) => [names.exact]);
  const folded = spelledRules(patterns.flatMap(withTrimmed), foldForm, (names) => names.folded);
  return {
    find: (names) => exact.find(names.forms.exact, names) ?? findHashed(hashed, names),
    findConfusable: (names) => folded.find(names.forms.folded, names),
  };
}

/** Adds the pattern without blanks at its ends, which were hardly meant to be part of the name. */
function withTrimmed(written: RestrictingPattern): readonly RestrictingPattern[] {
  const pattern = trimBlanks(written.pattern);
  return pattern === written.pattern ? [written] : [written, { ...written, pattern }];
}

function findHashed(hashed: readonly HashedName[], names: ToolNames): PolicyRule | undefined {
  return hashed.length === 0 ? undefined : hashed.find((name) => isHashedName(name, names))?.rule;
}

interface SpelledRules {
  find(forms: readonly ServerForm[], names: ToolNames): PolicyRule | undefined;
}

/** The rules that may match one server's tools. All others are skipped for these tools. */
interface ServerRules {
  /** A rule for all tools of the server. */
  readonly whole: PolicyRule | undefined;
  readonly lists: readonly { readonly head: string; readonly rules: readonly SpelledRule[] }[];
}

interface SpelledRule {
  readonly rule: PolicyRule;
  readonly form: PolicyRule['form'];
  /** The text before the first wildcard. */
  readonly head: string;
  readonly matches: Glob;
}

function spelledRules(
  patterns: readonly RestrictingPattern[],
  spell: (text: string) => string,
  spellings: (names: ToolNames) => readonly string[],
): SpelledRules {
  const all = patterns.map(({ rule, pattern }): SpelledRule => {
    const spelled = spellAround(pattern, rule.form, spell);
    return { rule, form: rule.form, head: spelled.replace(/[*?].*/s, ''), matches: compileGlob(spelled) };
  });
  const known = new WeakMap<readonly ServerForm[], ServerRules>();
  return {
    find: (forms, names) => {
      if (all.length === 0) return undefined;
      const own = known.get(forms) ?? rulesFor(all, forms);
      known.set(forms, own);
      return own.whole ?? firstMatch(own, names, spellings);
    },
  };
}

function firstMatch(
  { lists }: ServerRules,
  names: ToolNames,
  spellings: (names: ToolNames) => readonly string[],
): PolicyRule | undefined {
  for (const { head, rules } of lists) {
    const whole = spellings(names).map((name) => `${head}${name}`);
    for (const { rule, matches } of rules) if (whole.some(matches)) return rule;
  }
  return undefined;
}

function rulesFor(all: readonly SpelledRule[], forms: readonly ServerForm[]): ServerRules {
  const serverNames = forms.flatMap(({ whole }) => whole ?? []);
  const lists = forms.flatMap(({ double, plain }) => [
    { head: double, rules: beginningWith(all, 'double', double) },
    ...(plain === undefined ? [] : [{ head: plain, rules: beginningWith(all, 'plain', plain) }]),
  ]);
  return {
    whole: all.find(({ form, matches }) => form === 'double' && serverNames.some(matches))?.rule,
    lists: lists.filter(({ rules }) => rules.length > 0),
  };
}

function beginningWith(
  all: readonly SpelledRule[],
  form: PolicyRule['form'],
  start: string,
): readonly SpelledRule[] {
  return all.filter((one) => one.form === form && (one.head.startsWith(start) || start.startsWith(one.head)));
}

/** Applies `spell` to the text between wildcards. `?` is a wildcard only in opencode's patterns. */
function spellAround(pattern: string, form: PolicyRule['form'], spell: (text: string) => string): string {
  const wildcards = form === 'plain' ? /([*?])/ : /(\*)/;
  return pattern
    .split(wildcards)
    .map((piece, index) => (index % 2 === 1 ? piece : spell(piece)))
    .join('');
}

interface ReadRestricting extends RestrictingPattern {
  readonly fault?: RuleFault;
}

export function readRestricting(rule: PolicyRule, servers: readonly PolicyServer[]): ReadRestricting {
  if (rule.unreadable === undefined && rule.form === 'plain') return { rule, pattern: rule.text };
  const read =
    rule.unreadable === undefined
      ? readRule(rule.text)
      : ({ kind: 'unreadable', reason: rule.unreadable } as const);
  if (read.kind === 'pattern') {
    if (!isUnfinished(read.pattern, servers)) return { rule, pattern: read.pattern };
    const unfinished = unreadableFault(rule, 'the name of a tool is missing at its end');
    return { rule, pattern: `${read.pattern}*`, fault: unfinished };
  }
  const fault = rule.lost === true ? lostFault(rule, read.reason) : unreadableFault(rule, read.reason);
  // The pattern of an opencode rule is readable even if its answer is not.
  return { rule, pattern: rule.form === 'plain' ? rule.text : '*', fault };
}

function unreadableFault(rule: PolicyRule, reason: string): RuleFault {
  return {
    rule,
    severity: 'error',
    code: 'setting-invalid',
    message: `the ${rule.effect} rule "${rule.text}" cannot be read: ${reason}; everything it may have held back is asked for`,
    remedy: 'Write mcp__<server>, mcp__<server>__<tool> or a pattern with "*".',
  };
}

function lostFault(rule: PolicyRule, reason: string): RuleFault {
  return {
    rule,
    severity: 'error',
    code: 'file-unreadable',
    message: `the rules for tools in this file are lost: ${reason}; everything they may have held back is asked for`,
    remedy: 'Fix the file, or remove it.',
  };
}
