/** Finds problems without connecting anything, for `holt doctor`, `holt` and the service. */

import type { Problem, Severity } from '../../kernel/problems.ts';
import type { Roster } from '../../roster/load-roster.ts';
import { approvalNotes } from '../../trust/consent-question.ts';
import type { ProblemContext } from '../command.ts';
import { counted } from '../show/counted.ts';
import { checkServers } from './doctor-checks.ts';
import { instructionProblems } from './instruction-problems.ts';
import { survivorProblems } from './owned-processes.ts';
import { policyProblems } from './policy-problems.ts';
import { shadowProblems } from './shadow-problems.ts';
import { ownFileProblems } from './store-problems.ts';
import { loginLookup } from '../login/stored-logins.ts';

export async function findProblems(roster: Roster, context: ProblemContext): Promise<readonly Problem[]> {
  const { machine, resolveProgram } = context;
  const { credentialStore } = roster.settings.settings;
  const definitions = roster.servers.map(({ definition }) => definition);
  const approvals = context.approvals();
  const records = (): ReturnType<typeof context.trustStore.load> => context.trustStore.load();
  const checks = checkServers(roster, {
    machine,
    resolveProgram,
    loginOf: await loginLookup(context, credentialStore, definitions),
    changedFiles: (candidate) => approvalNotes(candidate, { machine, approvals, records }).changed,
  });
  const found = [
    ...roster.problems,
    ...(await policyProblems(roster, context)),
    ...ownFileProblems(context, roster.problems),
    ...checks,
    ...(await instructionProblems(roster, context)),
    ...shadowProblems(roster),
    ...(await survivorProblems(context)),
  ];
  return [...found, ...onlyLive(context.sharedHost?.problems() ?? [], found)];
}

/** Returns the problems that only a running host knows. It repeats others, partly in more detail. */
function onlyLive(live: readonly Problem[], found: readonly Problem[]): readonly Problem[] {
  const known = new Set(found.map(placeKey));
  return live.filter((problem) => !known.has(placeKey(problem)));
}

function placeKey({ code, file, line, column, server }: Problem): string {
  return JSON.stringify([code, file, line, column, server]);
}

export interface ProblemCounts {
  readonly errors: number;
  readonly warnings: number;
}

export function countProblems(problems: readonly Problem[]): ProblemCounts {
  const count = (severity: Severity): number =>
    problems.filter((problem) => problem.severity === severity).length;
  return { errors: count('error'), warnings: count('warning') };
}

/** Undefined if there are neither errors nor warnings. */
export function countsText({ errors, warnings }: ProblemCounts): string | undefined {
  return errors + warnings === 0 ? undefined : `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
}
