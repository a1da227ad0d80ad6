/** Combines all layers into the effective settings. Layers may come in any order: only their rank matters. */

import type { Problem } from '../../kernel/problems.ts';
import type { GivenSetting, SettingsLayer } from './read-layer.ts';
import {
  projectRuleText,
  settingsTable,
  type SettingName,
  type SettingParts,
  type Settings,
} from '../settings.ts';
import { layerNames, type SettingOrigin } from '../values/shapes.ts';
import type { Cut, ProjectRule } from './join.ts';

/** The part of one layer's value for a setting that takes effect. */
export interface Contribution {
  readonly name: SettingName;
  readonly value: unknown;
  readonly origin: SettingOrigin;
  /** True when it applies only to servers that the project defines. */
  readonly forOwnServers: boolean;
}

export type SettingOrigins = Readonly<Record<SettingName, SettingOrigin>>;

export interface CombinedSettings {
  /** For everything except the servers that the project defines. */
  readonly settings: Settings;
  /** For servers that the project defines. */
  readonly projectSettings: Settings;
  /** The strongest layer that contributes to each of `settings`. */
  readonly origins: SettingOrigins;
  /** For each setting, the strongest first. */
  readonly contributions: readonly Contribution[];
  readonly problems: readonly Problem[];
}

export function combineLayers(layers: readonly SettingsLayer[]): CombinedSettings {
  const weakestFirst = layers.toSorted(
    (left, right) => layerNames.indexOf(right.from) - layerNames.indexOf(left.from),
  );
  const problems: Problem[] = [];
  const contributions: Contribution[] = [];
  const settings = mapSettings((name) => {
    const { value, parts } = combineOne(name, weakestFirst, problems);
    contributions.push(...parts.toReversed());
    return value;
  });
  const projectSettings = contributions.some(({ forOwnServers }) => forOwnServers)
    ? mapSettings((name) => combineOne(name, weakestFirst, []).projectValue)
    : settings;
  const origins = mapSettings<SettingOrigins>(
    (name) =>
      contributions.find((part) => part.name === name && !part.forOwnServers)?.origin ?? { from: 'default' },
  );
  return { settings, projectSettings, origins, contributions, problems };
}

/** One value for each setting, in the order of the table. */
function mapSettings<Values extends Record<SettingName, unknown> = Settings>(
  valueOf: <Name extends SettingName>(name: Name) => Values[Name],
): { readonly [Name in SettingName]: Values[Name] } {
  return {
    agents: valueOf('agents'),
    naming: valueOf('naming'),
    maxNameLength: valueOf('maxNameLength'),
    permissions: valueOf('permissions'),
    hooks: valueOf('hooks'),
    credentialStore: valueOf('credentialStore'),
    daemon: valueOf('daemon'),
    limits: valueOf('limits'),
    startIn: valueOf('startIn'),
    trust: valueOf('trust'),
    timeouts: valueOf('timeouts'),
    concurrency: valueOf('concurrency'),
    results: valueOf('results'),
    network: valueOf('network'),
    telemetry: valueOf('telemetry'),
  };
}

interface CombinedSetting<Name extends SettingName> {
  readonly value: Settings[Name];
  readonly projectValue: Settings[Name];
  readonly parts: readonly Contribution[];
}

function combineOne<Name extends SettingName>(
  name: Name,
  weakestFirst: readonly SettingsLayer[],
  problems: Problem[],
): CombinedSetting<Name> {
  const { fallback, join, forOwnServers } = settingsTable[name];
  const locked = weakestFirst.find(({ from }) => from === 'managed')?.given[name];
  const parts: Contribution[] = [];
  let value: Settings[Name] = fallback;
  let projectValue: Settings[Name] = fallback;
  /** The value without any file that a repository may have supplied. */
  let ceiling: Settings[Name] = fallback;
  for (const layer of weakestFirst) {
    const given = layer.given[name];
    if (given === undefined) continue;
    if (locked !== undefined && locked !== given) reportLock(name, given, locked, problems);
    const counted = layer.guarded ? tighten(name, ceiling, given, problems) : given.value;
    if (counted === undefined) continue;
    const isOwn = layer.guarded && forOwnServers === true;
    projectValue = join.merge(projectValue, counted, layer.from);
    if (!isOwn) value = join.merge(value, counted, layer.from);
    if (layer.from === 'user' && !layer.guarded) ceiling = value;
    parts.push({ name, value: counted, origin: given.origin, forOwnServers: isOwn });
  }
  return { value, projectValue, parts };
}

function tighten<Name extends SettingName>(
  name: Name,
  ceiling: Settings[Name],
  given: GivenSetting<Name>,
  problems: Problem[],
): SettingParts[Name] | undefined {
  const rule = settingsTable[name].inProject;
  const { value, refused } = cutDown(rule, ceiling, given.value);
  for (const reason of refused) {
    problems.push({
      severity: 'warning',
      code: 'setting-ignored',
      ...given.place,
      message: `"${name}" does not count here: ${reason}`,
      remedy:
        rule.kind === 'ignored'
          ? `Set it in your own settings: holt config set ${name} … --scope user.`
          : `A project’s settings can tighten and never loosen: ${projectRuleText(name)}.`,
    });
  }
  return value;
}

function cutDown<Value, Part>(rule: ProjectRule<Value, Part>, ceiling: Value, given: Part): Cut<Part> {
  if (rule.kind === 'cut') return rule.cut(ceiling, given);
  const reason = rule.kind === 'checked' ? rule.refuse(ceiling, given) : rule.says;
  return reason === undefined ? { value: given, refused: [] } : { value: undefined, refused: [reason] };
}

/** Reports a value that has no effect because an administrator has set the same setting. */
function reportLock<Name extends SettingName>(
  name: Name,
  given: GivenSetting<Name>,
  locked: GivenSetting<Name>,
  problems: Problem[],
): void {
  if (!settingsTable[name].join.isLocked(given.value, locked.value)) return;
  const message = `"${name}" does not count here: an administrator has set it in ${locked.place.file}`;
  problems.push({ severity: 'warning', code: 'setting-ignored', ...given.place, message });
}
