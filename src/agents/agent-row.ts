/** An agent that is fully described by its paths, its key and its spelling. */

import type { AgentId } from '../kernel/agent-ids.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ObjectNode } from '../documents/tree.ts';
import type { AgentFormat, ConfigFile, EntryContext, EntryReading, Layer, Location } from './agent-format.ts';
import { switchHabits } from './editor-habits.ts';
import { readBoolean, type Fields } from './fields.ts';
import { reportHabits } from './habits.ts';
import { homeFile, localFile, projectFile, userFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape, type ServerShape } from './server-shape.ts';

/** A path below the home folder, with slashes, or a path that depends on the machine. */
type UserPlace = string | ((machine: Machine) => string);

export interface AgentRow {
  readonly id: AgentId;
  readonly label: string;
  /** Each list weakest first. */
  readonly user?: readonly UserPlace[];
  /** Paths below the project's root, with slashes. */
  readonly project?: readonly string[];
  readonly local?: readonly string[];
  /** Locations that need their own rule; stronger than all others. */
  readonly more?: (machine: Machine) => readonly Location[];
  /** The keys that lead to the map of servers. Default: `mcpServers`. */
  readonly key?: readonly string[];
  readonly layer?: (file: ConfigFile) => Layer;
  readonly shape?: Partial<ServerShape>;
  /** Servers are switched on and off in the program itself: fields for this in the file have no effect. */
  readonly switch?: 'elsewhere';
}

/**
 * For agents whose spelling is little known: either field names the transport, and there are no placeholders.
 */
export const plainShape: ServerShape = { dialect: 'none', types: ['type', 'transport'] };

export function agentOf(row: AgentRow): AgentFormat {
  const { id, label, key = ['mcpServers'] } = row;
  const shape: ServerShape = { ...plainShape, ...row.shape };
  return {
    id,
    label,
    combine: 'whole',
    locate: (machine) => [
      ...(row.user ?? []).map((place) =>
        typeof place === 'string' ? homeFile(machine, place.split('/')) : userFile(place(machine)),
      ),
      ...(row.project ?? []).map((place) => projectFile(machine, place.split('/'))),
      ...(row.local ?? []).map((place) => localFile(machine, place.split('/'))),
      ...(row.more?.(machine) ?? []),
    ],
    layer: row.layer ?? ((file) => mapLayer(file, key)),
    read: (node, context) => {
      if (row.switch === undefined) return readPlain(node, shape, context);
      reportHabits(node, context, switchHabits(label));
      return readShape(node, shape, context);
    },
  };
}

/** If the agent's own switch is unknown, either one turns the server off. */
export function readPlain(
  node: ObjectNode,
  shape: ServerShape,
  context: EntryContext,
): EntryReading | undefined {
  const reading = readShape(node, shape, context);
  if (reading === undefined || shape.off !== undefined) return reading;
  const fields: Fields = { node, report: context.report };
  return {
    ...reading,
    enabled: readBoolean(fields, 'disabled') !== true && readBoolean(fields, 'enabled') !== false,
  };
}
