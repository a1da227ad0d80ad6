/** The library path from a project’s files to a running program, with real files and real processes. */

import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import type { ConfirmTrust } from '../../src/kernel/interaction.ts';
import type { ServerDefinition } from '../../src/kernel/servers.ts';
import { createRedactor } from '../../src/masking/redactor.ts';
import { realFiles } from '../../src/platform/files/files.ts';
import { findProgram } from '../../src/platform/processes/find-program.ts';
import { readIdentity, readMachine } from '../../src/platform/machine-facts.ts';
import { runCommand } from '../../src/platform/processes/run-command.ts';
import { spawnProcess } from '../../src/platform/processes/spawn-process.ts';
import { loadRoster, type Roster } from '../../src/roster/load-roster.ts';
import type { LaunchPlan } from '../../src/secrets/launch-plan.ts';
import { resolveLaunch, type ResolveParts } from '../../src/secrets/resolve-launch.ts';
import { createSecretCache } from '../../src/secrets/secret-sources.ts';
import { loadApprovals } from '../../src/trust/load-approvals.ts';
import { passTrustGate, type TrustGateParts } from '../../src/trust/trust-gate.ts';
import { createTrustStore } from '../../src/trust/trust-store.ts';

export interface LaunchOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly confirmTrust?: ConfirmTrust | undefined;
  readonly digests?: readonly string[];
}

export interface RealLaunch {
  readonly gate: TrustGateParts;
  readonly parts: ResolveParts;
  readonly load: () => Promise<Roster>;
  /** The project's entry of that name as it is in the files now. */
  readonly find: (name: string) => Promise<ServerDefinition>;
  readonly plan: (definition: ServerDefinition) => Promise<LaunchPlan>;
  /** Starts it, waits for its end and gives what it printed. Rejects when it may not run. */
  readonly run: (definition: ServerDefinition) => Promise<string>;
}

export function createRealLaunch({
  cwd,
  home,
  env = {},
  confirmTrust,
  digests = [],
}: LaunchOptions): RealLaunch {
  const machine = readMachine({ cwd, home, env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env } });
  const store = createTrustStore(machine, realFiles);
  const approvals = (): ReturnType<typeof loadApprovals> =>
    loadApprovals(machine, realFiles, { store, digests });
  const gate: TrustGateParts = {
    machine,
    files: realFiles,
    store,
    loadApprovals: approvals,
    confirmTrust,
    resolveProgram: (command, folder) =>
      findProgram(command, { os: machine.os, env: machine.env, cwd: folder }),
    now: () => new Date(),
  };
  const parts: ResolveParts = {
    machine,
    files: realFiles,
    runCommand,
    cache: createSecretCache(() => performance.now()),
    redactor: createRedactor(),
    loadApprovals: approvals,
  };
  const load = (): Promise<Roster> =>
    loadRoster({}, { machine, files: realFiles, identity: readIdentity(), approvals: approvals() });
  const plan = async (definition: ServerDefinition): Promise<LaunchPlan> =>
    resolveLaunch(await passTrustGate(definition, gate), parts);
  return {
    gate,
    parts,
    load,
    plan,
    find: async (name) => {
      const { candidates } = await load();
      const found = candidates.find(({ definition }) => definition.name === name && definition.guarded);
      if (found === undefined) throw new Error(`the project has no ${name}`);
      return found.definition;
    },
    run: async (definition) => {
      const ready = await plan(definition);
      if (ready.kind !== 'stdio') throw new Error(`${ready.server} is no program`);
      const reveal = (values: LaunchPlan & { kind: 'stdio' }): Readonly<Record<string, string>> =>
        Object.fromEntries(Object.entries(values.env).map(([name, value]) => [name, value.reveal()]));
      const child = spawnProcess({
        program: ready.program,
        args: ready.args.map((value) => value.reveal()),
        env: reveal(ready),
        cwd: ready.cwd,
      });
      child.stdin.end();
      const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
      return printed;
    },
  };
}
