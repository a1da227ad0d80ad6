/**
 * Claude Code's plugins: a registry says where each plugin is installed. Its servers are in `.mcp.json` or
 * the manifest there and are named `plugin:<plugin>:<server>`.
 */

import { get, type DocNode } from '../documents/tree.ts';
import { isInside, type Machine } from '../kernel/machine.ts';
import type { ConfigFile, Layer, Location, RawEntry } from './agent-format.ts';
import { plainJson, pluginFile, sameFolder } from './places.ts';
import { entriesOf, isObjectFile, sniffedLayer } from './server-map.ts';

/** Each plugin has one or more records; a record with a `projectPath` applies only to that project. */
export function pluginFiles(file: ConfigFile): readonly Location[] {
  const plugins = get(file.root, 'plugins');
  if (plugins?.kind !== 'object') return [];
  return plugins.entries.flatMap(({ key, value }) => {
    const records = value.kind === 'array' ? value.items : [value];
    return records.flatMap((record) => filesOf(record, pluginName(key), file.machine));
  });
}

function filesOf(record: DocNode, owner: string, machine: Machine): readonly Location[] {
  const folder = textOf(record, 'installPath');
  if (folder === undefined || !machine.path.isAbsolute(folder)) return [];
  const project = textOf(record, 'projectPath');
  const here = [machine.projectRoot, machine.mainCheckout, machine.cwd];
  if (project !== undefined && !here.some((place) => sameFolder(place, project, machine))) return [];
  const { path } = machine;
  return [
    pluginFile(path.join(folder, '.mcp.json'), { variant: 'plugin-servers', owner, refuses: plainJson }),
    pluginFile(path.join(folder, '.claude-plugin', 'plugin.json'), {
      variant: 'plugin-manifest',
      owner,
      refuses: plainJson,
    }),
  ];
}

/** Returns the name of a plugin from an id of the form `name@market`. */
export function pluginName(id: string): string {
  const at = id.lastIndexOf('@');
  return at > 0 ? id.slice(0, at) : id;
}

/** A manifest's `mcpServers` may be a path or a list of paths, all below the plugin's folder. */
export function manifestFiles(file: ConfigFile): readonly Location[] {
  const { path } = file.machine;
  const folder = path.dirname(path.dirname(file.path));
  return manifestItems(file).flatMap((item) => {
    if (item.kind !== 'string') return [];
    const target = path.resolve(folder, item.value.replace('${CLAUDE_PLUGIN_ROOT}', folder));
    if (!isInside(target, folder, file.machine)) return [];
    const { owner } = file.location;
    return [
      pluginFile(target, {
        variant: 'plugin-servers',
        refuses: plainJson,
        ...(owner === undefined ? {} : { owner }),
      }),
    ];
  });
}

function manifestItems(file: ConfigFile): readonly DocNode[] {
  const node = get(file.root, 'mcpServers');
  if (node === undefined) return [];
  return node.kind === 'array' ? node.items : [node];
}

export function pluginLayer(file: ConfigFile): Layer {
  const entries =
    file.location.variant === 'plugin-manifest'
      ? inlineServers(file)
      : sniffedLayer(file, ['mcpServers']).entries;
  const plugin = file.location.owner ?? 'plugin';
  return { entries: entries.map(({ name, node, at }) => ({ name: `plugin:${plugin}:${name}`, node, at })) };
}

function inlineServers(file: ConfigFile): readonly RawEntry[] {
  if (!isObjectFile(file)) return [];
  return manifestItems(file).flatMap((item) =>
    item.kind === 'string' ? [] : entriesOf(file, item, 'mcpServers'),
  );
}

function textOf(node: DocNode, key: string): string | undefined {
  const value = get(node, key);
  return value?.kind === 'string' ? value.value : undefined;
}
