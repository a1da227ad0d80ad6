/** Makes the launch plan for a program on this machine. */

import { HoltError } from '../../kernel/errors.ts';
import type { Machine } from '../../kernel/machine.ts';
import type { ServerDefinition, StdioLaunch, StringMap } from '../../kernel/servers.ts';
import { SecretValue } from '../../masking/redactor.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { refuseBatch } from '../../platform/processes/spawn-process.ts';
import { batchLine, isBatchFile } from '../../platform/processes/windows-arguments.ts';
import { programName } from '../../trust/package-runners.ts';
import { requireProjectFolder, startFolder, type StartParts } from '../../trust/start-folder.ts';
import type { TrustedServer } from '../../trust/trust-gate.ts';
import { inheritedEnvironment, withSearchPath } from '../child-environment.ts';
import type { StdioPlan } from '../launch-plan.ts';
import { fillMap, fillReferences, type PlanParts, unresolved } from './planning.ts';

interface ProgramParts extends PlanParts {
  /** The token of the login that the entry names. */
  readonly token: string | undefined;
  /** Determines which folder it may start in. */
  readonly start: StartParts;
}

export function planProgram(server: TrustedServer, launch: StdioLaunch, parts: ProgramParts): StdioPlan {
  const { machine, fill } = parts;
  const own = fillMap(launch.env, 'env', parts);
  const env = childEnvironment(server, launch, { ...parts, own });
  const args = launch.args.map((argument, index) =>
    usable(server, `args[${index}]`, fill(argument, 'args', `args[${index}]`)),
  );
  const command = usable(server, 'command', fill(launch.command, 'command', 'command'));
  const asked = launch.cwd === undefined ? undefined : usable(server, 'cwd', fill(launch.cwd, 'cwd', 'cwd'));
  const start = startFolder(server, asked, parts.start);
  requireProjectFolder(server, start, { command, args, env: own, cwd: asked }, machine);
  const cwd = start.folder;
  const program = locateProgram(server, command, { cwd, env, machine });
  if (machine.os === 'windows' && isBatchFile(program)) {
    const line = batchLine(program, args);
    if (!line.ok) throw refuseBatch(program, line);
  }
  return {
    kind: 'stdio',
    server: server.name,
    program,
    args: args.map((argument) => new SecretValue(argument)),
    env: Object.fromEntries(
      Object.entries(atFolder(env, cwd)).map(([name, value]) => [name, new SecretValue(value)]),
    ),
    cwd,
  };
}

/** Shells store the current folder in PWD, and some programs trust it more than the system. */
function atFolder(env: Readonly<Record<string, string>>, cwd: string): Readonly<Record<string, string>> {
  return env['PWD'] === undefined ? env : { ...env, PWD: cwd };
}

function childEnvironment(
  server: TrustedServer,
  launch: StdioLaunch,
  parts: ProgramParts & { readonly own: StringMap },
): Readonly<Record<string, string>> {
  const inherited = inheritedEnvironment(server, parts.machine);
  const env = {
    ...inherited,
    ...runsItself(server, launch),
    ...(parts.token === undefined ? {} : { OAUTH_ACCESS_TOKEN: parts.token }),
    ...fillReferences(server, launch.envFrom, parts),
    ...parts.own,
  };
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || /[=\0]/.test(name))
      throw unresolved(server, `env.${name}`, 'no variable can have that name');
    usable(server, `env.${name}`, value);
  }
  return server.guarded ? withSearchPath(env, parts.machine) : env;
}

const opencodeFamily: ReadonlySet<string> = new Set(['opencode', 'chimera-otter', 'kilo']);

/** When opencode is the command of a server, the script is meant for the Bun that opencode contains. */
function runsItself({ origin }: TrustedServer, { command }: StdioLaunch): Readonly<Record<string, string>> {
  return command === 'opencode' && opencodeFamily.has(origin.agent) ? { BUN_BE_BUN: '1' } : {};
}

/** Rejects NUL characters. The error does not contain the value, which may be the secret itself. */
function usable(server: TrustedServer, field: string, value: string): string {
  if (value.includes('\0')) throw unresolved(server, field, 'its value has a NUL character');
  return value;
}

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
