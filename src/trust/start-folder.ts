/**
 * Decides which folder a server's program starts in. Many programs load code from that folder
 * (`tsconfig.json`, `.npmrc`, `node_modules/.bin`), and no list of such programs is complete. So the user's
 * own servers start in a project only when the user trusts its folder; otherwise they start in the home
 * folder.
 */

import { parseTemplate } from '../dialects/parse-template.ts';
import type { FieldKind } from '../dialects/template.ts';
import { HoltError } from '../kernel/errors.ts';
import { isInside, type Machine } from '../kernel/machine.ts';
import type { ServerDefinition, StartChoice, StringMap } from '../kernel/servers.ts';
import { realPathNow } from '../platform/files/real-path.ts';
import { plainText } from './plain-text.ts';

/**
 * `trusted`, `untrusted`: the user's decision about this folder. `agent`: the agent that this host works for
 * has the user's trust in it. `cwd`: the entry decides. `setting`: the user's `startIn` decides.
 */
export type StartReason = 'trusted' | 'untrusted' | 'cwd' | 'setting' | 'agent';

export interface StartIn {
  readonly folder: string;
  readonly why: StartReason;
}

/**
 * The user's decision about a project folder. `agent`: the user trusts it in the agent that this host works
 * for, not in holt.
 */
export type FolderTrust = 'trusted' | 'agent' | 'declined' | 'unknown';

export interface StartParts {
  readonly machine: Machine;
  readonly folderTrust: () => FolderTrust;
  /** The user's `startIn` setting for this server. It overrides the entry's own field. */
  readonly choice?: StartChoice | undefined;
}

/** Decides the start folder. `cwd` is the entry's working folder with all placeholders resolved. */
export function startFolder(
  definition: ServerDefinition,
  cwd: string | undefined,
  { machine, folderTrust, choice = definition.startIn }: StartParts,
): StartIn {
  const { path, projectRoot, homeDir } = machine;
  const inProject = path.resolve(projectRoot, cwd ?? '');
  const belongsToProject = definition.guarded || definition.origin.scope === 'runtime';
  if (belongsToProject || isOwnFolder(definition, cwd, machine)) return { folder: inProject, why: 'cwd' };
  if (choice !== undefined) return { folder: choice === 'home' ? homeDir : inProject, why: 'setting' };
  const trust = folderTrust();
  if (trust === 'trusted' || trust === 'agent') return { folder: inProject, why: trust };
  return { folder: homeDir, why: 'untrusted' };
}

/**
 * Like `startFolder`, but before placeholders are resolved, for display. Returns a folder that is not known
 * yet as written.
 */
export function plainStart(definition: ServerDefinition, parts: StartParts): StartIn | undefined {
  const { launch } = definition;
  if (launch.kind !== 'stdio') return undefined;
  if (launch.cwd === undefined) return startFolder(definition, undefined, parts);
  const cwd = plainText(launch.cwd, 'cwd', definition, parts.machine);
  if (cwd.kind === 'known') return startFolder(definition, cwd.text, parts);
  return { folder: launch.cwd, why: 'cwd' };
}

/** True for an absolute folder that does not name this project through a placeholder. */
function isOwnFolder(definition: ServerDefinition, cwd: string | undefined, machine: Machine): boolean {
  const { launch } = definition;
  if (cwd === undefined || launch.kind !== 'stdio' || !machine.path.isAbsolute(cwd)) return false;
  const parts = parseTemplate(launch.cwd ?? '', definition.dialect, 'cwd');
  if (parts.some(isProjectPlace)) return false;
  const hasPlaceholder = parts.some(({ kind }) => kind !== 'text' && kind !== 'escaped');
  return !hasPlaceholder || !isInProject(cwd, machine);
}

/** Compares real paths too: a variable such as PWD may name the project through a link. */
function isInProject(folder: string, machine: Machine): boolean {
  const { projectRoot } = machine;
  return (
    isInside(folder, projectRoot, machine) || isInside(realPathNow(folder), realPathNow(projectRoot), machine)
  );
}

