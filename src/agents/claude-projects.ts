/**
 * Reads what Claude Code stores for single projects in `~/.claude.json`. The key is the root of the main
 * checkout or, outside a repository, the folder itself; Claude Code does not use keys for folders inside a
 * repository.
 */

import { get, type DocNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ConfigFile } from './agent-format.ts';

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

export function sameFolder(left: string, right: string, machine: Machine): boolean {
  return normalFolder(left, machine) === normalFolder(right, machine);
}

/** On Windows the direction of slashes and the case of letters vary. */
function normalFolder(folder: string, machine: Machine): string {
  return machine.os === 'windows' ? folder.replaceAll('\\', '/').toLowerCase() : folder;
}
