/** Finds rules for tools that cannot be read or have no effect, for `holt doctor`. */

import type { Problem } from '../../kernel/problems.ts';
import { readIdentity } from '../../platform/machine-facts.ts';
import { loadPolicy } from '../../policy/load-policy.ts';
import { createPolicy } from '../../policy/policy.ts';
import type { Roster } from '../../roster/load-roster.ts';
import type { ProblemContext } from '../command.ts';

export async function policyProblems(
  roster: Roster,
  context: Pick<ProblemContext, 'machine' | 'editing' | 'trustStore' | 'approvals'>,
): Promise<readonly Problem[]> {
  const { machine, editing, trustStore } = context;
  const sources = await loadPolicy(roster, {
    machine,
    files: editing.files,
    identity: readIdentity(),
    approvals: context.approvals(),
    store: trustStore,
  });
  return createPolicy(sources).problems;
}
