/**
 * Loads what may run on this machine: stored decisions, digests for this run, and an administrator's lists.
 * Writes nothing.
 */

import type { Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import { readIdentity } from '../platform/machine-facts.ts';
import { fingerprint, type Fingerprint } from './fingerprint.ts';
import { loadFolderTrust } from './folder-trust.ts';
import { requireOwnHoltHome } from './holt-home.ts';
import { loadManagedLists, verdictOfLists } from './managed-lists.ts';
import type { FolderTrust } from './start-folder.ts';
import { digestsFromFile } from './trust-digests.ts';
import { isAbout, type TrustRecord } from './trust-record.ts';
import type { Approvals, TrustState } from './trust-state.ts';
import { createTrustStore, type TrustStore } from './trust-store.ts';

export interface ApprovalOptions {
  /** Digests from `--trust-digest`, valid for this run only. */
  readonly digests?: readonly string[];
  readonly store?: TrustStore;
  readonly identity?: Identity | undefined;
  /** True when the agent that this host works for has the user's trust in this folder. */
  readonly agentTrusts?: boolean;
}

export function loadApprovals(machine: Machine, files: Files, options: ApprovalOptions = {}): Approvals {
  requireOwnHoltHome(machine);
  const { store = createTrustStore(machine, files), identity = readIdentity() } = options;
  const given = digestsFromFile(machine, files, identity);
  const digests = new Set([...(options.digests ?? []), ...given.digests]);
  const lists = loadManagedLists(machine, files);
  const prints = new WeakMap<ServerDefinition, Fingerprint>();
  const fingerprintOf = (definition: ServerDefinition): Fingerprint => {
    const known = prints.get(definition) ?? fingerprint(definition, machine, files);
    prints.set(definition, known);
    return known;
  };
  // Loaded on first use: when no project defines servers, the file is not even opened.
  let records: readonly TrustRecord[] | undefined;
  let folder: FolderTrust | undefined;
  const decided = (definition: ServerDefinition): TrustState => {
    const { digest, uncertain } = fingerprintOf(definition);
    if (uncertain !== undefined) return 'untrusted';
    if (digests.has(digest)) return 'approved';
    records ??= store.load();
    const about = records.filter((record) => isAbout(record, definition, machine.projectRoot));
    const exact = about.find((record) => record.digest === digest);
    if (exact !== undefined) return exact.verdict;
    return about.some(({ verdict }) => verdict === 'approved') ? 'changed' : 'untrusted';
  };
  return {
    stateOf: (definition) => {
      if (verdictOfLists(definition, lists) === 'blocked') return 'blocked';
      return definition.guarded ? decided(definition) : 'open';
    },
    fingerprintOf,
    folderTrust: () =>
      (folder ??= loadFolderTrust({ machine, store, agentTrusts: options.agentTrusts === true })),
    get problems() {
      return [...given.problems, ...(records === undefined ? [] : storeProblems(store))];
    },
  };
}

/** Reports a file of decisions that is unsafe or has decisions that cannot be read. */
export function storeProblems(store: Pick<TrustStore, 'file' | 'danger' | 'passedOver'>): readonly Problem[] {
  const at = { severity: 'warning', file: store.file, line: 1, column: 1 } as const;
  const danger = store.danger();
  if (danger !== undefined) {
    const message = `the approvals in it do not count: ${danger}`;
    return [{ ...at, code: 'file-unsafe', message, remedy: 'Fix it, or move it away and approve again.' }];
  }
  const count = store.passedOver?.() ?? 0;
  if (count === 0) return [];
  const message = `${count === 1 ? 'a decision' : `${count} decisions`} in it cannot be read and ${count === 1 ? 'does' : 'do'} not count`;
  return [{ ...at, code: 'file-shape', message, remedy: 'Fix it by hand; holt keeps what it cannot read.' }];
}
