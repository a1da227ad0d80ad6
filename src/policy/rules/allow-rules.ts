/**
 * Allow rules, indexed by server and tool. A rule must name exactly one server literally: an ambiguous rule,
 * or one with `*` in the server's name, allows nothing. Its file must also be one that may grant permissions
 * for that server.
 */

import type { AgentId } from '../../kernel/agent-ids.ts';
import { compileGlob, type Glob } from '../../kernel/glob.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import type { PolicyRule, PolicyServer, RuleFault } from '../policy-rule.ts';
import {
  builtInPrefix,
  hashedName,
  type HashedName,
  isHashedName,
  isUnfinished,
  readRule,
  sanitise,
  serverPrefix,
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
  readonly passedOver?: PolicyRule;
}

export interface AllowRules {
  find(question: AllowQuestion, names: ToolNames): AllowAnswer;
  findBuiltIn(tool: string): PolicyRule | undefined;
  readonly faults: readonly RuleFault[];
}

const nobody: AllowAnswer = {};

interface ServerRules {
  readonly tools: Map<string, PolicyRule[]>;
  readonly globs: { readonly rule: PolicyRule; readonly matches: Glob }[];
}

/** Resolves and indexes the rules. */
export function allowRules(rules: readonly PolicyRule[], servers: readonly PolicyServer[]): AllowRules {
  const read = rules.map((rule) => ({ rule, verdict: readAllow(rule, servers) }));
  const byServer = new Map<string, ServerRules>();
  for (const { rule, verdict } of read) if (verdict.kind === 'server') enter(byServer, rule, verdict.reading);
  const hashed = read.flatMap(({ rule, verdict }) => hashedName({ rule, pattern: verdict.pattern }));
  const builtIn = read.filter(({ rule, verdict }) => verdict.kind === 'built-in' && isOwn(rule));
  return {
    find: (question, names) => {
      if (read.length === 0) return nobody;
      const all = [
        ...named(byServer.get(question.server), names.exact),
        ...(hashed.length === 0 ? [] : hashedFor(hashed, names)),
      ];
      const rule = all.find((one) => covers(one, question));
      return rule === undefined ? passedOver(all) : { rule };
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

function enter(
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
function covers(rule: PolicyRule, { definition, approved }: AllowQuestion): boolean {
  if (rule.guarded !== definition.guarded || (definition.guarded && !approved)) return false;
  return rule.agent === undefined || isOf(rule.agent, definition);
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
function isOf(agent: AgentId, { origin, alsoIn, guarded }: ServerDefinition): boolean {
  const places = guarded ? [origin] : [origin, ...alsoIn.filter(({ scope }) => ownScopes.has(scope))];
  const agents = new Set<AgentId>([agent, ...(readersOfRules[agent] ?? []), 'mcp-json']);
  return places.some((place) => agents.has(place.agent));
}

function passedOver([rule]: readonly PolicyRule[]): AllowAnswer {
  return rule === undefined ? {} : { passedOver: rule };
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

/** `*` as the tool means all tools of the server. */
export interface AllowReading {
  readonly server: string;
  readonly tool: string;
}

export type AllowVerdict =
  | { readonly kind: 'server'; readonly pattern: string; readonly reading: AllowReading }
  | { readonly kind: 'built-in'; readonly pattern: string }
  /** No server has that name now, or the rule is about something else. */
  | { readonly kind: 'idle'; readonly pattern: string }
  | { readonly kind: 'refused'; readonly pattern: string; readonly fault: RuleFault };

/** Resolves a rule against the servers that exist now. */
export function readAllow(rule: PolicyRule, servers: readonly PolicyServer[]): AllowVerdict {
  return rule.form === 'plain' ? readPlain(rule, servers) : readDouble(rule, servers);
}

function readDouble(rule: PolicyRule, servers: readonly PolicyServer[]): AllowVerdict {
  const read = readRule(rule.text);
  if (read.kind === 'unreadable') {
    return refused(rule, rule.text, { why: `cannot be read: ${read.reason}`, code: 'setting-invalid' });
  }
  const { pattern } = read;
  if (pattern.startsWith(builtInPrefix)) return { kind: 'built-in', pattern };
  const name = pattern.slice(serverPrefix.length);
  const star = pattern.indexOf('*');
  // The `*` is in the server's name, whatever the servers are called.
  if (
    !pattern.startsWith(serverPrefix) ||
    (star !== -1 && !pattern.slice(serverPrefix.length, star).includes('__'))
  ) {
    return refused(rule, pattern, {
      why: 'allows nothing: an allow rule names its server, letter for letter',
      remedy: `Write one rule for each server: ${serverPrefix}<server>.`,
    });
  }
  if (!/^[\w*-]+$/.test(pattern)) {
    return refused(rule, pattern, {
      why: 'allows nothing: names in rules have only letters, digits, "_" and "-"',
      remedy: `Write ${pattern.split('*').map(sanitise).join('*')}.`,
    });
  }
  const whole = servers
    .filter(({ ref }) => name === sanitise(ref))
    .map(({ ref }) => ({ server: ref, tool: '*' }));
  const readings = [...whole, ...toolReadings(name, '__', servers)];
  if (readings.length === 0 && isUnfinished(pattern, servers)) {
    return refused(rule, pattern, {
      why: 'allows nothing: the name of a tool is missing at its end',
      remedy: `Write ${pattern.slice(0, -2)} for all tools of the server, or ${pattern}<tool>.`,
    });
  }
  return choose(rule, pattern, readings);
}

/** opencode's patterns also cover its built-in tools. A pattern that matches no server is about those. */
function readPlain(rule: PolicyRule, servers: readonly PolicyServer[]): AllowVerdict {
  const pattern = rule.text;
  const readings = toolReadings(pattern, '_', servers);
  if (readings.length > 0 || !/[*?]/.test(pattern)) return choose(rule, pattern, readings);
  return refused(rule, pattern, {
    why: 'allows no server’s tools: an allow rule names its server, letter for letter',
    remedy: 'Write one rule for each server: "<server>_*".',
    severity: 'info',
  });
}

function toolReadings(
  name: string,
  separator: string,
  servers: readonly PolicyServer[],
): readonly AllowReading[] {
  return servers.flatMap(({ ref }) => {
    const head = `${sanitise(ref)}${separator}`;
    return name.startsWith(head) && name.length > head.length
      ? [{ server: ref, tool: name.slice(head.length) }]
      : [];
  });
}

function choose(rule: PolicyRule, pattern: string, readings: readonly AllowReading[]): AllowVerdict {
  const [reading, ...others] = readings;
  if (reading === undefined) return { kind: 'idle', pattern };
  if (others.length === 0) return { kind: 'server', pattern, reading };
  return refused(rule, pattern, {
    why: `allows nothing: it can mean ${readings.map(describe).join(' or ')}`,
    remedy: 'Rename one of the servers, or use the name with the eight digits that holt tools shows.',
  });
}

function describe({ server, tool }: AllowReading): string {
  return tool === '*' ? `all tools of "${server}"` : `tool "${tool}" of "${server}"`;
}

interface Refusal {
  readonly why: string;
  readonly remedy?: string;
  readonly severity?: RuleFault['severity'];
  readonly code?: RuleFault['code'];
}

function refused(rule: PolicyRule, pattern: string, refusal: Refusal): AllowVerdict {
  const {
    why,
    remedy,
    severity = rule.agent === undefined ? 'error' : 'warning',
    code = 'setting-ignored',
  } = refusal;
  const message = `the allow rule "${rule.text}" ${why}`;
  const fault: RuleFault = { rule, severity, code, message, ...(remedy === undefined ? {} : { remedy }) };
  return { kind: 'refused', pattern, fault };
}
