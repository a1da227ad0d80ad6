/** What may run on this machine: decisions kept, digests given for this run, and an administrator's lists. Writes nothing. */

import { decodeText } from '../documents/decode.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files.ts';
import { fingerprint, type Fingerprint } from './fingerprint.ts';
import { loadManagedLists, verdictOfLists } from './managed-lists.ts';
import { isAbout } from './trust-record.ts';
import type { Approvals, TrustState } from './trust-state.ts';
import { createTrustStore, type TrustStore } from './trust-store.ts';

export interface ApprovalOptions {
  /** What `--trust-digest` says: good for this run only. */
  readonly digests?: readonly string[];
  readonly store?: TrustStore;
}

export function loadApprovals(machine: Machine, files: Files, options: ApprovalOptions = {}): Approvals {
  const store = options.store ?? createTrustStore(machine, files);
  const digests = new Set([...(options.digests ?? []), ...digestsFromFile(machine, files)]);
  const lists = loadManagedLists(machine, files);
  const prints = new WeakMap<ServerDefinition, Fingerprint>();
  const fingerprintOf = (definition: ServerDefinition): Fingerprint => {
    const known = prints.get(definition) ?? fingerprint(definition, machine, files);
    prints.set(definition, known);
    return known;
  };
  let records: ReturnType<TrustStore['load']> | undefined;
  const decided = (definition: ServerDefinition): TrustState => {
    const { digest } = fingerprintOf(definition);
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
  };
}

const maxBytes = 1 << 20;

/** `HOLT_TRUST_FILE` has one digest a line. Inside the project it would be the project approving itself. */
function digestsFromFile(machine: Machine, files: Files): readonly string[] {
  const named = machine.env['HOLT_TRUST_FILE'];
  if (named === undefined || named === '') return [];
  const path = machine.path.resolve(machine.cwd, named);
  const outcome = files.load(path, maxBytes);
  if (outcome.kind !== 'file') return [];
  const inside = [path, outcome.realPath].some((place) => {
    const relative = machine.path.relative(machine.projectRoot, place);
    return machine.hasProject && !relative.startsWith('..') && !machine.path.isAbsolute(relative);
  });
  if (inside) return [];
  return decodeText(outcome.bytes)
    .text.split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => /^sha256:[0-9a-f]{64}$/.test(line));
}
