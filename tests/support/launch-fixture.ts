/** What `resolveLaunch` needs, with literal files and commands that only pretend to run. */

import type { Machine } from '../../src/kernel/machine.ts';
import type { ServerDefinition } from '../../src/kernel/servers.ts';
import { createRedactor, type Redactor, type SecretValue } from '../../src/masking/redactor.ts';
import type { CommandLimits, CommandLine, CommandOutcome } from '../../src/platform/processes/run-command.ts';
import type { LaunchPlan } from '../../src/secrets/launch-plan.ts';
import { resolveLaunch, type ResolveParts } from '../../src/secrets/resolve-launch.ts';
import { createSecretCache } from '../../src/secrets/secret-sources.ts';
import { requireTrusted, type TrustedServer } from '../../src/trust/trust-gate.ts';
import { makeMachine, memoryFiles, type AgentCase } from './agent-machine.ts';
import { alwaysSaying } from './sample-servers.ts';

export interface LaunchFixture {
  readonly machine: Machine;
  readonly redactor: Redactor;
  readonly parts: ResolveParts;
  /** Every command that was run, with what it was told. */
  readonly ran: { readonly command: CommandLine; readonly limits: CommandLimits }[];
  resolve(definition: ServerDefinition): Promise<LaunchPlan>;
}

export interface LaunchCase extends Partial<AgentCase> {
  /** What each program or shell line prints; a failure otherwise. */
  readonly prints?: Readonly<Record<string, string>>;
  readonly askSecret?: ResolveParts['askSecret'];
}

export function createLaunchFixture({
  prints = {},
  askSecret,
  ...agentCase
}: LaunchCase = {}): LaunchFixture {
  const machine = makeMachine(agentCase);
  const redactor = createRedactor();
  const ran: { command: CommandLine; limits: CommandLimits }[] = [];
  const parts: ResolveParts = {
    machine,
    redactor,
    files: memoryFiles(machine, agentCase.files ?? {}),
    cache: createSecretCache(() => 0),
    askSecret,
    loadApprovals: () => alwaysSaying('approved'),
    runCommand: async (command, limits): Promise<CommandOutcome> => {
      ran.push({ command, limits });
      const text =
        prints[command.kind === 'shell' ? command.line : [command.program, ...command.args].join(' ')];
      return text === undefined
        ? { kind: 'failed', reason: 'it ended with exit code 1' }
        : { kind: 'printed', text };
    },
  };
  return {
    machine,
    redactor,
    parts,
    ran,
    resolve: (definition) => resolveLaunch(trusted(definition), parts),
  };
}

export function trusted(definition: ServerDefinition): TrustedServer {
  return requireTrusted(definition, alwaysSaying('approved'));
}

/** A plan with its values told. */
export function revealed(plan: LaunchPlan): Readonly<Record<string, unknown>> {
  const tell = (values: Readonly<Record<string, SecretValue>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.reveal()]));
  if (plan.kind === 'stdio')
    return { ...plan, args: plan.args.map((value) => value.reveal()), env: tell(plan.env) };
  return { ...plan, url: plan.url.reveal(), headers: tell(plan.headers) };
}
