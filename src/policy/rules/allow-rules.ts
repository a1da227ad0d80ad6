/**
 * Allow rules, indexed by server and tool. Also checks whether the file that contains a rule may grant
 * permissions for the server.
 */

import type { AgentId } from '../../kernel/agent-ids.ts';
import { compileGlob, type Glob } from '../../kernel/glob.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import type { PolicyRule, PolicyServer, RuleFault } from '../policy-rule.ts';
import { type AllowVerdict, readAllow } from './allow-readings.ts';
import {
  builtInPrefix,
  hashedName,
  type HashedName,
  isHashedName,
  sanitise,
  type ToolNames,
} from './rule-names.ts';

export interface AllowQuestion {
  readonly server: string;
  readonly definition: ServerDefinition;
  readonly approved: boolean;
}

export interface AllowAnswer {
  readonly rule?: PolicyRule;
  /** A rule that matches the tool but is in a file that may not grant permissions for this server. */
  readonly inapplicable?: PolicyRule;
}

export interface AllowRules {
  find(question: AllowQuestion, names: ToolNames): AllowAnswer;
  findBuiltIn(tool: string): PolicyRule | undefined;
  readonly faults: readonly RuleFault[];
}

const noMatch: AllowAnswer = {};

interface ServerRules {
  readonly tools: Map<string, PolicyRule[]>;
  readonly globs: { readonly rule: PolicyRule; readonly matches: Glob }[];
}

/** Resolves and indexes the rules. */
export function allowRules(rules: readonly PolicyRule[], servers: readonly PolicyServer[]): AllowRules {
  const read = rules.map((rule) => ({ rule, verdict: readAllow(rule, servers) }));
  const byServer = new Map<string, ServerRules>();
  for (const { rule, verdict } of read)
    if (verdict.kind === 'server') addRule(byServer, rule, verdict.reading);
  const hashed = read.flatMap(({ rule, verdict }) => hashedName({ rule, pattern: verdict.pattern }));
  const builtIn = read.filter(({ rule, verdict }) => verdict.kind === 'built-in' && isOwn(rule));
  return {
    find: (question, names) => {
      if (read.length === 0) return noMatch;
      const all = [
        ...named(byServer.get(question.server), names.exact),
        ...(hashed.length === 0 ? [] : hashedFor(hashed, names)),
      ];
      const rule = all.find((one) => appliesTo(one, question));
      return rule === undefined ? inapplicable(all) : { rule };
    },
    findBuiltIn: (tool) => {
      const name = `${builtInPrefix}${sanitise(tool)}`;
      return builtIn.find(({ verdict }) => compileGlob(verdict.pattern)(name))?.rule;
    },
    faults: [
      ...read.flatMap(({ rule, verdict }) => faultOf(rule, verdict)),
      ...read.flatMap(({ rule, verdict }) => selfApprovals(rule, verdict, servers)),
    ],
  };
}

function addRule(
  byServer: Map<string, ServerRules>,
  rule: PolicyRule,
  { server, tool }: { readonly server: string; readonly tool: string },
): void {
  const known = byServer.get(server) ?? { tools: new Map<string, PolicyRule[]>(), globs: [] };
  byServer.set(server, known);
  if (tool.includes('*')) known.globs.push({ rule, matches: compileGlob(tool) });
  else known.tools.set(tool, [...(known.tools.get(tool) ?? []), rule]);
}

function named(rules: ServerRules | undefined, name: string): readonly PolicyRule[] {
  if (rules === undefined) return [];
  return [
    ...(rules.tools.get(name) ?? []),
    ...rules.globs.filter(({ matches }) => matches(name)).map(({ rule }) => rule),
  ];
}

/**
 * Returns the rules with the tool's hash. They must also contain the complete server name, so that a matching
 * hash alone allows nothing.
 */
function hashedFor(hashed: readonly HashedName[], names: ToolNames): readonly PolicyRule[] {
  const whole = names.forms.exact[0].double;
  return hashed
    .filter((name) => name.head.startsWith(whole) && isHashedName(name, names))
    .map(({ rule }) => rule);
}

function isOwn({ guarded, agent }: PolicyRule): boolean {
  return !guarded && agent === undefined;
}

/**
 * Permissions belong to definitions: a project's server never inherits the rules that the user wrote for a
 * server of the same name.
 */
function appliesTo(rule: PolicyRule, { definition, approved }: AllowQuestion): boolean {
  if (rule.guarded !== definition.guarded || (definition.guarded && !approved)) return false;
  return rule.agent === undefined || isFromAgent(rule.agent, definition);
}

/** Agents that also read another agent's rules, so that those rules apply to their servers too. */
const readersOfRules: Partial<Record<AgentId, readonly AgentId[]>> = {
  'claude-code': ['chimera-mink', 'chimera-otter'],
};

const ownScopes: ReadonlySet<string> = new Set(['user', 'managed', 'plugin']);

/**
 * Whether the server comes from this agent, from an agent that reads its rules, or from the file that several
 * agents share.
 */
function isFromAgent(agent: AgentId, { origin, alsoIn, guarded }: ServerDefinition): boolean {
  const places = guarded ? [origin] : [origin, ...alsoIn.filter(({ scope }) => ownScopes.has(scope))];
  const agents = new Set<AgentId>([agent, ...(readersOfRules[agent] ?? []), 'mcp-json']);
  return places.some((place) => agents.has(place.agent));
}

function inapplicable([rule]: readonly PolicyRule[]): AllowAnswer {
  return rule === undefined ? {} : { inapplicable: rule };
}

/** Ignores the fault of a rule with a hash, which is unambiguous anyway. */
function faultOf(rule: PolicyRule, verdict: AllowVerdict): readonly RuleFault[] {
  if (verdict.kind !== 'refused' || hashedName({ rule, pattern: verdict.pattern }).length > 0) return [];
  return [verdict.fault];
}

/** Reports rules with which a project allows tools of servers that the user has not approved. */
function selfApprovals(
  rule: PolicyRule,
  verdict: AllowVerdict,
  servers: readonly PolicyServer[],
): readonly RuleFault[] {
  if (!rule.guarded) return [];
  const why = whyNot(rule, verdict, servers);
  if (why === undefined) return [];
  // A shared list may name servers that not every user has.
  const severity = verdict.kind === 'idle' ? 'info' : 'warning';
  const message = `the allow rule "${rule.text}" of a project’s file does not count${why}`;
  return [{ rule, severity, code: 'self-approval', message }];
}

/** Returns why the rule has no effect; undefined when it has, or when it is about something else. */
function whyNot(
  rule: PolicyRule,
  verdict: AllowVerdict,
  servers: readonly PolicyServer[],
): string | undefined {
  if (verdict.kind === 'built-in') return ': it has no say about holt’s own tools';
  if (verdict.kind === 'idle') return rule.form === 'double' ? ': no server here is called so' : undefined;
  if (verdict.kind !== 'server') return undefined;
  const server = servers.find(({ ref }) => ref === verdict.reading.server);
  if (server === undefined || (server.definition.guarded && server.approved)) return undefined;
  return server.definition.guarded
    ? ` before "${server.ref}" is approved`
    : `: "${server.ref}" is not this project’s`;
}
