/** Where our own settings are kept, and the care with which a repository's files are opened. */

import { decodeText } from '../../documents/decode.ts';
import { parseJson } from '../../documents/json.ts';
import { createLineIndex, type DocNode, type Position } from '../../documents/tree.ts';
import type { Machine } from '../../kernel/machine.ts';
import type { Problem } from '../../kernel/problems.ts';
import type { FileFacts, Files } from '../../platform/files.ts';

export interface SettingsFile {
  readonly from: 'managed' | 'local' | 'project' | 'user';
  readonly path: string;
  /** True when a repository could have brought it: it may only tighten. */
  readonly guarded: boolean;
}

const managedPaths = {
  linux: '/etc/holt/managed.json',
  macos: '/Library/Application Support/holt/managed.json',
  windows: 'C:\\ProgramData\\holt\\managed.json',
} as const;

/** Strongest first. Where the home folder is the project there are no project's files. */
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

/** Trust goes by where a file is: HOLT_HOME inside a project makes it the project's, unless the home is in there too. */
function liesInProject(file: string, machine: Machine): boolean {
  if (!machine.hasProject || !isInside(file, machine.projectRoot, machine)) return false;
  return !(
    isInside(machine.homeDir, machine.projectRoot, machine) && isInside(file, machine.homeDir, machine)
  );
}

function isInside(file: string, folder: string, { path }: Machine): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || !(/^\.\.(?:[\\/]|$)/.test(relative) || path.isAbsolute(relative));
}

/** Whom the process acts for. Undefined on systems without such ids. */
export interface FileIdentity {
  readonly uid: number;
  readonly gid: number;
}

export interface LoadParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly identity: FileIdentity | undefined;
  /** Project folders whose files are read whoever may write them. */
  readonly safeDirectories: readonly string[];
}

export interface LoadedFile {
  readonly outcome: 'missing' | 'refused' | 'read';
  readonly root: DocNode | undefined;
  readonly position: (offset: number) => Position;
  readonly problems: readonly Problem[];
}

const maxGuardedBytes = 1 << 20;
const maxBytes = 64 << 20;

export function loadFile(file: SettingsFile, parts: LoadParts): LoadedFile {
  const limit = file.guarded ? maxGuardedBytes : maxBytes;
  const found = parts.files.load(file.path, limit);
  if (found.kind === 'missing') {
    return { outcome: 'missing', root: undefined, position: startOfFile, problems: [] };
  }
  if (found.kind === 'unreadable') {
    const message = `the file cannot be read: ${found.reason}`;
    return refuse(file, 'file-unreadable', message, 'Check its permissions and links.');
  }
  if (found.kind === 'not-regular') {
    return refuse(file, 'file-not-regular', `${found.what} stands where a file belongs`);
  }
  if (found.kind === 'too-large') {
    return refuse(file, 'file-too-large', `the file is over ${limit >> 20} MiB and is not read`);
  }
  const danger = file.guarded ? dangerOf(found.facts, file.path, parts) : undefined;
  if (danger !== undefined) {
    return refuse(file, 'file-unsafe', `the file is not read: ${danger}`, safeRemedy);
  }
  return readText(file, decodeText(found.bytes).text);
}

const safeRemedy =
  'Take the write permission from others, or list the folder in trust.safeDirectories of your settings.';

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
    remedy: 'Mend the text; nothing of this file is used until then.',
  };
  return { outcome: 'refused', root: undefined, position, problems: [problem] };
}

function startOfFile(): Position {
  return { line: 1, column: 1 };
}

function refuse(file: SettingsFile, code: Problem['code'], message: string, remedy?: string): LoadedFile {
  const problem = { severity: 'error', code, file: file.path, ...startOfFile(), message } as const;
  const problems = [remedy === undefined ? problem : { ...problem, remedy }];
  return { outcome: 'refused', root: undefined, position: startOfFile, problems };
}

/** A file in a project that somebody else could have written. */
function dangerOf(facts: FileFacts, path: string, parts: LoadParts): string | undefined {
  const { identity, safeDirectories, machine } = parts;
  if (identity === undefined || safeDirectories.some((folder) => isInside(path, folder, machine)))
    return undefined;
  if (facts.uid !== 0 && facts.uid !== identity.uid) return `it belongs to another user (uid ${facts.uid})`;
  if ((facts.mode & 0o002) !== 0) return 'everybody on this machine may write it';
  const isOthers = (facts.mode & 0o020) !== 0 && facts.gid !== identity.gid;
  return isOthers ? `a group that is not yours (gid ${facts.gid}) may write it` : undefined;
}
