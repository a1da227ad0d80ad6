/**
 * Whether the user trusts the project's folder: in holt, where their decision is stored, or in the agent that
 * the host works for, whose own file is only read.
 */

import { movedHome, sameFolder } from '../agents/places.ts';
import { parseDocument } from '../documents/parse-document.ts';
import { dig, get, type DocFormat, type DocNode } from '../documents/tree.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { ConfirmFolder } from '../kernel/interaction.ts';
import { isInside, liesInProject, type Machine } from '../kernel/machine.ts';
import type { Files } from '../platform/files/files.ts';
import { realPathNow } from '../platform/files/real-path.ts';
import type { FolderTrust } from './start-folder.ts';
import type { FolderRecord } from './trust-record.ts';
import type { TrustStore } from './trust-store.ts';

export interface FolderTrustParts {
  readonly machine: Machine;
  readonly store: Pick<TrustStore, 'folders'>;
  /** True when the agent that this host works for has the user's trust in this folder. */
  readonly agentTrusts: boolean;
}

/**
 * Returns `trusted` when the project root is the home folder, which is the user's own. Every other folder is
 * trusted by its real path alone.
 */
export function loadFolderTrust({ machine, store, agentTrusts }: FolderTrustParts): FolderTrust {
  if (!machine.hasProject) return 'trusted';
  const folder = projectFolder(machine);
  const verdict = store.folders?.().find((record) => record.folder === folder)?.verdict;
  if (verdict === 'trusted') return 'trusted';
  if (agentTrusts) return 'agent';
  return verdict ?? 'unknown';
}

/** The project's root with links followed. */
export function projectFolder({ projectRoot }: Pick<Machine, 'projectRoot'>): string {
  return realPathNow(projectRoot);
}

export interface SaveFolderParts {
  readonly machine: Machine;
  readonly store: TrustStore;
  readonly now: () => Date;
}

export async function saveFolderVerdict(
  verdict: FolderRecord['verdict'],
  { machine, store, now }: SaveFolderParts,
): Promise<void> {
  const folder = projectFolder(machine);
  await store.changeFolders?.((all) => [
    ...all.filter((record) => record.folder !== folder),
    { folder, verdict, at: now().toISOString() },
  ]);
}

/** Asks the user about the folder before `server` starts, and stores the answer. */
export async function askAboutFolder(
  server: string,
  confirmFolder: ConfirmFolder,
  parts: SaveFolderParts,
): Promise<void> {
  if (parts.store.changeFolders === undefined) return;
  const { projectRoot: folder, homeDir: homeFolder } = parts.machine;
  const answer = await confirmFolder({ folder, homeFolder, server });
  if (answer === 'trust') await saveFolderVerdict('trusted', parts);
  if (answer === 'decline') await saveFolderVerdict('declined', parts);
}

/** Removes the stored decision about this folder. Returns false when there is none. */
export async function forgetFolder({
  machine,
  store,
}: {
  readonly machine: Machine;
  readonly store: TrustStore;
}): Promise<boolean> {
  const folder = projectFolder(machine);
  const isKnown = store.folders?.().some((record) => record.folder === folder) === true;
  if (isKnown) await store.changeFolders?.((all) => all.filter((record) => record.folder !== folder));
  return isKnown;
}

/**
 * Where an agent records that the user trusts a folder. When a host works for that agent, the record decides
 * where the user's servers start; it has no other effect.
 */
interface AgentTrustFile {
  readonly file: (machine: Machine) => string;
  readonly format: DocFormat;
  /** Applies the agent's own rule. `folders` holds the project root and its parent folders, nearest first. */
  readonly trusts: (root: DocNode | undefined, folders: readonly string[], machine: Machine) => boolean;
}

const maxBytes = 64 << 20;

const agentTrustFiles: Partial<Record<AgentId, AgentTrustFile>> = {
  'claude-code': {
    file: (machine) => machine.path.join(movedHome(machine, 'CLAUDE_CONFIG_DIR'), '.claude.json'),
    format: 'json',
    trusts: (root, folders, machine) =>
      folders.some((folder) =>
        valuesFor(get(root, 'projects'), folder, machine).some((project) => {
          const accepted = get(project, 'hasTrustDialogAccepted');
          return accepted?.kind === 'boolean' && accepted.value;
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
export async function loadAgentTrust(
  agent: AgentId | undefined,
  { machine, files }: { readonly machine: Machine; readonly files: Files },
): Promise<boolean> {
  const source = agent === undefined ? undefined : agentTrustFiles[agent];
  if (source === undefined || !machine.hasProject) return false;
  const file = source.file(machine);
  // A project must not mark itself as trusted.
  if (liesInProject(file, machine)) return false;
  const outcome = files.load(file, maxBytes);
  if (outcome.kind !== 'file' || liesInProject(outcome.realPath, machine)) return false;
  const document = await parseDocument(outcome.bytes, source.format);
  return document.ok && source.trusts(document.root, foldersUpwards(machine), machine);
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
