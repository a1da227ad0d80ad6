/** Lists that switch servers on and off from outside their entries. */

import type { Switches } from '../agents/agent-format.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { ReadLayer } from './read-layer.ts';

/** Off beats on. A project's list may switch off what is the user's, never on. */
export function applySwitches(
  definitions: readonly ServerDefinition[],
  layers: readonly ReadLayer[],
): readonly ServerDefinition[] {
  const lists = layers.flatMap(({ file, layer }) =>
    layer.switches === undefined ? [] : [{ switches: layer.switches, guarded: file.location.guarded }],
  );
  if (lists.length === 0) return definitions;
  return definitions.map((definition) => {
    const has = (names: readonly string[] | undefined, { matches }: Switches): boolean =>
      names?.some((listed) => (matches ?? Object.is)(listed, definition.name)) ?? false;
    const off = lists.some(
      ({ switches }) =>
        has(switches.off, switches) || (switches.only !== undefined && !has(switches.only, switches)),
    );
    const on = lists.some(
      ({ switches, guarded }) => has(switches.on, switches) && (!guarded || definition.guarded),
    );
    const enabled = !off && (on || definition.enabled);
    return enabled === definition.enabled ? definition : { ...definition, enabled };
  });
}
