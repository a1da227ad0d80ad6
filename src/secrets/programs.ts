/** Which program a command is, and in which folder it starts. */

import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { findProgram } from '../platform/find-program.ts';
import { folderChoosesCode } from '../trust/folder-choice.ts';
import { programName } from '../trust/package-runners.ts';

/**
 * The definition's own folder, else the project's. What the user configured starts in the home folder where the
 * folder chooses the code: a repository's `node_modules/.bin`, `.npmrc` or `mcp_server.py` would otherwise be what runs.
 * The folder is enough: PYTHONSAFEPATH would also take the folders of scripts away, from every Python started further on.
 */
export function startFolder(
  { launch, guarded, origin }: ServerDefinition,
  own: string | undefined,
  machine: Machine,
): string {
  if (own !== undefined) return machine.path.resolve(machine.projectRoot, own);
  if (launch.kind !== 'stdio' || guarded || origin.scope === 'runtime') return machine.projectRoot;
  return folderChoosesCode(launch.command, launch.args) ? machine.homeDir : machine.projectRoot;
}

/** How people get the programs that servers are most often started with. */
const sources: ReadonlyMap<string, string> = new Map([
  ['npx', 'It comes with Node.js.'],
  ['node', 'Install Node.js.'],
  ['uvx', 'It comes with uv: see docs.astral.sh/uv.'],
  ['uv', 'Install uv: see docs.astral.sh/uv.'],
  ['bunx', 'It comes with Bun.'],
  ['docker', 'Install Docker.'],
  ['pipx', 'Install pipx.'],
]);

export interface LocateParts {
  readonly cwd: string;
  /** What the program will be told. */
  readonly env: Readonly<Record<string, string>>;
  readonly machine: Machine;
}

/**
 * A user's own PATH for a server decides what is found, as in other agents. A project's does not: the program that
 * runs is the one that was shown.
 */
export function locateProgram(
  { name, guarded }: ServerDefinition,
  command: string,
  { cwd, env, machine }: LocateParts,
): string {
  const program = findProgram(command, { os: machine.os, env: guarded ? machine.env : env, cwd });
  if (program !== undefined) return program;
  const hint = sources.get(programName(command)) ?? 'Install it, or write its full path.';
  throw new HoltError(
    'program-missing',
    `Server "${name}" cannot start: command not found: ${command}`,
    { server: name, command },
    { remedy: hint },
  );
}
