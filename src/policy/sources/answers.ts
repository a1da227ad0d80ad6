/** Remembered answers about a project's servers. They are stored with the approval and expire with it. */

import type { Machine } from '../../kernel/machine.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import { isAbout, type TrustRecord } from '../../trust/trust-record.ts';
import type { Approvals } from '../../trust/trust-state.ts';
import type { TrustStore } from '../../trust/trust-store.ts';
import type { PolicyServer } from '../policy-rule.ts';

interface AnswerParts {
  readonly machine: Machine;
  readonly approvals: Approvals;
  readonly store: TrustStore;
}

/** Returns the approval record that applies to the definition in its current form. */
export function approvalOf(
  definition: ServerDefinition,
  records: readonly TrustRecord[],
  { machine, approvals }: Pick<AnswerParts, 'machine' | 'approvals'>,
): TrustRecord | undefined {
  const { digest } = approvals.fingerprintOf(definition);
  return records.find(
    (record) =>
      record.verdict === 'approved' &&
      record.digest === digest &&
      isAbout(record, definition, machine.projectRoot),
  );
}

export interface Answers {
  readonly file: string;
  allows(definition: ServerDefinition, tool: string): boolean;
}

/** Only these servers can have remembered answers. */
export function isApprovedInProject({ definition, approved }: PolicyServer): boolean {
  return definition.guarded && approved;
}

/** Loads the remembered answers of all approved project servers. */
export function rememberedAnswers(servers: readonly PolicyServer[], parts: AnswerParts): Answers {
  const { store } = parts;
  const approvedServers = servers.filter(isApprovedInProject);
  // Without servers defined in the project, the file is not opened.
  const records = approvedServers.length === 0 ? [] : store.load();
  const allowed = new Map(
    approvedServers.flatMap(({ definition }) => {
      const tools = approvalOf(definition, records, parts)?.allow ?? [];
      return tools.length === 0 ? [] : [[keyOf(definition), new Set(tools)] as const];
    }),
  );
  return {
    file: store.file,
    allows: (definition, tool) => allowed.size > 0 && allowed.get(keyOf(definition))?.has(tool) === true,
  };
}

/** Identifies an entry by its content, so that it matches after the file is read again. */
function keyOf({ name, origin, launch, tools }: ServerDefinition): string {
  return JSON.stringify([name, origin.agent, origin.file, launch, tools?.autoApprove ?? null]);
}
