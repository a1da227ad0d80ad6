/** Values of placeholders for known places, which need no lookup. */

import type { KnownName } from '../dialects/template.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';

export function knownValue(
  name: KnownName,
  { origin }: ServerDefinition,
  machine: Machine,
): string | undefined {
  const { path } = machine;
  switch (name) {
    case 'workspaceFolder':
    case 'workspacePath':
    case 'projectDir':
      return machine.projectRoot;
    case 'workspaceFolderBasename':
      return path.basename(machine.projectRoot);
    case 'userHome':
      return machine.homeDir;
    case 'pathSeparator':
      return path.sep;
    case 'extensionPath':
      return path.dirname(origin.file);
    case 'pluginRoot':
      return pluginFolder(origin.file, machine);
    case 'pluginData':
      return path.join(
        machine.homeDir,
        '.claude',
        'plugins',
        'data',
        path.basename(pluginFolder(origin.file, machine)),
      );
  }
}

/** Returns the plugin's folder: the file is `<plugin>/.mcp.json` or `<plugin>/.claude-plugin/plugin.json`. */
function pluginFolder(file: string, { path }: Machine): string {
  const folder = path.dirname(file);
  return path.basename(folder) === '.claude-plugin' ? path.dirname(folder) : folder;
}
