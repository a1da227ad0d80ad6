/** Finds the program that a command means. */

import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { findProgram } from '../platform/processes/find-program.ts';
import { programName } from '../trust/package-runners.ts';

/** How to install the programs that servers are most often started with. */
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
  /** The environment that the program will get. */
  readonly env: Readonly<Record<string, string>>;
  readonly machine: Machine;
}

/**
 * Returns the path of the program; throws `program-missing`. For a user's server, the PATH that the server
 * sets determines what is found, as in other agents. For a project's server it does not: the program that
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
