/** Reads one layer: checks each setting of a file, an environment variable or a flag. */

import { createLineIndex, type DocNode, type ObjectEntry, type Position } from '../../documents/tree.ts';
import type { Problem } from '../../kernel/problems.ts';
import { nodeOfText, parseJson } from '../../documents/json.ts';
import {
  isSettingName,
  settingNames,
  settingsTable,
  type SettingName,
  type SettingParts,
} from '../settings.ts';
import {
  complainUnknown,
  createSuggest,
  distinctEntries,
  type LayerName,
  type ReadContext,
  type SettingOrigin,
  type ShapeComplaint,
} from '../values/shapes.ts';
import { decodeText } from '../../documents/decode.ts';
import { liesInProject, type Machine } from '../../kernel/machine.ts';
import { loadConfigFile, type ConfigFileParts } from '../../platform/files/load-config-file.ts';

export interface GivenSetting<Name extends SettingName> {
  readonly value: SettingParts[Name];
  readonly origin: SettingOrigin;
  /** The position that problems with it refer to. */
  readonly place: Pick<Problem, 'file' | 'line' | 'column'>;
}

export type GivenSettings = { readonly [Name in SettingName]?: GivenSetting<Name> };

export interface SettingsLayer {
  readonly from: LayerName;
  /** True if a repository may have supplied it: it may only tighten. */
  readonly guarded: boolean;
  readonly given: GivenSettings;
}

/** Where a text comes from, and how to report positions in it. */
export interface LayerSource {
  readonly from: LayerName;
  readonly guarded: boolean;
  /** The path of a file, or the name of a variable or a flag. */
  readonly file: string;
  readonly position: (offset: number) => Position;
  report(problem: Problem): void;
}

/** Reads all settings of an object. Skips `$schema`, which is for editors. */
export function readObject(root: DocNode | undefined, where: string, source: LayerSource): GivenSettings {
  const context = contextOf(source);
  if (root === undefined || root.kind === 'null') return {};
  if (root.kind !== 'object') {
    const what = where === '' ? 'the file' : `"${where}"`;
    const message = `${what} holds something else than an object of settings; nothing of it is used`;
    const place = { file: source.file, ...source.position(root.start) };
    source.report({ severity: 'error', code: 'file-shape', ...place, message });
    return {};
  }
  const given: GivenSettings = {};
  for (const entry of distinctEntries(root, '', context)) {
    if (isSettingName(entry.key)) Object.assign(given, readSetting(entry.key, entry, source));
    else if (entry.key !== '$schema') complainUnknown(entry, '', settingNames, context);
  }
  return given;
}

/** Reads one setting from a variable or a flag. */
export function readTextSetting(name: SettingName, text: string, source: LayerSource): GivenSettings {
  return readSetting(name, { key: name, keyStart: 0, value: nodeOfText(text, settingsTable[name]) }, source);
}

function readSetting(name: SettingName, entry: ObjectEntry, source: LayerSource): GivenSettings {
  const context = contextOf(source);
  const value = settingsTable[name].shape.read(entry.value, name, context);
  if (value === undefined) return {};
  const place = { file: source.file, ...source.position(entry.keyStart) };
  return { [name]: { value, origin: context.originAt(entry.keyStart), place } };
}

function contextOf(source: LayerSource): ReadContext {
  const { from, file } = source;
  return {
    guarded: source.guarded,
    suggest: createSuggest(),
    originAt: (offset) => {
      if (from === 'environment') return { from, variable: file };
      return from === 'flag' ? { from } : { from, file, line: source.position(offset).line };
    },
    complain: ({ at, message, outcome, ...complaint }: ShapeComplaint) =>
      source.report({
        severity: 'warning',
        ...complaint,
        file,
        ...source.position(at),
        message: outcome === undefined ? message : `${message}; ${outcome}`,
      }),
  };
}

export interface SettingsFile {
  readonly from: 'managed' | 'local' | 'project' | 'user';
  readonly path: string;
  /** True if a repository may have supplied it: it may only tighten. */
  readonly guarded: boolean;
}

const managedPaths = {
  linux: '/etc/holt/managed.json',
  macos: '/Library/Application Support/holt/managed.json',
  windows: 'C:\\ProgramData\\holt\\managed.json',
} as const;

/** Strongest first. If the home folder is the project, there are no project files. */
export function settingsFiles(machine: Machine): readonly SettingsFile[] {
  const { path, holtHome, projectRoot } = machine;
  const inProject = (name: string): string => path.join(projectRoot, '.holt', name);
  const own: readonly SettingsFile[] = machine.hasProject
    ? [
        { from: 'local', path: inProject('config.local.json'), guarded: true },
        { from: 'project', path: inProject('config.json'), guarded: true },
      ]
    : [];
  const user = path.join(holtHome, 'config.json');
  const isProjects = own.some((file) => file.path === user);
  return [
    { from: 'managed', path: managedPaths[machine.os], guarded: false },
    ...own,
    ...(isProjects ? [] : [{ from: 'user', path: user, guarded: liesInProject(user, machine) } as const]),
  ];
}

export interface LoadedFile {
  readonly outcome: 'missing' | 'refused' | 'read';
  readonly root: DocNode | undefined;
  readonly position: (offset: number) => Position;
  readonly problems: readonly Problem[];
}

export function loadFile(file: SettingsFile, parts: ConfigFileParts): LoadedFile {
  const found = loadConfigFile(file.path, file.guarded, parts);
  if (found.kind === 'missing') {
    return { outcome: 'missing', root: undefined, position: startOfFile, problems: [] };
  }
  if (found.kind === 'file') return readText(file, decodeText(found.bytes).text);
  const { kind: _kind, ...refusal } = found;
  const problem: Problem = { severity: 'error', file: file.path, ...startOfFile(), ...refusal };
  return { outcome: 'refused', root: undefined, position: startOfFile, problems: [problem] };
}

function readText(file: SettingsFile, text: string): LoadedFile {
  const document = parseJson(text, { bom: false, utf16: false });
  const position = createLineIndex(text);
  if (document.ok) return { outcome: 'read', root: document.root, position, problems: [] };
  const isDeep = document.reason === 'too-deep';
  const problem: Problem = {
    severity: 'error',
    code: isDeep ? 'file-too-deep' : 'file-syntax',
    file: file.path,
    ...position(document.offset),
    message: isDeep ? document.message : `not valid JSON: ${document.message}`,
    remedy: 'Fix the text; nothing of this file is used until then.',
  };
  return { outcome: 'refused', root: undefined, position, problems: [problem] };
}

function startOfFile(): Position {
  return { line: 1, column: 1 };
}
