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

/** Below the home folder, with slashes; or a path that the machine decides. */
type UserPlace = string | ((machine: Machine) => string);

export interface AgentRow {
  readonly id: AgentId;
  readonly label: string;
  /** Each list weakest first. */
  readonly user?: readonly UserPlace[];
  /** Below the project's root, with slashes. */
  readonly project?: readonly string[];
  readonly local?: readonly string[];
  /** Places that need a rule of their own; stronger than all others. */
  readonly more?: (machine: Machine) => readonly Location[];
  /** Where the map of servers is; `mcpServers` when left out. */
  readonly key?: readonly string[];
  readonly layer?: (file: ConfigFile) => Layer;
  readonly shape?: Partial<ServerShape>;
  /** Servers are switched in the program itself: words for it in the file mean nothing. */
  readonly switch?: 'elsewhere';
}

/** What agents share about whose spelling little is known: either word names the transport, no placeholders. */
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

/** Where nobody knows which switch the agent has, either one turns the server off. */
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
