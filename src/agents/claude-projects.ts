/**
 * What Claude Code keeps for single projects in `~/.claude.json`. The key is the root of the main checkout, outside a
 * repository the very folder; keys for folders inside a repository are dead data.
 */

import { get, type DocNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ConfigFile } from './agent-format.ts';

/** What is kept for the project at hand: several when keys differ only in spelling. Says which others are dead. */
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
