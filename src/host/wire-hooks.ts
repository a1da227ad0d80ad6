/** The hooks of a host: from the program, from its plugins, and commands from the settings. */

import { commandHooks } from '../calls/command-hooks.ts';
import { joinHooks, type HookSets, type OwnedHooks } from '../calls/hooks.ts';
import { runConnect, type HookParts } from '../calls/run-hooks.ts';
import { viewOf } from '../kernel/definition-view.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { SecretValue } from '../masking/secret-value.ts';
import { runCommand } from '../platform/processes/run-command.ts';
import type { LaunchPlan } from '../secrets/launch-plan.ts';
import type { Settings } from '../settings/settings.ts';
import type { HostRoster } from './host-roster.ts';
import type { HostOptions } from './host.ts';
import type { World } from './world.ts';

/** Returns a function that reads the current hooks, because settings may change while the host runs. */
export function wireHooks(options: HostOptions, world: World, roster: HostRoster): () => HookSets {
  const { machine } = world;
  const env = Object.fromEntries(
    Object.entries(machine.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const own: readonly OwnedHooks[] = [
    { owner: 'the program', hooks: options.hooks ?? {} },
    ...(options.plugins ?? []).map(({ name, hooks = {} }) => ({ owner: `plugin "${name}"`, hooks })),
  ];
  let made: { readonly from: Settings['hooks']; readonly sets: HookSets } | undefined;
  return () => {
    const { hooks } = roster.current.settings.settings;
    if (made?.from === hooks) return made.sets;
    // Run commands in the home folder, so that files in a project's folder cannot change what runs.
    const commands = commandHooks(hooks, { runCommand, cwd: machine.homeDir, env });
    made = { from: hooks, sets: joinHooks([...own, { owner: 'the settings', hooks: commands }]) };
    return made.sets;
  };
}

/** The user needs to know about a hook that failed, because its check or change was skipped. */
export function hookPartsOf({ clock, warn, bus, redactor }: World): HookParts {
  return {
    clock,
    onSkipped: (server, text) => {
      const message = redactor.redact(text);
      warn(message);
      bus.emit('mcp.warning', { server, code: 'hook-failed', message });
    },
  };
}

/** Runs the hooks before a connection. They may refuse the server or add headers. */
export async function withConnectHooks(
  plan: LaunchPlan,
  definition: ServerDefinition,
  { connect }: HookSets,
  world: World,
): Promise<LaunchPlan> {
  if (connect.length === 0) return plan;
  const headers = await runConnect(connect, plan.server, viewOf(definition), hookPartsOf(world));
  const added = Object.entries(headers);
  if (plan.kind === 'stdio' || added.length === 0) return plan;
  for (const [, value] of added) world.redactor.add(value);
  const secrets = Object.fromEntries(added.map(([name, value]) => [name, new SecretValue(value)]));
  return { ...plan, headers: { ...plan.headers, ...secrets } };
}
