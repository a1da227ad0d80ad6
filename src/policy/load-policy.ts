/**
 * Reads the rules of all sources: holt's settings, Claude Code's, opencode's, the embedding program's, and
 * the user's remembered answers. It only reads; `createPolicy` interprets the rules.
 */

import { claudeCode } from '../agents/claude-code.ts';
import { opencode } from '../agents/opencode.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Files } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import type { RosterEntry } from '../roster/rank.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import type { Approvals } from '../trust/trust-state.ts';
import type { TrustStore } from '../trust/trust-store.ts';
import type { PolicySources } from './policy.ts';
import type { PolicyRule, PolicyRules, PolicyServer } from './policy-rule.ts';
import { rememberedAnswers } from './sources/answers.ts';
import { claudeRules, opencodeRules } from './sources/foreign-rules.ts';
import { givenRules, isAllowLocked, settingsRules } from './sources/own-rules.ts';
import { openRuleFile, type RuleFile } from './sources/rule-files.ts';

export interface LoadPolicyParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly identity: Identity | undefined;
  readonly approvals: Approvals;
  readonly store: TrustStore;
  /** Rules from the program that opens the host. */
  readonly given?: PolicyRules | undefined;
}

/** The configured servers and settings, as the roster reports them. */
export interface PolicyRoster {
  readonly servers: readonly RosterEntry[];
  readonly shadowed: readonly RosterEntry[];
  readonly settings: LoadedSettings;
  /** Problems already reported while reading the files for servers. */
  readonly problems: readonly Problem[];
}

/**
 * Returns the input of `createPolicy`. Also reads the rules of agents that are not selected, because they may
 * deny a tool.
 */
export async function loadPolicy(roster: PolicyRoster, parts: LoadPolicyParts): Promise<PolicySources> {
  const { settings } = roster;
  const { machine, given = {} } = parts;
  const servers = [...roster.servers, ...roster.shadowed].map(policyServer);
  const fileParts = { ...parts, safeDirectories: settings.settings.trust.safeDirectories };
  const read = async (agent: typeof claudeCode, rulesOf: (file: RuleFile) => readonly PolicyRule[]) => {
    const places = agent
      .locate(machine)
      .filter((place) => agent !== claudeCode || place.variant === 'settings');
    const opened = await Promise.all(places.map((place) => openRuleFile(agent, place, fileParts)));
    return opened.flatMap((one) =>
      one.kind === 'read' ? rulesOf(one.file) : one.kind === 'lost' ? [tellOnce(one.rule, roster)] : [],
    );
  };
  const foreign = [
    ...(await read(claudeCode, claudeRules)),
    ...(await read(opencode, opencodeRules)),
    ...givenRules(given),
  ];
  const locked = isAllowLocked(settings);
  return {
    rules: [
      ...settingsRules(settings, machine),
      ...(locked ? foreign.filter(({ effect }) => effect !== 'allow') : foreign),
    ],
    default: given.default ?? 'ask',
    servers,
    locked,
    remembered: rememberedAnswers(servers, parts),
  };
}

/**
 * Marks the rule of an unusable file as not reported yet, if no problem was reported for the file. Files of
 * agents that are not selected are opened only here.
 */
function tellOnce(rule: PolicyRule, { problems }: PolicyRoster): PolicyRule {
  if (problems.some(({ file }) => file === rule.file)) return rule;
  const { told: _, ...untold } = rule;
  return untold;
}

/** Converts a roster entry to the form that rules are compared with. */
export function policyServer({ ref, definition, trust }: RosterEntry): PolicyServer {
  return { ref, definition, approved: trust === 'approved' };
}
