/**
 * Copilot in JetBrains IDEs and in Xcode: `mcp.json` in Copilot's own folder, key `servers`. Headers are
 * under `requestInit`; there are no placeholders.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { homeFile, localAppData, plainJson, userFile, xdgConfig } from './places.ts';
import { readShape } from './read-shape.ts';
import { serversLayer } from './vscode.ts';

const shape: ServerShape = { dialect: 'none' };
const jetbrainsFile = ['github-copilot', 'intellij', 'mcp.json'];

export const copilotJetbrains = copilotOf('copilot-jetbrains', 'Copilot for JetBrains', (machine) =>
  userFile(
    machine.os === 'windows' ? localAppData(machine, ...jetbrainsFile) : xdgConfig(machine, ...jetbrainsFile),
    { refuses: plainJson },
  ),
);

export const copilotXcode = copilotOf('copilot-xcode', 'Copilot for Xcode', (machine) =>
  homeFile(machine, ['.config', 'github-copilot', 'xcode', 'mcp.json'], { refuses: plainJson }),
);

function copilotOf(
  id: AgentId,
  label: string,
  place: (machine: Machine) => ReturnType<typeof userFile>,
): AgentFormat {
  return {
    id,
    label,
    shape,
    combine: 'whole',
    locate: (machine) => [place(machine)],
    layer: (file) => serversLayer(file, label),
    read: readEntry,
  };
}

function readEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const headers = get(get(node, 'requestInit'), 'headers');
  if (headers === undefined) return readShape(node, shape, context);
  const lifted = { key: 'headers', keyStart: headers.start, value: headers };
  return readShape({ ...node, entries: [...node.entries, lifted] }, shape, context);
}
