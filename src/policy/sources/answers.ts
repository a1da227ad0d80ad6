/** Answers for good about a project's server. They are kept with its approval, and end with it. */

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

/** The record of an approval that holds for the definition as it is now. */
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

export function rememberedAnswers(servers: readonly PolicyServer[], parts: AnswerParts): Answers {
  const { store } = parts;
  const waiting = servers.filter(({ definition, approved }) => definition.guarded && approved);
  // Where no project brings servers, the file is not even opened.
  const records = waiting.length === 0 ? [] : store.load();
  const allowed = new Map(
    waiting.flatMap(({ definition }) => {
      const tools = approvalOf(definition, records, parts)?.allow ?? [];
      return tools.length === 0 ? [] : [[keyOf(definition), new Set(tools)] as const];
    }),
  );
  return {
    file: store.file,
    allows: (definition, tool) => allowed.size > 0 && allowed.get(keyOf(definition))?.has(tool) === true,
  };
}

/** The same entry, word for word, also when the file was read again meanwhile. */
function keyOf({ name, origin, launch, tools }: ServerDefinition): string {
  return JSON.stringify([name, origin.agent, origin.file, launch, tools?.autoApprove ?? null]);
}
