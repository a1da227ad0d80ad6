/**
 * Claude Code: user and local servers in `~/.claude.json`, managed servers in a separate file, and plugins
 * through their registry. Project servers are in the shared `.mcp.json` (see mcp-json.ts); the settings
 * contain no servers, only switches.
 */

import { get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import {
  writeScopes,
  type AgentFormat,
  type ConfigFile,
  type EntryContainer,
  type EntryContext,
  type FileLookup,
  type Layer,
  type RawEntry,
  type WriteScope,
  type WriteTarget,
} from './agent-format.ts';
import type { EntryReading } from './server-shape.ts';
import { claudeShape, reportClaudeRules, reportSelfApproval, sharedTarget } from './claude-entry.ts';
import { manifestFiles, pluginFiles, pluginLayer, pluginName } from './claude-plugins.ts';
import {
  localFile,
  managedFile,
  movedHome,
  normalFolder,
  perSystem,
  plainJson,
  projectFile,
  sameFolder,
  userFile,
  walkFiles,
} from './places.ts';
import { mapAt } from './create-writer.ts';
import { reportFieldWarnings } from './field-warnings.ts';
import { namesAt, namesIn } from './server-list.ts';
import { entriesOf, isObjectFile, mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';
import { withHeadersHelper } from './read-launch.ts';

export const claudeCode: AgentFormat = {
  id: 'claude-code',
  label: 'Claude Code',
  shape: claudeShape,
  combine: 'whole',
  locate: (machine) => [
    userFile(inConfig(machine, 'plugins', 'installed_plugins.json'), { variant: 'plugin-registry' }),
    userFile(inConfig(machine, 'settings.json'), { variant: 'settings' }),
    projectFile(machine, ['.claude', 'settings.json'], { variant: 'settings' }),
    localFile(machine, ['.claude', 'settings.local.json'], { variant: 'settings' }),
    userFile(mainFile(machine), { refuses: plainJson, variant: 'main' }),
    managedFile(
      perSystem(machine, {
        linux: '/etc/claude-code/managed-mcp.json',
        macos: '/Library/Application Support/ClaudeCode/managed-mcp.json',
        windows: 'C:\\Program Files\\ClaudeCode\\managed-mcp.json',
      }),
      { refuses: plainJson, variant: 'managed' },
    ),
  ],
  layer: (file) => layers[file.location.variant ?? '']?.(file) ?? { entries: [] },
  follow: (file) => {
    if (file.location.variant === 'plugin-registry') return pluginFiles(file);
    return file.location.variant === 'plugin-manifest' ? manifestFiles(file) : [];
  },
  read: readEntry,
  writer: { scopes: writeScopes, target: targetFor, shapeAt: () => claudeShape },
  sharesFile: (file, machine) => walkFiles(machine, ['.mcp.json']).some(({ path }) => path === file),
};

/** Local servers are stored under the project's folder, however an earlier version spelled it. */
function targetFor(scope: WriteScope, { machine }: FileLookup): WriteTarget {
  if (scope === 'project') {
    return sharedTarget(machine.path.join(machine.projectRoot, '.mcp.json'), claudeShape, 'Claude Code');
  }
  return {
    file: mainFile(machine),
    format: 'json',
    container: scope === 'user' ? mapAt([['mcpServers']]) : (root) => localContainer(root, machine),
    shapeAt: () => claudeShape,
  };
}

function localContainer(root: DocNode | undefined, machine: Machine): EntryContainer {
  const wanted = machine.inRepository ? machine.mainCheckout : machine.cwd;
  const projects = get(root, 'projects');
  const keys = projects?.kind === 'object' ? projects.entries.map(({ key }) => key) : [];
  const known = keys.filter((key) => sameFolder(key, wanted, machine)).toReversed();
  return {
    kind: 'map',
    paths: (known.length === 0 ? [wanted] : known).map((key) => ['projects', key, 'mcpServers']),
  };
}

/** How each kind of file is read; the registry of plugins only refers to other files. */
const layers: Readonly<Record<string, (file: ConfigFile) => Layer>> = {
  main: mainLayer,
  managed: (file) => ({ ...mapLayer(file, ['mcpServers']), exclusive: true }),
  settings: settingsLayer,
  'plugin-servers': pluginLayer,
  'plugin-manifest': pluginLayer,
};

function mainFile(machine: Machine): string {
  return machine.path.join(movedHome(machine, 'CLAUDE_CONFIG_DIR'), '.claude.json');
}

function inConfig(machine: Machine, ...parts: readonly string[]): string {
  return machine.path.join(movedHome(machine, 'CLAUDE_CONFIG_DIR', '.claude'), ...parts);
}

function mainLayer(file: ConfigFile): Layer {
  if (!isObjectFile(file)) return { entries: [] };
  const user = entriesOf(file, get(file.root, 'mcpServers'), 'mcpServers');
  const projects = ownProjects(file);
  const local = projects
    .flatMap((project) => entriesOf(file, get(project, 'mcpServers'), 'projects.mcpServers'))
    .map(({ name, node, at }): RawEntry => ({ name, node, at, scope: 'local' }));
  const off = projects.flatMap((project) => namesIn(get(project, 'disabledMcpServers')));
  return {
    entries: [...user, ...local],
    switches: { off },
    sharedOff: off.map((listed) => ({ ...listed, rejected: false })),
  };
}

function settingsLayer(file: ConfigFile): Layer {
  const servers = get(file.root, 'mcpServers');
  if (servers !== undefined) {
    const message = 'Claude Code reads no servers from its settings';
    const remedy = 'Move them to ~/.claude.json or to .mcp.json.';
    file.report({ severity: 'warning', code: 'agent-ignores', at: servers.start, message, remedy });
  }
  reportSelfApproval(file);
  const plugins = get(file.root, 'enabledPlugins');
  const listed = plugins?.kind === 'object' ? plugins.entries : [];
  const off = listed
    .filter(({ value }) => value.kind === 'boolean' && !value.value)
    .map(({ key, keyStart }) => ({ name: pluginName(key), at: keyStart }));
  const refused = namesAt(file.root, ['disabledMcpjsonServers']);
  return {
    entries: [],
    switches: { off, matches: (plugin, name) => name.startsWith(`plugin:${plugin}:`) },
    sharedOff: refused.map((name) => ({ ...name, rejected: true })),
  };
}

const cwdWarning = {
  key: 'cwd',
  code: 'agent-ignores',
  message: 'Claude Code does not look at "cwd": the server starts where Claude Code was started',
} as const;

function readEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  reportClaudeRules(node, context);
  reportFieldWarnings(node, context, [cwdWarning]);
  const fromPlugin = context.file.location.variant?.startsWith('plugin-') === true;
  const shape = { ...claudeShape, cwd: [], ...(fromPlugin ? { dialect: 'claude-plugin' as const } : {}) };
  return withHeadersHelper(readShape(node, shape, context), node, shape, context);
}

/**
 * Returns the data of the current project: several nodes if keys differ only in spelling.
 * Reports unused keys that have servers.
 */
export function ownProjects(file: ConfigFile): readonly DocNode[] {
  const projects = get(file.root, 'projects');
  if (projects?.kind !== 'object') return [];
  const { machine } = file;
  const wanted = machine.inRepository ? machine.mainCheckout : machine.cwd;
  for (const { key, keyStart, value } of projects.entries) {
    if (!isDead(key, wanted, machine) || !hasServers(value)) continue;
    const message = `Claude Code does not use the servers kept for ${key}: those of this repository are kept under ${wanted}`;
    file.report({ severity: 'info', code: 'agent-ignores', at: keyStart, message });
  }
  return projects.entries.filter(({ key }) => sameFolder(key, wanted, machine)).map(({ value }) => value);
}

function isDead(key: string, wanted: string, machine: Machine): boolean {
  if (!machine.inRepository || sameFolder(key, wanted, machine)) return false;
  const folder = normalFolder(key, machine);
  return [wanted, machine.projectRoot].some((root) =>
    `${folder}/`.startsWith(`${normalFolder(root, machine)}/`),
  );
}

function hasServers(project: DocNode): boolean {
  const servers = get(project, 'mcpServers');
  return servers?.kind === 'object' && servers.entries.length > 0;
}
