/** Locates and loads holt's own settings files. Files from a repository are opened with additional checks. */

import { decodeText } from '../../documents/decode.ts';
import { parseJson } from '../../documents/json.ts';
import { createLineIndex, type DocNode, type Position } from '../../documents/tree.ts';
import { liesInProject, type Machine } from '../../kernel/machine.ts';
import type { Problem } from '../../kernel/problems.ts';
import { loadConfigFile, type ConfigFileParts } from '../../platform/files/load-config-file.ts';

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
