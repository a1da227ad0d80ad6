/** Turns a person's decision into a trust record, and adds it to or removes it from the existing records. */

import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { isAbout, type TrustRecord } from './trust-record.ts';
import type { Approvals } from './trust-state.ts';

export interface DecideParts {
  readonly machine: Machine;
  readonly approvals: Approvals;
  readonly now: () => Date;
}

export function decisionRecord(
  definition: ServerDefinition,
  verdict: TrustRecord['verdict'],
  parts: DecideParts,
): TrustRecord {
  const { digest, fields } = parts.approvals.fingerprintOf(definition);
  const { file, agent } = definition.origin;
  return {
    project: parts.machine.projectRoot,
    file,
    agent,
    name: definition.name,
    verdict,
    digest,
    at: parts.now().toISOString(),
    fields,
  };
}

/** Adds the record and removes earlier decisions about the same entry. */
export function withDecision(records: readonly TrustRecord[], record: TrustRecord): readonly TrustRecord[] {
  const others = records.filter(
    ({ project, file, agent, name }) =>
      project !== record.project || file !== record.file || agent !== record.agent || name !== record.name,
  );
  return [...others, record];
}

export function withoutDecision(
  records: readonly TrustRecord[],
  definition: ServerDefinition,
  project: string,
): readonly TrustRecord[] {
  return records.filter((record) => !isAbout(record, definition, project));
}
