/**
 * Decides whether a tool may be called. Deny overrides ask, and ask overrides allow, regardless of order and
 * file. Pure: takes rules and returns a decision with the rule that made it.
 */

import type { Decision } from '../catalog/tool-info.ts';
import type { Problem } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { decisions, type PolicyRule, type PolicyServer, type RuleFault } from './policy-rule.ts';
import { allowRules } from './rules/allow-rules.ts';
import {
  readRestricting,
  type RestrictingPattern,
  restrictingRules,
  type RestrictingRules,
} from './rules/restricting-rules.ts';
import { builtInForms, rememberForms, ToolNames } from './rules/rule-names.ts';
import type { Answers } from './sources/answers.ts';
import { isAutoApproved, isOffered } from './tool-filter.ts';

export type { PolicyRules } from './policy-rule.ts';

export interface PolicySources {
  readonly rules: readonly PolicyRule[];
  readonly default: Decision;
  /** All servers, because the meaning of a rule depends on them. */
  readonly servers: readonly PolicyServer[];
  /**
   * True when an administrator has set the allow rules. Servers' own lists and remembered answers then allow
   * nothing more.
   */
  readonly locked: boolean;
  readonly remembered?: Answers;
}

/** The server that a tool belongs to. */
export interface PolicySubject {
  /** The server's name in the host. */
  readonly server: string;
  readonly definition: ServerDefinition;
  /** For a project's definition: true when it was approved in its current form. */
  readonly approved: boolean;
}

export interface PolicyQuestion extends PolicySubject {
  readonly tool: string;
}

export interface PolicyVerdict {
  readonly decision: Decision;
  /** Unset when the default applied. */
  readonly rule?: { readonly text: string; readonly file?: string; readonly line?: number };
  readonly reason: string;
}

export interface Policy {
  decide(question: PolicyQuestion): PolicyVerdict;
  /** Like `decide`, for repeated questions about one server. */
  decideFor(subject: PolicySubject, tool: string): PolicyVerdict;
  /** Decides for holt's built-in tools. Rules call them `holt__<tool>`. */
  decideBuiltIn(tool: string): PolicyVerdict;
  /** Reports rules that could not be read or have no effect. */
  readonly problems: readonly Problem[];
}

/** Compiles the rules. Rules that cannot be read never throw; they are listed in `problems`. */
export function createPolicy(sources: PolicySources): Policy {
  return sources.rules.length === 0 ? policyWithoutRules(sources) : policyWithRules(sources);
}

/** For most hosts, which may have thousands of tools. */
function policyWithoutRules(sources: PolicySources): Policy {
  const fallback = fallbackOf(sources);
  const byDefault = unmatched(fallback, undefined);
  const decideFor: Policy['decideFor'] = (subject, tool) =>
    filtered(subject, tool) ?? allowedElsewhere(subject, tool, sources) ?? byDefault;
  return {
    decide: (question) => decideFor(question, question.tool),
    decideFor,
    decideBuiltIn: (tool) => builtInDefault(tool, fallback),
    problems: [],
  };
}

function fallbackOf({ default: fallback }: PolicySources): Decision {
  return decisions.includes(fallback) ? fallback : 'ask';
}

function builtInDefault(tool: string, fallback: Decision): PolicyVerdict {
  return unmatched(tool === 'mcp_auth' && fallback === 'allow' ? 'ask' : fallback, undefined);
}

function policyWithRules(sources: PolicySources): Policy {
  const restricting = sources.rules
    .filter(({ effect }) => effect !== 'allow')
    .map((rule) => readRestricting(rule, sources.servers));
  const patternsOf = (effect: Decision): readonly RestrictingPattern[] =>
    restricting.filter(({ rule, fault }) => rule.effect === effect && fault === undefined);
  const rules: RestrictingIndex = {
    deny: restrictingRules(patternsOf('deny')),
    ask: restrictingRules(patternsOf('ask')),
    unreadable: restrictingRules(restricting.filter(({ fault }) => fault !== undefined)),
  };
  const allow = allowRules(
    sources.rules.filter(({ effect }) => effect === 'allow'),
    sources.servers,
  );
  const formsOf = rememberForms();
  const fallback = fallbackOf(sources);
  const byDefault = unmatched(fallback, undefined);
  const decideFor: Policy['decideFor'] = (subject, tool) => {
    const names = new ToolNames(formsOf(subject.server, subject.definition.name), tool);
    const restricted = restrictedBy(rules, names) ?? filtered(subject, tool);
    if (restricted !== undefined) return restricted;
    const found = allow.find(subject, names);
    const allowed = allowedBy(found.rule) ?? allowedElsewhere(subject, tool, sources);
    if (allowed !== undefined) return recheckAllow(allowed, rules, names);
    const { inapplicable } = found;
    return recheckAllow(
      inapplicable === undefined ? byDefault : unmatched(fallback, inapplicable),
      rules,
      names,
    );
  };
  return {
    decide: (question) => decideFor(question, question.tool),
    decideFor,
    decideBuiltIn: (tool) => {
      const names = new ToolNames(builtInForms, tool);
      const restricted = restrictedBy(rules, names);
      if (restricted !== undefined) return restricted;
      const verdict = allowedBy(allow.findBuiltIn(tool)) ?? builtInDefault(tool, fallback);
      return recheckAllow(verdict, rules, names);
    },
    problems: [...restricting.flatMap(({ fault }) => fault ?? []), ...allow.faults]
      .filter(({ rule }) => rule.reported !== true)
      .map(problemOf),
  };
}

