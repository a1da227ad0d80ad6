/** An agent that is fully described by its paths, its key and its spelling. */

import type { AgentId } from '../kernel/agent-ids.ts';
import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat, AgentWriter, ConfigFile, Layer, Location } from './agent-format.ts';
import type { OffSwitch, ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { reportFieldWarnings, switchWarnings } from './field-warnings.ts';
import { homeFile, localFile, projectFile, userFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

/** A path below the home folder, with slashes, or a path that depends on the machine. */
type UserPlace = string | ((machine: Machine) => string);

export interface AgentRow {
  readonly id: AgentId;
  readonly label: string;
  /** Each list weakest first. holt writes the strongest that exists, if the shape says how to write. */
  readonly user?: readonly UserPlace[];
  /** Paths below the project's root, with slashes. */
  readonly project?: readonly string[];
  readonly local?: readonly string[];
  /** Locations that need their own rule; stronger than all others, and never written. */
  readonly more?: (machine: Machine) => readonly Location[];
  /** The keys that lead to the map of servers. Default: `mcpServers`. */
  readonly key?: readonly string[];
  readonly layer?: (file: ConfigFile) => Layer;
  readonly shape?: Partial<ServerShape>;
  /** Servers are switched on and off in the program itself: fields for this in the file have no effect. */
  readonly switch?: 'elsewhere';
}

/** For agents whose own switch is unknown: either one turns the server off. */
export const eitherSwitch: readonly OffSwitch[] = [
  { key: 'disabled', value: true },
  { key: 'enabled', value: false },
];

/**
 * For agents whose spelling is little known: either field names the transport, and there are no placeholders.
 */
export const plainShape: ServerShape = {
  dialect: 'none',
  types: ['type', 'transport'],
  alsoOff: eitherSwitch,
};

export function agentOf(row: AgentRow): AgentFormat {
  const { id, label, key = ['mcpServers'], user = [], project = [], local = [] } = row;
  const hasOwnSwitch = row.switch !== undefined || row.shape?.off !== undefined;
  const shape: ServerShape = { ...plainShape, ...(hasOwnSwitch ? { alsoOff: [] } : {}), ...row.shape };
  return {
    id,
    label,
    shape,
    combine: 'whole',
    locate: (machine) => [
      ...user.map((place) =>
        typeof place === 'string' ? homeFile(machine, place.split('/')) : userFile(place(machine)),
      ),
      ...project.map((place) => projectFile(machine, place.split('/'))),
      ...local.map((place) => localFile(machine, place.split('/'))),
      ...(row.more?.(machine) ?? []),
    ],
    layer: row.layer ?? ((file) => mapLayer(file, key)),
    read: (node, context) => {
      if (row.switch !== undefined) reportFieldWarnings(node, context, switchWarnings(label));
      return readShape(node, shape, context);
    },
    ...(shape.writes === undefined ? {} : { writer: writerOf(row, shape) }),
  };
}

function writerOf({ key, user = [], project = [], local = [] }: AgentRow, shape: ServerShape): AgentWriter {
  const choices = {
    user: user.filter((place) => typeof place === 'string'),
    project,
    local,
  };
  const files = Object.fromEntries(
    Object.entries(choices)
      .filter(([, paths]) => paths.length > 0)
      .map(([scope, paths]) => [scope, paths.toReversed()]),
  );
  return createWriter({ shape, files, ...(key === undefined ? {} : { keys: [key] }) });
}
