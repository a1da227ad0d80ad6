/**
 * Loads what may run on this machine: stored decisions, digests for this run, and an administrator's lists.
 * Writes nothing.
 */

import { decodeText } from '../documents/decode.ts';
import { HoltError } from '../kernel/errors.ts';
import { type Machine, isInside } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files, FileOutcome } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import { realPathNow } from '../platform/files/real-path.ts';
import { readIdentity } from '../platform/machine-facts.ts';
import { fingerprint, type Fingerprint } from './fingerprint.ts';
import { loadFolderTrust } from './folder-trust.ts';
import { loadManagedLists, verdictOfLists } from './managed-lists.ts';
import type { FolderTrust } from './start-folder.ts';
import { isAbout, type TrustRecord } from './trust-record.ts';
import type { Approvals, TrustState } from './trust-state.ts';
import { createTrustStore, type TrustStore, writableByOthers } from './trust-store.ts';

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
  const fromFile = digestsFromFile(machine, files, identity);
  const digests = new Set([...(options.digests ?? []), ...fromFile.digests]);
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
      return [...fromFile.problems, ...(records === undefined ? [] : storeProblems(store))];
    },
  };
}

/** Reports a file of decisions that is unsafe or has decisions that cannot be read. */
export function storeProblems(
  store: Pick<TrustStore, 'file' | 'danger' | 'unreadableCount'>,
): readonly Problem[] {
  const at = { severity: 'warning', file: store.file, line: 1, column: 1 } as const;
  const danger = store.danger();
  if (danger !== undefined) {
    const message = `the approvals in it do not count: ${danger}`;
    return [{ ...at, code: 'file-unsafe', message, remedy: 'Fix it, or move it away and approve again.' }];
  }
  const count = store.unreadableCount?.() ?? 0;
  if (count === 0) return [];
  const message = `${count === 1 ? 'a decision' : `${count} decisions`} in it cannot be read and ${count === 1 ? 'does' : 'do'} not count`;
  return [{ ...at, code: 'file-shape', message, remedy: 'Fix it by hand; holt keeps what it cannot read.' }];
}

/**
 * Throws `folder-unsafe` when the folder is inside the project. A project that contains the whole home folder
 * is the user's own and is allowed.
 */
export function requireOwnHoltHome(
  machine: Machine,
  realPath: (place: string) => string = realPathNow,
): void {
  const { holtHome, homeDir, projectRoot, hasProject } = machine;
  if (!hasProject || isInside(homeDir, projectRoot, machine)) return;
  if (![holtHome, realPath(holtHome)].some((place) => isInside(place, projectRoot, machine))) return;
  const message = `${holtHome} lies inside the project ${projectRoot}, so holt does not use it as its own folder`;
  throw new HoltError(
    'folder-unsafe',
    message,
    { folder: holtHome, reason: 'in-project' },
    {
      remedy: 'Unset HOLT_HOME, or set it to a folder outside the project.',
    },
  );
}

const digestShape = /^sha256:[0-9a-f]{64}$/;
const maxBytes = 1 << 20;

/**
 * Returns the digests unchanged. Throws `usage-invalid` for an invalid one, so that a typo does not look like
 * a refusal.
 */
export function requireDigests(words: readonly string[]): readonly string[] {
  const wrong = words.find((word) => !digestShape.test(word));
  if (wrong === undefined) return words;
  throw new HoltError(
    'usage-invalid',
    `Invalid digest "${wrong}"`,
    { given: wrong },
    {
      remedy: 'A digest is sha256: and 64 hexadecimal digits; holt trust --list shows them.',
    },
  );
}

export interface FileDigests {
  readonly digests: readonly string[];
  readonly problems: readonly Problem[];
}

/** Reads one digest per line. A file inside the project does not count: a project must not approve itself. */
export function digestsFromFile(machine: Machine, files: Files, identity: Identity | undefined): FileDigests {
  const named = machine.env['HOLT_TRUST_FILE'];
  if (named === undefined || named === '') return { digests: [], problems: [] };
  const path = machine.path.resolve(machine.cwd, named);
  const outcome = files.load(path, maxBytes);
  const reason = refusal(path, outcome, machine, identity);
  if (outcome.kind !== 'file' || reason !== undefined)
    return { digests: [], problems: [ignored(path, reason ?? 'it cannot be read')] };
  const lines = decodeText(outcome.bytes).text.split(/\r?\n/);
  return { digests: lines.map((line) => line.trim()).filter((line) => digestShape.test(line)), problems: [] };
}

function refusal(
  path: string,
  outcome: FileOutcome,
  machine: Machine,
  identity: Identity | undefined,
): string | undefined {
  if (outcome.kind !== 'file') return undefined;
  const places = [path, outcome.realPath];
  if (machine.hasProject && places.some((place) => isInside(place, machine.projectRoot, machine)))
    return 'it lies inside the project';
  return writableByOthers(outcome.facts, identity);
}

function ignored(file: string, reason: string): Problem {
  return {
    severity: 'warning',
    code: 'setting-ignored',
    file,
    line: 1,
    column: 1,
    message: `HOLT_TRUST_FILE does not count: ${reason}`,
    remedy: 'Name a file outside the project that only you can write.',
  };
}
