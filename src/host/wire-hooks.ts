/** Hooks of a host: what the program gave, what its plugins brought, and the commands of the settings. */

import { commandHooks } from '../calls/command-hooks.ts';
import { joinHooks, type HookSets, type OwnedHooks } from '../calls/hooks.ts';
import { runConnect, type HookParts } from '../calls/run-hooks.ts';
import { viewOf } from '../kernel/definition-view.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { SecretValue } from '../masking/secret-value.ts';
import { runCommand } from '../platform/run-command.ts';
import type { LaunchPlan } from '../secrets/launch-plan.ts';
import type { Settings } from '../settings/settings.ts';
import type { HostRoster } from './host-roster.ts';
import type { HostOptions } from './host.ts';
import type { World } from './world.ts';

/** Settings may change while the host runs; the rest does not. */
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
    // In the home folder: what a project's folder holds must not choose what runs.
    const commands = commandHooks(hooks, { runCommand, cwd: machine.homeDir, env });
    made = { from: hooks, sets: joinHooks([...own, { owner: 'the settings', hooks: commands }]) };
    return made.sets;
  };
}

/** A hook that failed is the person's business, not only the developer's: what it was to check or change was not. */
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

/** Hooks may refuse a server, or add headers to what is sent to it. */
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
