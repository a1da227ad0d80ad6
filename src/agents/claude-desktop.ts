/**
 * Claude Desktop: `claude_desktop_config.json`, local programs only. Remote servers are connectors of the
 * account, so the app skips an entry with a URL.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { reportFieldWarnings, switchWarnings } from './field-warnings.ts';
import { desktopConfig, plainJson, userFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = { dialect: 'none', writes: { types: { stdio: null }, noCwd: true } };
const warnings = switchWarnings('Claude Desktop');

export const claudeDesktop: AgentFormat = {
  id: 'claude-desktop',
  label: 'Claude Desktop',
  shape,
  combine: 'whole',
  // On Linux both spellings of the folder are in use.
  locate: (machine) =>
    (machine.os === 'linux' ? ['claude', 'Claude'] : ['Claude']).map((folder) =>
      userFile(desktopConfig(machine, folder, 'claude_desktop_config.json'), {
        refuses: plainJson,
      }),
    ),
  layer: (file) => mapLayer(file, ['mcpServers']),
  read: readDesktopEntry,
  writer: createWriter({ shape, files: { user: /./ } }),
};

function readDesktopEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  reportFieldWarnings(node, context, warnings);
  const reading = readShape(node, shape, context);
  if (reading === undefined || reading.launch.kind === 'stdio') return reading;
  context.report({
    severity: 'warning',
    code: 'agent-refuses',
    at: get(node, 'url')?.start ?? node.start,
    message: 'Claude Desktop starts programs only: it passes over a server with a URL',
    remedy: 'Add it as a connector in Claude Desktop.',
  });
  return reading;
}
