/**
 * Reads the rules of all sources: holt's settings, Claude Code's, opencode's, the embedding program's, and
 * the user's remembered answers. It only reads; `createPolicy` interprets the rules.
 */

import { claudeCode } from '../agents/claude-code.ts';
import { opencode } from '../agents/opencode.ts';
import { liesInProject, type Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Files } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import type { RosterEntry } from '../roster/rank.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import type { Permissions, SettingOrigin } from '../settings/settings.ts';
import type { Approvals } from '../trust/trust-state.ts';
import type { TrustStore } from '../trust/trust-store.ts';
import { decisions, type PolicyRule, type PolicyRules, type PolicyServer } from './policy-rule.ts';
import type { PolicySources } from './policy.ts';
import { isApprovedInProject, rememberedAnswers } from './sources/answers.ts';
import {
  claudeRules,
  lostRules,
  opencodeRules,
  openRuleFile,
  type RuleFile,
} from './sources/foreign-rules.ts';

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
      one.kind === 'read' ? rulesOf(one.file) : one.kind === 'lost' ? [markUnreported(one.rule, roster)] : [],
    );
  };
  const foreign = [
    ...(await read(claudeCode, claudeRules)),
    ...(await read(opencode, opencodeRules)),
    ...programRules(given),
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
    ...(servers.some(isApprovedInProject) ? { remembered: rememberedAnswers(servers, parts) } : {}),
  };
}

/**
 * Marks the rule of an unusable file as not reported yet, if no problem was reported for the file. Files of
 * agents that are not selected are opened only here.
 */
function markUnreported(rule: PolicyRule, { problems }: PolicyRoster): PolicyRule {
  if (problems.some(({ file }) => file === rule.file)) return rule;
  const { reported: _, ...unreported } = rule;
  return unreported;
}

/** Converts a roster entry to the form that rules are compared with. */
export function policyServer({ ref, definition, trust }: RosterEntry): PolicyServer {
  return { ref, definition, approved: trust === 'approved' };
}

/** Returns the rules of all settings layers, and an unreadable rule for each file that was refused. */
export function settingsRules(
  { settings, sources }: LoadedSettings,
  machine: Machine,
): readonly PolicyRule[] {
  const isGuarded = ({ from, file }: Pick<SettingOrigin, 'from' | 'file'>): boolean =>
    from === 'local' ||
    from === 'project' ||
    (file !== undefined && from === 'user' && liesInProject(file, machine));
  const lost = sources
    .filter(({ outcome }) => outcome === 'refused')
    .map((source) => lostRules(source.file, isGuarded(source)));
  const written = decisions.flatMap((effect) =>
    settings.permissions[effect].map(({ rule, origin }): PolicyRule => ({
      effect,
      text: rule,
      form: 'double',
      ...placeOf(origin),
      guarded: isGuarded(origin),
    })),
  );
  return [...written, ...lost];
}

/** An environment variable or a flag is reported in place of a file. */
function placeOf({ from, file, line, variable }: SettingOrigin): Pick<PolicyRule, 'file' | 'line'> {
  const named = file ?? variable ?? `--${from === 'flag' ? 'permissions' : from}`;
  return line === undefined ? { file: named } : { file: named, line };
}

/** Whether an administrator has set allow rules. All other allow rules are then ignored. */
export function isAllowLocked({ contributions }: LoadedSettings): boolean {
  return contributions.some(
    ({ name, origin, value }) =>
      name === 'permissions' &&
      origin.from === 'managed' &&
      (value as Partial<Permissions>).allow !== undefined, // the settings table guarantees this type
  );
}

/** Returns the rules of the program that opens a host. */
export function programRules(given: PolicyRules): readonly PolicyRule[] {
  return decisions.flatMap((effect) =>
    (given[effect] ?? []).map((text): PolicyRule => ({ effect, text, form: 'double', guarded: false })),
  );
}
