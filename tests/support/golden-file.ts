/** Golden files of agents, and short ways to write whole definitions. */

import fs from 'node:fs';

import { startPhases, type Timeouts } from '../../src/kernel/phases.ts';
import type { Origin, RemoteLaunch, ServerDefinition, StdioLaunch } from '../../src/kernel/servers.ts';

/** `gemini/good.json` from the samples of agents. */
export function goldenFile(name: string): string {
  return fs.readFileSync(new URL(`../fixtures/agents/${name}`, import.meta.url), 'utf8');
}

/** The limit of each phase of a start, and what else is bounded. */
export function startLimits(ms: number, rest: Timeouts = {}): Timeouts {
  return { ...rest, phases: Object.fromEntries(startPhases.map((phase) => [phase, ms])) };
}

/** A definition that comes from one place only; its origin is given, the rest has usual values. */
export function defined(
  name: string,
  definition: Partial<ServerDefinition> & Pick<ServerDefinition, 'launch' | 'origin'>,
): ServerDefinition {
  return {
    name,
    enabled: true,
    timeouts: {},
    dialect: 'none',
    guarded: false,
    parts: [definition.origin],
    alsoIn: [],
    ...definition,
  };
}

export function program(
  command: string,
  args: readonly string[] = [],
  rest: Partial<StdioLaunch> = {},
): StdioLaunch {
  return { kind: 'stdio', command, args, env: {}, envFrom: {}, ...rest };
}

export function remote(
  kind: RemoteLaunch['kind'],
  url: string,
  rest: Partial<RemoteLaunch> = {},
): RemoteLaunch {
  return { kind, url, headers: {}, headersFrom: {}, ...rest };
}

export function place(
  agent: Origin['agent'],
  scope: Origin['scope'],
  file: string,
): (line: number, column: number) => Origin {
  return (line, column) => ({ agent, scope, file, line, column });
}
