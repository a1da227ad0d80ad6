/** Applies what an agent's files say about servers from outside their entries: switches and time limits. */

import type { SharedSwitch, Switches } from '../agents/agent-format.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { ServerDefinition, SwitchedOff } from '../kernel/servers.ts';
import type { ReadLayer } from './load-source.ts';
import type { Timeouts } from '../kernel/phases.ts';

/** The switches in one file of an agent. */
export interface SwitchList {
  readonly agent: AgentId;
  readonly file: string;
  readonly guarded: boolean;
  readonly switches: Switches;
  /** Switches for servers in the project's shared files. */
  readonly shared: readonly SharedSwitch[];
  readonly lineAt: (offset: number) => number;
}

export function switchLists(agent: AgentId, layers: readonly ReadLayer[]): readonly SwitchList[] {
  return layers.flatMap(({ file, layer: { switches = {}, sharedOff: shared = [] } }) => {
    if (Object.keys(switches).length === 0 && shared.length === 0) return [];
    const { guarded } = file.location;
    return [
      { agent, file: file.path, guarded, switches, shared, lineAt: (at: number) => file.position(at).line },
    ];
  });
}

/** Off takes precedence over on. A project's list may switch the user's servers off, but never on. */
export function applySwitches(
  definitions: readonly ServerDefinition[],
  lists: readonly SwitchList[],
): readonly ServerDefinition[] {
  if (lists.length === 0) return definitions;
  return definitions.map((definition) => {
    const offBy = lists.flatMap((list) => offByList(list, definition.name));
    const on = lists.some(
      ({ switches: { on: names = [], matches = Object.is }, guarded }) =>
        (!guarded || definition.guarded) && names.some((listed) => matches(listed, definition.name)),
    );
    if (offBy.length > 0)
      return { ...definition, enabled: false, offBy: [...(definition.offBy ?? []), ...offBy] };
    return on && !definition.enabled ? { ...definition, enabled: true } : definition;
  });
}

function offByList({ agent, file, switches, lineAt }: SwitchList, name: string): readonly SwitchedOff[] {
  const { off = [], only, matches = Object.is } = switches;
  const by = (at: number): SwitchedOff => ({ kind: 'switch', file, line: lineAt(at), agent });
  const listed = off.filter((one) => matches(one.name, name)).map(({ at }) => by(at));
  if (only === undefined || only.names.some((one) => matches(one, name))) return listed;
  return [...listed, by(only.at)];
}

/** Applies the lists of agents that store decisions about servers in a shared file. */
export function applySharedSwitches(
  definition: ServerDefinition,
  lists: readonly SwitchList[],
): ServerDefinition {
  const offBy = lists.flatMap(({ agent, file, shared, lineAt }) =>
    shared
      .filter(({ name }) => name === definition.name)
      .map(({ at, rejected }): SwitchedOff => {
        const by = { kind: 'switch', file, line: lineAt(at), agent } as const;
        return rejected ? { ...by, rejected } : by;
      }),
  );
  if (offBy.length === 0) return definition;
  return { ...definition, enabled: false, offBy: [...(definition.offBy ?? []), ...offBy] };
}

/**
 * A server's own limits take precedence.
 * A project's file sets limits for the project's servers, never for the user's.
 */
export function applySharedTimeouts(
  definitions: readonly ServerDefinition[],
  layers: readonly ReadLayer[],
): readonly ServerDefinition[] {
  const shared = layers.flatMap(({ file, layer }) =>
    layer.timeouts === undefined ? [] : [{ timeouts: layer.timeouts, guarded: file.location.guarded }],
  );
  if (shared.length === 0) return definitions;
  return definitions.map((definition) => {
    const heard = shared
      .filter(({ guarded }) => definition.guarded || !guarded)
      .map(({ timeouts }) => timeouts);
    return { ...definition, timeouts: [...heard, definition.timeouts].reduce(over, {}) };
  });
}

function over(under: Timeouts, timeouts: Timeouts): Timeouts {
  const phases = { ...under.phases, ...timeouts.phases };
  return { ...under, ...timeouts, ...(Object.keys(phases).length === 0 ? {} : { phases }) };
}
