/** Applies limits that a file sets for all servers of its agent. */

import type { Timeouts } from '../kernel/phases.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { ReadLayer } from './read-layer.ts';

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
