/**
 * Reads holt's own settings. Order: flag, environment, local, project, user, default; an administrator's
 * settings override them all. Never throws because of a file's content, opens only files and writes nothing.
 */

import { get } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import { combineLayers, type CombinedSettings } from './layers/combine-layers.ts';
import {
  loadFile,
  readObject,
  readTextSetting,
  settingsFiles,
  type LayerSource,
  type SettingsFile,
  type SettingsLayer,
} from './layers/read-layer.ts';
import { settingNames, variableOf, type SettingName, type Settings } from './settings.ts';
import type { OriginNetwork } from './values/setting-values.ts';

export type SettingFlags = Readonly<Partial<Record<SettingName, string>>>;

/** A settings file that was looked for. A refused file may have contained rules that now do not apply. */
export interface SettingsSource {
  readonly from: SettingsFile['from'];
  readonly file: string;
  readonly outcome: 'missing' | 'refused' | 'read';
}

export interface LoadedSettings extends CombinedSettings {
  /** Strongest first. */
  readonly sources: readonly SettingsSource[];
}

/**
 * Returns the settings for one server: a project's values apply only to the servers that the project defines.
 */
export function settingsFor(
  { settings, projectSettings }: Pick<LoadedSettings, 'settings' | 'projectSettings'>,
  definition: Pick<ServerDefinition, 'guarded'> | undefined,
): Settings {
  return definition?.guarded === true ? projectSettings : settings;
}

/** Without an `identity`, the owner and mode of a project's files are not checked. */
export function loadSettings(
  machine: Machine,
  files: Files,
  flags: SettingFlags = {},
  identity?: Identity,
): LoadedSettings {
  const problems: Problem[] = [];
  const sources: SettingsSource[] = [];
  const load = (file: SettingsFile, safeDirectories: readonly string[]): SettingsLayer => {
    const loaded = loadFile(file, { machine, files, identity, safeDirectories });
    problems.push(...loaded.problems);
    const source = { ...file, file: file.path, position: loaded.position, report: collect(problems) };
    const isManaged = file.from === 'managed';
    const root = isManaged ? get(loaded.root, 'settings') : loaded.root;
    // A value of another type, such as a list, counts as refused too: the rules in it are lost.
    const isOdd = root !== undefined && root.kind !== 'null' && root.kind !== 'object';
    sources.push({ from: file.from, file: file.path, outcome: isOdd ? 'refused' : loaded.outcome });
    return { ...source, given: readObject(root, isManaged ? 'settings' : '', source) };
  };

  const all = settingsFiles(machine);
  const trusted: readonly SettingsLayer[] = [
    ...all.filter(({ guarded }) => !guarded).map((file) => load(file, [])),
    readFlags(flags, collect(problems)),
    readEnvironment(machine, collect(problems)),
  ];
  const safe = atHome(combineLayers(trusted).settings, machine).trust.safeDirectories;
  const guarded = all.filter((file) => file.guarded).map((file) => load(file, safe));

  const combined = combineLayers([...trusted, ...guarded]);
  return {
    ...combined,
    settings: atHome(combined.settings, machine),
    projectSettings: atHome(combined.projectSettings, machine),
    problems: [...problems, ...combined.problems],
    sources: all.flatMap((file) => sources.find((source) => source.file === file.path) ?? []),
  };
}

function collect(problems: Problem[]): LayerSource['report'] {
  return (problem) => void problems.push(problem);
}

function readFlags(flags: SettingFlags, report: LayerSource['report']): SettingsLayer {
  const layer = { from: 'flag', guarded: false, position: atStart, report } as const;
  const given = settingNames.map((name) => {
    const text = flags[name];
    return text === undefined ? {} : readTextSetting(name, text, { ...layer, file: `--${name}` });
  });
  return { ...layer, given: Object.assign({}, ...given) };
}

/** An empty variable counts as unset. */
function readEnvironment(machine: Machine, report: LayerSource['report']): SettingsLayer {
  const layer = { from: 'environment', guarded: false, position: atStart, report } as const;
  const given = settingNames.map((name) => {
    const text = machine.env[variableOf(name)];
    if (text === undefined || text === '') return {};
    return readTextSetting(name, text, { ...layer, file: variableOf(name) });
  });
  return { ...layer, given: Object.assign({}, ...given) };
}

function atStart(): { readonly line: number; readonly column: number } {
  return { line: 1, column: 1 };
}

/** Expands paths that begin with `~`. */
function atHome(settings: Settings, machine: Machine): Settings {
  const whole = (place: string): string =>
    place.startsWith('~') ? machine.path.join(machine.homeDir, place.slice(1)) : place;
  const wholeFiles = <Part extends OriginNetwork>(part: Part): Part => ({
    ...part,
    ...(part.caFile === undefined ? {} : { caFile: whole(part.caFile) }),
    ...(part.certFile === undefined ? {} : { certFile: whole(part.certFile) }),
    ...(part.keyFile === undefined ? {} : { keyFile: whole(part.keyFile) }),
  });
  const { origins } = settings.network;
  const perOrigin = Object.entries(origins ?? {}).map(
    ([origin, part]) => [origin, wholeFiles(part)] as const,
  );
  return {
    ...settings,
    trust: { safeDirectories: settings.trust.safeDirectories.map(whole) },
    network: {
      ...wholeFiles(settings.network),
      ...(origins === undefined ? {} : { origins: Object.fromEntries(perOrigin) }),
    },
  };
}
