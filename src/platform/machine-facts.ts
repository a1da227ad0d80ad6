/**
 * Collects the facts in `Machine`: the system, the home folder and the project. Runs no programs and reads
 * only `.git`.
 */

import fs from 'node:fs';
import os from 'node:os';
import nodePath from 'node:path';

import { HoltError } from '../kernel/errors.ts';
import type { Machine, OperatingSystem } from '../kernel/machine.ts';

export interface MachineOptions {
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Variables that relocate agents' files. They refer to the real home folder, so they are dropped when another
 * one is given.
 */
const movers = new Set([
  'AMP_SETTINGS_FILE',
  'APPDATA',
  'LOCALAPPDATA',
  'ProgramData',
  'USERPROFILE',
  'CLAUDE_CONFIG_DIR',
  'CLINE_DATA_DIR',
  'CLINE_DIR',
  'CLINE_MCP_SETTINGS_PATH',
  'CODEX_HOME',
  'CONTINUE_GLOBAL_DIR',
  'COPILOT_HOME',
  'CRUSH_GLOBAL_CONFIG',
  'FLATPAK_XDG_CONFIG_HOME',
  'GEMINI_CLI_HOME',
  'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
  'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
  'GOOSE_PATH_ROOT',
  'GROK_HOME',
  'HOLT_HOME',
  'KILO_CONFIG',
  'KILO_CONFIG_CONTENT',
  'KILO_CONFIG_DIR',
  'KILO_DISABLE_PROJECT_CONFIG',
  'KIMI_CODE_HOME',
  'MCPORTER_CONFIG',
  'ONE_MCP_CONFIG_DIR',
  'OPENCODE_CONFIG',
  'OPENCODE_CONFIG_CONTENT',
  'OPENCODE_CONFIG_DIR',
  'OPENCODE_DISABLE_PROJECT_CONFIG',
  'PI_CODING_AGENT_DIR',
  'PI_CONFIG_DIR',
  'QWEN_HOME',
  'VSCODE_PORTABLE',
]);

const systems: Readonly<Record<string, OperatingSystem>> = { darwin: 'macos', win32: 'windows' };

export function readMachine(options: MachineOptions = {}): Machine {
  const cwd = realFolder(nodePath.resolve(options.cwd ?? ownFolder()));
  const homeDir = realFolder(nodePath.resolve(options.home || ownHome()));
  const env = options.env ?? (options.home === undefined ? process.env : withoutMovers(process.env));
  return describeMachine({
    os: systems[process.platform] ?? 'linux',
    path: nodePath,
    cwd,
    homeDir,
    env,
    ...findProject(cwd, homeDir),
  });
}

/** The current folder may have been deleted. */
function ownFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new HoltError(
      'usage-invalid',
      'The folder you are in is not there any more',
      { given: '' },
      { cause, remedy: 'Change to a folder that is there, or name one with --cwd.' },
    );
  }
}

/**
 * With an empty or relative HOME, the current folder would become the home folder, and its files would count
 * as the user's own. Uses the home folder of the user account instead.
 */
function ownHome(): string {
  const said = os.homedir();
  return nodePath.isAbsolute(said) ? said : os.userInfo().homedir;
}

interface MachineBasics extends ProjectFacts {
  readonly os: OperatingSystem;
  readonly path: typeof nodePath;
  readonly cwd: string;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface ProjectFacts {
  readonly projectRoot: string;
  readonly mainCheckout: string;
  readonly inRepository: boolean;
}

/** Derives the remaining facts. Tests of other systems' rules start here. */
export function describeMachine(basics: MachineBasics): Machine {
  const { path, cwd, homeDir, projectRoot } = basics;
  const up = ancestors(cwd, path);
  const last = up.indexOf(projectRoot);
  const walk = last === -1 ? [projectRoot] : up.slice(0, last + 1);
  const holtHome = basics.env['HOLT_HOME'];
  return {
    ...basics,
    hasProject: projectRoot !== homeDir,
    walk,
    beyond: last === -1 ? [] : up.slice(last + 1),
    holtHome:
      holtHome === undefined || holtHome === '' ? path.join(homeDir, '.holt') : path.resolve(holtHome),
  };
}

function ancestors(folder: string, path: typeof nodePath): string[] {
  const found = [folder];
  for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) found.push(path.dirname(at));
  return found;
}

/**
 * Finds the repository around a folder. The search stops at the home folder, because files above it are not
 * the user's.
 */
function findProject(cwd: string, homeDir: string): ProjectFacts {
  for (const folder of ancestors(cwd, nodePath)) {
    const git = nodePath.join(folder, '.git');
    const stats = fs.statSync(git, { throwIfNoEntry: false });
    if (stats !== undefined) {
      const mainCheckout = stats.isFile() ? (mainCheckoutOf(git) ?? folder) : folder;
      return { projectRoot: folder, mainCheckout, inRepository: true };
    }
    if (folder === homeDir) break;
  }
  return { projectRoot: cwd, mainCheckout: cwd, inRepository: false };
}

/** The `.git` of a linked worktree is a file that points to `<main>/.git/worktrees/<name>`. */
function mainCheckoutOf(gitFile: string): string | undefined {
  const outcome = /^gitdir: (.+)$/m.exec(fs.readFileSync(gitFile, 'utf8').slice(0, 4096));
  const target = outcome?.[1]?.trim();
  if (target === undefined) return undefined;
  const folder = nodePath.resolve(nodePath.dirname(gitFile), target);
  const worktrees = nodePath.dirname(folder);
  if (nodePath.basename(worktrees) !== 'worktrees') return undefined;
  return nodePath.dirname(nodePath.dirname(worktrees));
}

function realFolder(folder: string): string {
  try {
    return fs.realpathSync.native(folder);
  } catch {
    return folder;
  }
}

function withoutMovers(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('XDG_') && !movers.has(name)),
  );
}

/** The user and group that this process acts for. Undefined on systems without such ids. */
export function readIdentity(): { readonly uid: number; readonly gid: number } | undefined {
  const uid = process.geteuid?.();
  const gid = process.getegid?.();
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

export interface SshTarget {
  /** `ada@192.0.2.7` */
  readonly login: string;
  /** Set only when it is not port 22. */
  readonly port?: number;
}

interface SessionFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostName: string;
  readonly userName: string | undefined;
}

/** The command goes into a shell, so the user has to fill in anything unusual. */
const harmless = /^[\w.:%-]+$/;

export function describeSshTarget({ env, hostName, userName }: SessionFacts): SshTarget {
  // The address the user connected to is known to work for them; the machine's own host name may not.
  const [, , address, port] = (env['SSH_CONNECTION'] ?? '').split(' ');
  const host = [address, hostName].find((name) => name !== undefined && harmless.test(name)) ?? 'HOST';
  const user = userName !== undefined && harmless.test(userName) ? userName : 'USER';
  const number = Number(port);
  const isOdd = Number.isInteger(number) && number > 0 && number < 65_536 && number !== 22;
  return { login: `${user}@${host}`, ...(isOdd ? { port: number } : {}) };
}

export function readSessionFacts(env: SessionFacts['env']): SessionFacts {
  return { env, hostName: os.hostname(), userName: env['USER'] ?? env['LOGNAME'] ?? systemUser() };
}

function systemUser(): string | undefined {
  try {
    return os.userInfo().username;
  } catch {
    // In a container, the user may not have a name.
    return undefined;
  }
}
