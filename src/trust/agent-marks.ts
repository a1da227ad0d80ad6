/**
 * Reads the marks with which agents record that the user trusts a folder. When a host works for one agent,
 * that agent's mark decides where the user's servers start; it has no other effect.
 */

import { sameFolder } from '../agents/claude-projects.ts';
import { movedHome } from '../agents/places.ts';
import { parseDocument } from '../documents/parse-document.ts';
import { dig, get, type DocFormat, type DocNode } from '../documents/tree.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import { isInside, liesInProject, type Machine } from '../kernel/machine.ts';
import type { Files } from '../platform/files/files.ts';
import { projectFolder } from './folder-trust.ts';

interface Marks {
  readonly file: (machine: Machine) => string;
  readonly format: DocFormat;
  /** Applies the agent's own rule. `folders` holds the project root and its parent folders, nearest first. */
  readonly trusts: (root: DocNode | undefined, folders: readonly string[], machine: Machine) => boolean;
}

const maxBytes = 64 << 20;

const agentsWithMarks: Partial<Record<AgentId, Marks>> = {
  'claude-code': {
    file: (machine) => machine.path.join(movedHome(machine, 'CLAUDE_CONFIG_DIR'), '.claude.json'),
    format: 'json',
    trusts: (root, folders, machine) =>
      folders.some((folder) =>
        valuesFor(get(root, 'projects'), folder, machine).some((project) => {
          const mark = get(project, 'hasTrustDialogAccepted');
          return mark?.kind === 'boolean' && mark.value;
        }),
      ),
  },
  codex: {
    file: (machine) => machine.path.join(movedHome(machine, 'CODEX_HOME', '.codex'), 'config.toml'),
    format: 'toml',
    trusts: (root, [folder = ''], machine) =>
      valuesFor(get(root, 'projects'), folder, machine).some(
        (project) => textOf(dig(project, ['trust_level'])) === 'trusted',
      ),
  },
  gemini: {
    file: (machine) =>
      machine.path.join(movedHome(machine, 'GEMINI_CLI_HOME'), '.gemini', 'trustedFolders.json'),
    format: 'json',
    trusts: geminiTrusts,
  },
};

/** True when the agent's own file says that the user trusts the project's folder. */
export async function loadAgentMark(
  agent: AgentId | undefined,
  { machine, files }: { readonly machine: Machine; readonly files: Files },
): Promise<boolean> {
  const marks = agent === undefined ? undefined : agentsWithMarks[agent];
  if (marks === undefined || !machine.hasProject) return false;
  const file = marks.file(machine);
  // A project must not mark itself as trusted.
  if (liesInProject(file, machine)) return false;
  const outcome = files.load(file, maxBytes);
  if (outcome.kind !== 'file' || liesInProject(outcome.realPath, machine)) return false;
  const document = await parseDocument(outcome.bytes, marks.format);
  return document.ok && marks.trusts(document.root, foldersUpwards(machine), machine);
}

/** Returns the project root and its parents, without the home folder and any folder that contains it. */
function foldersUpwards(machine: Machine): readonly string[] {
  const { path, homeDir } = machine;
  const folders: string[] = [];
  for (
    let folder = projectFolder(machine);
    !isInside(homeDir, folder, machine);
    folder = path.dirname(folder)
  )
    folders.push(folder);
  return folders;
}

function valuesFor(map: DocNode | undefined, folder: string, machine: Machine): readonly DocNode[] {
  if (map?.kind !== 'object') return [];
  return map.entries.filter(({ key }) => sameFolder(key, folder, machine)).map(({ value }) => value);
}

/**
 * The nearest folder with a rule decides. `TRUST_PARENT` applies to the parent of the folder it is written
 * for.
 */
function geminiTrusts(root: DocNode | undefined, folders: readonly string[], machine: Machine): boolean {
  if (root?.kind !== 'object') return false;
  const rules = root.entries.map(({ key, value }) => {
    const rule = textOf(value);
    return { rule, folder: rule === 'TRUST_PARENT' ? machine.path.dirname(key) : key };
  });
  for (const folder of folders) {
    const own = rules.filter((one) => sameFolder(one.folder, folder, machine));
    const here = new Set(own.map(({ rule }) => rule));
    if (here.has('DO_NOT_TRUST')) return false;
    if (here.has('TRUST_FOLDER') || here.has('TRUST_PARENT')) return true;
  }
  return false;
}

function textOf(node: DocNode | undefined): string | undefined {
  return node?.kind === 'string' ? node.value : undefined;
}