function isProjectPlace(part: ReturnType<typeof parseTemplate>[number]): boolean {
  return part.kind === 'known' && projectPlaces.has(part.name);
}

const projectPlaces: ReadonlySet<string> = new Set(['workspaceFolder', 'workspacePath', 'projectDir']);

/** The strings that a program starts with, with all placeholders resolved. */
export interface StartWords {
  readonly command: string;
  readonly args: readonly string[];
  /** The variables that the entry sets. */
  readonly env: StringMap;
  readonly cwd: string | undefined;
}

/**
 * Throws `trust-required` for a program that would start in the home folder although its strings name places
 * relative to the project: `.` would expose the whole home folder to a filesystem server.
 */
export function requireProjectFolder(
  definition: ServerDefinition,
  { why }: StartIn,
  words: StartWords,
  machine: Machine,
): void {
  if (why !== 'untrusted') return;
  const field = projectField(definition, words, machine);
  if (field === undefined) return;
  const { name } = definition;
  throw new HoltError(
    'trust-required',
    `Server "${name}" was not started: ${machine.projectRoot} is not trusted, so the server would start in your home folder, and its ${field} names a place in the project`,
    { server: name, reason: 'folder' },
    {
      remedy: `Its ${field} names a place in this folder, which is not trusted. Trust the folder with holt trust --folder, or use an absolute path.`,
    },
  );
}

/**
 * Returns the field because of which such a program would be refused, as far as the config files determine
 * it.
 */
export function plainProjectField(
  definition: ServerDefinition,
  start: StartIn | undefined,
  machine: Machine,
): string | undefined {
  const { launch } = definition;
  if (launch.kind !== 'stdio' || start?.why !== 'untrusted') return undefined;
  const textOf = (text: string, field: FieldKind): string => {
    const plain = plainText(text, field, definition, machine);
    return plain.kind === 'known' ? plain.text : plain.head;
  };
  const { command, args, env, cwd } = launch;
  const words: StartWords = {
    command: textOf(command, 'command'),
    args: args.map((argument) => textOf(argument, 'args')),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, textOf(value, 'env')])),
    cwd: cwd === undefined ? undefined : textOf(cwd, 'cwd'),
  };
  return projectField(definition, words, machine);
}

/**
 * Returns the first field that names a place relative to the project, without its value, which may be a
 * secret.
 */
function projectField(
  definition: ServerDefinition,
  { command, args, env, cwd }: StartWords,
  { path }: Machine,
): string | undefined {
  // `startFolder` has already handled absolute folders, so any other folder means the project.
  if (cwd !== undefined && cwd !== '') return '"cwd"';
  if (commandIsInProject(definition, command, path)) return 'command';
  const argument = args.findIndex(namesRelativePath);
  if (argument !== -1) return `argument ${argument + 1}`;
  const variable = Object.entries(env).find(([, value]) => isRelativePath(value));
  return variable === undefined ? undefined : `variable ${variable[0]}`;
}

function commandIsInProject(definition: ServerDefinition, command: string, path: Machine['path']): boolean {
  const { launch } = definition;
  if (launch.kind !== 'stdio') return false;
  if (parseTemplate(launch.command, definition.dialect, 'command').some(isProjectPlace)) return true;
  return command.includes(path.sep) && !path.isAbsolute(command);
}

/** True for `.`, `..` and paths that start with one of them. */
function isRelativePath(word: string): boolean {
  return /^\.{1,2}(?:[\\/]|$)/.test(word);
}

/**
 * True for a relative path anywhere in an argument: after `=`, in a list, in a shell line, or right after a
 * one-letter option.
 */
function namesRelativePath(argument: string): boolean {
  if (/^-[A-Za-z]\.{1,2}(?:[\\/]|$)/.test(argument)) return true;
  return argument.split(/[\s'"`=,;:|&()<>{}[\]@]+/).some(isRelativePath);
}
