/** Whether the user trusts the folder we work in, and how their decision is stored. */

import type { ConfirmFolder } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
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
