/** Allow rules, ready to be asked: by server, by tool, and whether the file they stand in may speak for the server. */

import type { AgentId } from '../../kernel/agent-ids.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import type { PolicyRule, PolicyServer, RuleFault } from '../policy-rule.ts';
import { readAllow, type AllowVerdict } from './allow-readings.ts';
import { compileGlob, type Glob } from './fast-glob.ts';
import { hashedName, isHashedName, type HashedName } from './hashed-names.ts';
import { sanitise, type ToolNames } from './name-forms.ts';
import { builtInPrefix } from './read-rule.ts';

export interface AllowQuestion {
  readonly server: string;
  readonly definition: ServerDefinition;
  readonly approved: boolean;
}

export interface AllowAnswer {
  readonly rule?: PolicyRule;
  /** One that names the tool and stands in a file that has no say about this server. */
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

/** The hash speaks for the pair; that the server's name is all there keeps it from being a guess. */
function hashedFor(hashed: readonly HashedName[], names: ToolNames): readonly PolicyRule[] {
  const whole = names.forms.exact[0].double;
  return hashed
    .filter((name) => name.head.startsWith(whole) && isHashedName(name, names))
    .map(({ rule }) => rule);
}

function isOwn({ guarded, agent }: PolicyRule): boolean {
  return !guarded && agent === undefined;
}

/** Permissions belong to definitions: a project's server never inherits what the user allowed one of that name. */
function covers(rule: PolicyRule, { definition, approved }: AllowQuestion): boolean {
  if (rule.guarded !== definition.guarded || (definition.guarded && !approved)) return false;
  return rule.agent === undefined || isOf(rule.agent, definition);
}

/** Agents that read the rules of another agent's files, so that these speak for their servers as well. */
const readersOfRules: Partial<Record<AgentId, readonly AgentId[]>> = {
  'claude-code': ['chimera-mink', 'chimera-otter'],
};

const ownScopes: ReadonlySet<string> = new Set(['user', 'managed', 'plugin']);

/** The server of the agent or of a reader of its rules, or one of the file that many agents share. */
function isOf(agent: AgentId, { origin, alsoIn, guarded }: ServerDefinition): boolean {
  const places = guarded ? [origin] : [origin, ...alsoIn.filter(({ scope }) => ownScopes.has(scope))];
  const agents = new Set<AgentId>([agent, ...(readersOfRules[agent] ?? []), 'mcp-json']);
  return places.some((place) => agents.has(place.agent));
}

function passedOver([rule]: readonly PolicyRule[]): AllowAnswer {
  return rule === undefined ? {} : { passedOver: rule };
}

/** What has an unambiguous hash is understood all the same. */
function faultOf(rule: PolicyRule, verdict: AllowVerdict): readonly RuleFault[] {
  if (verdict.kind !== 'refused' || hashedName({ rule, pattern: verdict.pattern }).length > 0) return [];
  return [verdict.fault];
}

/** A project that allows itself what nobody has approved yet. */
function selfApprovals(
  rule: PolicyRule,
  verdict: AllowVerdict,
  servers: readonly PolicyServer[],
): readonly RuleFault[] {
  if (!rule.guarded) return [];
  const why = whyNot(rule, verdict, servers);
  if (why === undefined) return [];
  // A list that many share names servers that not everybody has.
  const severity = verdict.kind === 'idle' ? 'info' : 'warning';
  const message = `the allow rule "${rule.text}" of a project’s file does not count${why}`;
  return [{ rule, severity, code: 'self-approval', message }];
}

/** Undefined when it counts, or is about something else. */
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
