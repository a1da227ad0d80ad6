/**
 * Qwen Code: Gemini's files and fields, with other meanings: `url` is SSE, `httpUrl` is Streamable HTTP, and
 * `type` is not read. The `.mcp.json` that it also reads is the shared one. `mcpApprovals.json` contains the
 * user's decisions about servers of a project.
 */

import { sha256 } from '../kernel/hash.ts';
import type { JsonValue } from '../kernel/json.ts';
import { get, toValue, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat, ConfigFile, EntryContext, Layer, Rejection } from './agent-format.ts';
import { noTypes, type EntryReading, type ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { managedFile, movedHome, perSystem, projectFile, sameFolder, userFile } from './places.ts';
import { geminiShape, withoutArguments } from './gemini.ts';
import { reportFieldWarnings } from './field-warnings.ts';
import { matchesGlob } from '../kernel/glob.ts';
import { namesAt, onlyAt } from './server-list.ts';
import { isObjectFile, mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

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
  writes: { types: noTypes },
};

const refuses = { trailingCommas: true } as const;

export const qwen: AgentFormat = {
  id: 'qwen',
  label: 'Qwen Code',
  shape,
  combine: 'whole',
  locate: (machine) => [
    userFile(inHome(machine, 'mcpApprovals.json'), {
      variant: 'approvals',
    }),
    userFile(inHome(machine, 'settings.json'), { refuses }),
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
  layer: (file) => (file.location.variant === 'approvals' ? approvalsLayer(file) : settingsLayer(file)),
  read: readQwenEntry,
  writer: createWriter({
    shape,
    files: {
      user: ({ machine }) => inHome(machine, 'settings.json'),
      project: ['.qwen/settings.json'],
    },
  }),
};

function inHome(machine: Machine, name: string): string {
  return machine.path.join(movedHome(machine, 'QWEN_HOME', '.qwen'), name);
}

/** Both lists may contain patterns. */
function settingsLayer(file: ConfigFile): Layer {
  const off = namesAt(file.root, ['mcp', 'excluded']);
  const switches = { off, matches: matchesGlob, ...onlyAt(file.root, ['mcp', 'allowed']) };
  return { ...mapLayer(file, ['mcpServers']), switches };
}

/** `{"<working folder>": {"<name>": {"hash": "…", "status": "rejected"}}}` */
function approvalsLayer(file: ConfigFile): Layer {
  if (!isObjectFile(file) || file.root?.kind !== 'object') return { entries: [] };
  const { root, machine } = file;
  const projects = root.entries.filter(({ key }) => sameFolder(key, machine.cwd, machine));
  return { entries: [], rejections: projects.flatMap(({ value }) => rejectionsIn(value)) };
}

function rejectionsIn(project: DocNode): readonly Rejection[] {
  if (project.kind !== 'object') return [];
  return project.entries.flatMap(({ key, keyStart, value }) => {
    const [status, hash] = [get(value, 'status'), get(value, 'hash')];
    if (status?.kind !== 'string' || status.value !== 'rejected' || hash?.kind !== 'string') return [];
    return [{ name: key, at: keyStart, isAbout: (entry) => entryHash(entry) === hash.value }];
  });
}

const cosmetic: ReadonlySet<string> = new Set(['scope', 'extensionName', 'description']);

/**
 * Computes the hash as Qwen Code does, but from the text as written:
 * for an entry with placeholders, Qwen Code's hash differs.
 */
function entryHash(entry: ObjectNode): string {
  const value = toValue(entry);
  const kept = Object.entries(value ?? {}).filter(([key]) => !cosmetic.has(key));
  return sha256(JSON.stringify(Object.fromEntries(kept), sortKeys));
}

function sortKeys(_key: string, value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const sorted = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted);
}

function readQwenEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  if (get(node, 'url') !== undefined && get(node, 'httpUrl') === undefined) {
    reportFieldWarnings(node, context, [
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
