/** A policy from a few words: rules by effect, servers by name. */

import type { AgentId } from '../../src/kernel/agent-ids.ts';
import type { Scope, ServerDefinition, ToolFilter } from '../../src/kernel/servers.ts';
import { createPolicy, type Policy, type PolicyVerdict } from '../../src/policy/policy.ts';
import type { PolicyRule, PolicyServer } from '../../src/policy/policy-rule.ts';

export interface ServerSample {
  readonly name: string;
  readonly ref?: string;
  readonly agent?: AgentId;
  readonly scope?: Scope;
  readonly guarded?: boolean;
  readonly approved?: boolean;
  readonly tools?: ToolFilter;
}

export function serverOf(sample: ServerSample): PolicyServer {
  const { name, ref = name, agent = 'holt', scope = 'user', approved = false, tools } = sample;
  const origin = { agent, scope, file: `/${agent}/${scope}.json`, line: 7, column: 1 };
  const definition: ServerDefinition = {
    name,
    launch: { kind: 'stdio', command: name, args: [], env: {}, envFrom: {} },
    enabled: true,
    timeouts: {},
    dialect: 'holt',
    origin,
    guarded: sample.guarded ?? (scope === 'project' || scope === 'local'),
    parts: [origin],
    alsoIn: [],
    ...(tools === undefined ? {} : { tools }),
  };
  return { ref, definition, approved };
}

export type RuleSample = Partial<PolicyRule> & Pick<PolicyRule, 'effect' | 'text'>;

export interface PolicyFixture {
  readonly policy: Policy;
  decide(server: string, tool: string): PolicyVerdict;
  /** Only the word. */
  word(server: string, tool: string): PolicyVerdict['decision'];
}

export function policyOf(
  rules: readonly RuleSample[],
  samples: readonly (string | ServerSample)[],
  options: { readonly default?: 'allow' | 'ask' | 'deny'; readonly locked?: boolean } = {},
): PolicyFixture {
  const servers = samples.map((sample) => serverOf(typeof sample === 'string' ? { name: sample } : sample));
  const policy = createPolicy({
    rules: rules.map((rule): PolicyRule => ({ form: 'double', guarded: false, ...rule })),
    default: options.default ?? 'ask',
    servers,
    locked: options.locked ?? false,
  });
  const decide = (server: string, tool: string): PolicyVerdict => {
    const found = servers.find(({ ref }) => ref === server);
    if (found === undefined) throw new Error(`the test has no server ${server}`);
    return policy.decide({ server, tool, ...found });
  };
  return { policy, decide, word: (server, tool) => decide(server, tool).decision };
}

export function allow(text: string, more: Partial<PolicyRule> = {}): RuleSample {
  return { effect: 'allow', text, ...more };
}

export function ask(text: string, more: Partial<PolicyRule> = {}): RuleSample {
  return { effect: 'ask', text, ...more };
}

export function deny(text: string, more: Partial<PolicyRule> = {}): RuleSample {
  return { effect: 'deny', text, ...more };
}
