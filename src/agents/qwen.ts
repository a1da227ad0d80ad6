/**
 * Qwen Code: Gemini's files and words with another meaning: `url` is SSE, `httpUrl` is Streamable HTTP, `type` is not read.
 * The `.mcp.json` it also reads is the shared one.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { AgentFormat, EntryContext, EntryReading, Layer, ConfigFile } from './agent-format.ts';
import { geminiShape, withoutArguments } from './gemini.ts';
import { reportHabits } from './habits.ts';
import { matchesGlob } from './name-glob.ts';
import { managedFile, movedHome, perSystem, projectFile, userFile } from './places.ts';
import { namesAt, onlyAt } from './server-list.ts';
import { mapLayer } from './server-map.ts';
import { readShape, type ServerShape } from './server-shape.ts';

const shape: ServerShape = {
  ...geminiShape,
  dialect: 'qwen',
  types: [],
  urls: [
    { key: 'httpUrl', untyped: 'http' },
    { key: 'url', untyped: 'sse' },
  ],
  timeouts: [
    { key: 'discoveryTimeoutMs', unit: 'ms', means: 'start' },
    { key: 'timeout', unit: 'ms', means: 'idle' },
  ],
};

const refuses = { trailingCommas: true } as const;

export const qwen: AgentFormat = {
  id: 'qwen',
  label: 'Qwen Code',
  combine: 'whole',
  locate: (machine) => [
    userFile(machine.path.join(movedHome(machine, 'QWEN_HOME', '.qwen'), 'settings.json'), { refuses }),
    projectFile(machine, ['.qwen', 'settings.json'], { refuses }),
    managedFile(
      perSystem(machine, {
        linux: '/etc/qwen-code/settings.json',
        macos: '/Library/Application Support/QwenCode/settings.json',
        windows: 'C:\\ProgramData\\qwen-code\\settings.json',
      }),
      { refuses },
    ),
  ],
  layer: settingsLayer,
  read: readQwenEntry,
};

/** Both lists may hold patterns. */
function settingsLayer(file: ConfigFile): Layer {
  const off = namesAt(file.root, ['mcp', 'excluded']);
  const switches = { off, matches: matchesGlob, ...onlyAt(file.root, ['mcp', 'allowed']) };
  return { ...mapLayer(file, ['mcpServers']), switches };
}

function readQwenEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  if (get(node, 'url') !== undefined && get(node, 'httpUrl') === undefined) {
    reportHabits(node, context, [
      {
        key: 'type',
        code: 'agent-ignores',
        message: 'Qwen Code does not look at "type": what "url" says is SSE',
        remedy: 'Use "httpUrl" for Streamable HTTP.',
      },
    ]);
  }
  const reading = readShape(node, shape, context);
  if (reading?.tools === undefined) return reading;
  return { ...reading, tools: withoutArguments(reading.tools) };
}
