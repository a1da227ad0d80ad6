/** Makes the launch plan for a program on this machine. */

import type { StdioLaunch, StringMap } from '../../kernel/servers.ts';
import { SecretValue } from '../../masking/secret-value.ts';
import { refuseBatch } from '../../platform/processes/spawn-process.ts';
import { batchLine, isBatchFile } from '../../platform/processes/windows-arguments.ts';
import { requireProjectFolder, startFolder, type StartParts } from '../../trust/start-folder.ts';
import type { TrustedServer } from '../../trust/trust-gate.ts';
import { inheritedEnvironment, withSearchPath } from '../child-environment.ts';
import type { StdioPlan } from '../launch-plan.ts';
import { fillMap, fillReferences, type PlanParts } from './planning.ts';
import { locateProgram } from '../programs.ts';
import { unresolved } from './unresolved.ts';

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
