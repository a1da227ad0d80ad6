/** Notes on the approval of one entry: which changed files invalidated it, and what it does not cover. */

import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { changedFiles } from './fingerprint.ts';
import { isAbout, type TrustRecord } from './trust-record.ts';
import type { Approvals, TrustState } from './trust-state.ts';

export interface ApprovalNotes {
  /** Files that changed since the approval. Empty while the approval holds. */
  readonly changed: readonly string[];
  readonly notCovered: readonly string[];
}

export interface ApprovalNotesParts {
  readonly machine: Pick<Machine, 'projectRoot'>;
  readonly approvals: Approvals;
  readonly records: () => readonly TrustRecord[];
}

export function approvalNotes(
  { definition, trust }: { readonly definition: ServerDefinition; readonly trust: TrustState },
  { machine, approvals, records }: ApprovalNotesParts,
): ApprovalNotes {
  if (!definition.guarded) return { changed: [], notCovered: [] };
  const { fields, notCovered = [] } = approvals.fingerprintOf(definition);
  if (trust !== 'changed') return { changed: [], notCovered };
  const approved = records().find(
    (record) => record.verdict === 'approved' && isAbout(record, definition, machine.projectRoot),
  );
  return { changed: approved === undefined ? [] : changedFiles(approved.fields, fields), notCovered };
}
