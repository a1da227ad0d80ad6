/**
 * The shared files `.mcp.json` and `mcp.json`, which many agents read, each by its own rules. They are read
 * once, under a neutral id, and in every format that one of the readers accepts.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { AgentFormat, ConfigFile, EntryContext, Layer } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { claudeShape, reportClaudeRules, reportSelfApproval, sharedTarget } from './claude-entry.ts';
import { readCopilotTools } from './copilot-cli.ts';
import { firstExisting } from './create-writer.ts';
import { readEditorEntry, readInputs } from './vscode.ts';
import { filesBeyond, homeFile, projectFile, walkFiles } from './places.ts';
import { looksLikeEntry, sniffedLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';
import { withHeadersHelper } from './read-launch.ts';

/** Claude's fields and the aliases of the other readers. */
const sharedShape: ServerShape = {
  ...claudeShape,
  urls: [
    { key: 'url', untyped: 'http' },
    { key: 'serverUrl', untyped: 'http' },
    { key: 'httpUrl', untyped: 'http' },
  ],
  typeNames: { ...claudeShape.typeNames, local: 'stdio' },
};

const refuses = { comments: true, trailingCommas: true, by: 'Claude Code' } as const;

export const mcpJson: AgentFormat = {
  id: 'mcp-json',
  label: 'the shared .mcp.json',
  shape: sharedShape,
  combine: 'whole',
  readers: [
    'claude-code',
    'chimera-mink',
    'codebuddy',
    'command-code',
    'copilot-cli',
    'deepagents',
    'kimi-code',
    'mastra-code',
    'omp',
    'pi',
    'qoder',
    'qwen',
    'visual-studio',
    'vscode',
    'warp',
  ],
  locate: (machine) => [
    homeFile(machine, ['.agents', '.mcp.json']),
    homeFile(machine, ['.mcp.json'], { refuses, variant: 'claude-reads' }),
    projectFile(machine, ['.agents', '.mcp.json']),
    projectFile(machine, ['mcp.json']),
    ...walkFiles(machine, ['.mcp.json'], {
      refuses: { ...refuses, by: 'Claude Code, like Copilot CLI,' },
      variant: 'claude-reads',
    }),
  ],
  // Claude Code searches up to the root of the file system; on Windows it does not find a file at a drive's
  // root.
  mentions: (machine) => {
    const edge = machine.path.parse(machine.cwd).root;
    const files = filesBeyond(machine, ['.mcp.json']);
    return machine.os === 'windows' ? files.filter((file) => machine.path.dirname(file) !== edge) : files;
  },
  layer: sharedLayer,
  read: readSharedEntry,
  writer: {
    scopes: ['user', 'project'],
    shapeAt: () => sharedShape,
    target: (scope, lookup) => {
      const { homeDir, projectRoot } = lookup.machine;
      const file =
        scope === 'user'
          ? firstExisting(lookup, homeDir, ['.mcp.json'])
          : firstExisting(lookup, projectRoot, ['.mcp.json', 'mcp.json']);
      return sharedTarget(file, sharedShape);
    },
  },
};

/**
 * Claude Code accepts only `mcpServers`; `servers` is Visual Studio's key, with its inputs and placeholders.
 */
function sharedLayer(file: ConfigFile): Layer {
  reportSelfApproval(file);
  const layer = sniffedLayer(file, ['mcpServers', 'servers', 'mcp_servers']);
  const claudes = file.location.variant === 'claude-reads';
  if (get(file.root, 'mcpServers')?.kind === 'object') return claudes ? withVariant(layer, 'claude') : layer;
  if (claudes && layer.entries.length > 0) {
    const message = 'Claude Code gets nothing from this file: it looks only at "mcpServers"';
    file.report({ severity: 'info', code: 'agent-ignores', at: 0, message });
  }
  const servers = get(file.root, 'servers');
  if (servers === undefined || looksLikeEntry(servers)) return layer;
  return { ...withVariant(layer, 'visual-studio'), inputs: readInputs(file, get(file.root, 'inputs')) };
}

function withVariant({ entries }: Layer, variant: string): Layer {
  return { entries: entries.map((entry) => ({ ...entry, variant })) };
}

function readSharedEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const { variant } = context.entry;
  if (variant === 'visual-studio') return readEditorEntry(node, context, 'Visual Studio');
  if (variant === 'claude') reportClaudeRules(node, context);
  const reading = withHeadersHelper(readShape(node, sharedShape, context), node, sharedShape, context);
  if (reading === undefined) return undefined;
  const { kind } = reading.launch;
  if (variant === 'claude' && kind !== 'stdio' && get(node, 'type') === undefined) {
    context.report({
      severity: 'warning',
      code: 'agent-refuses',
      at: node.start,
      message: `Claude Code skips a URL without "type"; holt reads it as ${kind}`,
      remedy: `Add "type": "${kind}".`,
    });
  }
  const tools = readCopilotTools({ node, report: context.report });
  return tools === undefined ? reading : { ...reading, tools };
}
