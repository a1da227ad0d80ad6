/** Finds problems without connecting anything, for `holt doctor`, `holt` and the service. */

import { createCatalogCacheFile } from '../../catalog/catalog-cache.ts';
import { createPinFile } from '../../catalog/pin-file.ts';
import { createPinReviewer, pinKeyOf } from '../../catalog/pins.ts';
import type { Problem, Severity } from '../../kernel/problems.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import { readIdentity } from '../../platform/machine-facts.ts';
import { loadPolicy } from '../../policy/load-policy.ts';
import { createPolicy } from '../../policy/policy.ts';
import type { Roster } from '../../roster/load-roster.ts';
import type { RankedServers } from '../../roster/rank.ts';
import { contentKey } from '../../roster/same-server.ts';
import { approvalNotes } from '../../trust/consent-question.ts';
import { isAllowed } from '../../trust/trust-state.ts';
import type { ProblemContext } from '../command.ts';
import { loginLookup } from '../login/stored-logins.ts';
import { counted } from '../show/format.ts';
import { checkServers } from './doctor-checks.ts';
import { survivorProblems } from './owned-processes.ts';
import { ownFileProblems } from './store-problems.ts';

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

export async function instructionProblems(
  roster: Roster,
  { machine, editing, now }: Pick<ProblemContext, 'machine' | 'editing' | 'now'>,
): Promise<readonly Problem[]> {
  const cache = createCatalogCacheFile(machine, { files: editing.files, wallNow: () => now().getTime() });
  const book = createPinReviewer({ store: createPinFile(machine, { now }), now });
  const checked = roster.servers
    .filter(({ definition, trust }) => isAllowed(trust) && definition.pinning !== 'off')
    .map(async ({ ref, definition }): Promise<readonly Problem[]> => {
      const seen = cache.load(contentKey(definition))?.instructions;
      if (seen === undefined || !(await book.hasOtherInstructions(pinKeyOf(definition), seen))) return [];
      const { file, line, column } = definition.origin;
      return [
        {
          severity: 'warning',
          code: 'instructions-changed',
          file,
          line,
          column,
          server: ref,
          message: `the instructions of "${ref}" are not what was accepted`,
          remedy: `Read them with holt pin diff ${nameWord(ref)}, then accept them with holt pin accept ${nameWord(ref)}.`,
        },
      ];
    });
  return (await Promise.all(checked)).flat();
}

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

export function shadowProblems({ servers, shadowed }: RankedServers): readonly Problem[] {
  return shadowed.map(({ ref, definition }) => {
    const winner = servers.find(({ definition: { name } }) => name === definition.name);
    const { file, line, column } = definition.origin;
    const by =
      winner === undefined ? '' : ` by ${winner.definition.origin.file}:${winner.definition.origin.line}`;
    return {
      severity: 'info',
      code: 'server-shadowed',
      file,
      line,
      column,
      server: ref,
      message: `"${definition.name}" is hidden${by}`,
      remedy: `It can be reached as ${ref}.`,
    };
  });
}