interface RestrictingIndex {
  readonly deny: RestrictingRules;
  readonly ask: RestrictingRules;
  /** Unreadable rules: it is unknown which tools they would have matched. */
  readonly unreadable: RestrictingRules;
}

/** Returns the verdict of a deny or ask rule. Allow rules cannot override it. */
function restrictedBy({ deny, ask }: RestrictingIndex, names: ToolNames): PolicyVerdict | undefined {
  const denied = deny.find(names);
  if (denied !== undefined) return byRule('deny', denied, 'is denied by');
  const confusable = deny.findConfusable(names);
  if (confusable !== undefined) return byRule('deny', confusable, 'looks like what is denied by');
  const asked = ask.find(names);
  return asked === undefined ? undefined : byRule('ask', asked, 'is asked for by');
}

/**
 * Checks an `allow` verdict again for confusable names and unreadable rules, which turn it into `ask`. Never
 * loosens a verdict.
 */
function recheckAllow(
  verdict: PolicyVerdict,
  { ask, unreadable }: RestrictingIndex,
  names: ToolNames,
): PolicyVerdict {
  if (verdict.decision !== 'allow') return verdict;
  const confusable = ask.findConfusable(names);
  if (confusable !== undefined) return byRule('ask', confusable, 'looks like what is asked for by');
  const unreadableMatch = unreadable.find(names);
  return unreadableMatch === undefined
    ? verdict
    : byRule('ask', unreadableMatch, 'may have been held back by', ', which cannot be read');
}

function filtered({ definition }: PolicySubject, tool: string): PolicyVerdict | undefined {
  if (isOffered(definition, tool)) return undefined;
  const { file, line } = definition.origin;
  return byRule(
    'deny',
    { text: 'tools', ...place(file, line) },
    'is left out by the list of tools of the server,',
  );
}

function allowedBy(rule: PolicyRule | undefined): PolicyVerdict | undefined {
  return rule === undefined ? undefined : byRule('allow', rule, 'is allowed by');
}

function allowedElsewhere(
  { definition, approved }: PolicySubject,
  tool: string,
  sources: PolicySources,
): PolicyVerdict | undefined {
  const isLocked = sources.locked && definition.origin.scope !== 'managed';
  if (isLocked) return undefined;
  if (isAutoApproved(definition, tool, approved)) {
    const { file, line } = definition.origin;
    return byRule(
      'allow',
      { text: 'autoApprove', ...place(file, line) },
      'is allowed by the entry of the server,',
    );
  }
  const { remembered } = sources;
  if (!definition.guarded || !approved || remembered?.allows(definition, tool) !== true) return undefined;
  return byRule('allow', { text: 'always', file: remembered.file }, 'is allowed by an answer for good,');
}

function unmatched(decision: Decision, inapplicable: PolicyRule | undefined): PolicyVerdict {
  const aside =
    inapplicable === undefined
      ? ''
      : `; the allow rule ${describe(inapplicable)} has no say about this server, which comes from another file`;
  return { decision, reason: `matches no rule, and the default is ${decision}${aside}` };
}

type Cause = Pick<PolicyRule, 'text' | 'file' | 'line'>;

function byRule(decision: Decision, rule: Cause, verb: string, end = ''): PolicyVerdict {
  const { text, file, line } = rule;
  return { decision, rule: { text, ...place(file, line) }, reason: `${verb} ${describe(rule)}${end}` };
}

function place(
  file: string | undefined,
  line: number | undefined,
): { readonly file?: string; readonly line?: number } {
  if (file === undefined || file === '') return {};
  return line === undefined ? { file } : { file, line };
}

function describe({ text, file, line }: Cause): string {
  if (file === undefined || file === '') return `"${text}"`;
  return line === undefined ? `"${text}" in ${file}` : `"${text}" in ${file}:${line}`;
}

function problemOf({ rule, severity, code, message, remedy }: RuleFault): Problem {
  const { file = '', line = 1 } = rule;
  return {
    severity,
    code,
    file,
    line,
    column: 1,
    message,
    ...(remedy === undefined ? {} : { remedy }),
  };
}
