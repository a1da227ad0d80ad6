/** Checks that find problems before anything is connected. Pure. */

import type { Machine } from '../../kernel/machine.ts';
import type { Problem } from '../../kernel/problems.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import type { Roster } from '../../roster/load-roster.ts';
import type { Candidate } from '../../roster/rank.ts';
import { unworkable } from '../../roster/validate-server-config.ts';
import { plainProjectField } from '../../trust/start-folder.ts';
import { isAllowed } from '../../trust/trust-state.ts';
import type { LookUpLogin } from '../login/stored-logins.ts';
import { entryProblem } from './entry-problem.ts';
import { literalSecrets, looseFiles } from './literal-secrets.ts';

export interface CheckParts {
  readonly resolveProgram: (command: string, cwd: string) => string | undefined;
  readonly machine: Machine;
  readonly loginOf: LookUpLogin;
  /** The changed files that ended the approval of an entry. */
  readonly changedFiles: (candidate: Candidate) => readonly string[];
}

export function checkServers(roster: Roster, parts: CheckParts): readonly Problem[] {
  const running = roster.servers.filter(({ definition, trust }) => definition.enabled && isAllowed(trust));
  return [
    ...roster.candidates.flatMap(({ definition }) => literalSecrets(definition)),
    ...looseFiles(roster),
    ...running.flatMap(({ definition }) => [
      ...hopeless(definition),
      ...missingProgram(definition, parts),
      ...expiredLogin(definition, parts),
    ]),
    ...hiddenLogins(running, parts),
    ...homeStarts(roster, running, parts),
    ...roster.candidates.flatMap((candidate) => waiting(candidate, parts)),
  ];
}

function hopeless(definition: ServerDefinition): readonly Problem[] {
  return unworkable(definition).map((reason) =>
    entryProblem(definition, {
      severity: 'warning',
      code: 'entry-unsupported',
      message: `"${definition.name}" cannot be connected: ${reason}`,
      remedy:
        'Write the address itself; placeholders may be in its path and query, and in headers that take one line.',
    }),
  );
}

function missingProgram(
  definition: ServerDefinition,
  { resolveProgram, machine: { projectRoot } }: CheckParts,
): readonly Problem[] {
  const { launch } = definition;
  if (launch.kind !== 'stdio' || /[${]/.test(launch.command)) return [];
  if (resolveProgram(launch.command, launch.cwd ?? projectRoot) !== undefined) return [];
  return [
    entryProblem(definition, {
      severity: 'warning',
      code: 'program-missing',
      message: `"${definition.name}" needs the program ${launch.command}, which was not found`,
      remedy: 'Install it, or write its full path.',
    }),
  ];
}

function expiredLogin(definition: ServerDefinition, { loginOf }: CheckParts): readonly Problem[] {
  if (loginOf(definition)?.state !== 'expired') return [];
  return [
    entryProblem(definition, {
      severity: 'warning',
      code: 'login-expired',
      message: `the login of "${definition.name}" has expired`,
      remedy: `Log in again with holt auth ${nameWord(definition.name)}.`,
    }),
  ];
}

/** Reports an unreadable login store once for all servers. */
function hiddenLogins(
  running: readonly Pick<Roster['servers'][number], 'definition'>[],
  { loginOf }: CheckParts,
): readonly Problem[] {
  const hidden = running
    .map(({ definition }) => loginOf(definition))
    .find((login) => login?.state === 'unknown');
  if (hidden === undefined) return [];
  const { reason = '', remedy } = hidden;
  return [
    {
      severity: 'warning',
      code: 'logins-hidden',
      file: '',
      line: 1,
      column: 1,
      message: `the stored logins could not be read: ${reason}`,
      ...(remedy === undefined ? {} : { remedy }),
    },
  ];
}

/**
 * Reports the user's own servers that do not start in this folder: once for all, and separately for each that
 * cannot start at all.
 */
function homeStarts(
  { startOf }: Pick<Roster, 'startOf'>,
  running: readonly Pick<Roster['servers'][number], 'definition'>[],
  { machine }: CheckParts,
): readonly Problem[] {
  const remedy = 'holt trust --folder trusts this folder; your servers then start in it.';
  const atHome = running
    .map(({ definition }) => ({ definition, start: startOf(definition) }))
    .filter(({ start }) => start?.why === 'untrusted')
    .map(({ definition, start }) => ({ definition, field: plainProjectField(definition, start, machine) }));
  const starting = atHome.filter(({ field }) => field === undefined);
  const names = starting.map(({ definition }) => definition.name).join(', ');
  return [
    ...atHome.flatMap(({ definition, field }) =>
      field === undefined
        ? []
        : [
            entryProblem(definition, {
              severity: 'warning',
              code: 'folder-untrusted',
              message: `"${definition.name}" is not started, because this folder is not trusted and its ${field} names a place in the project`,
              remedy: 'Trust this folder with holt trust --folder, or use an absolute path.',
            }),
          ],
    ),
    ...(starting.length === 0
      ? []
      : [
          {
            severity: 'info',
            code: 'folder-untrusted',
            file: '',
            line: 1,
            column: 1,
            message: `these servers start in your home folder, because this folder is not trusted: ${names}`,
            remedy,
          } as const,
        ]),
  ];
}

const waitingFor = { untrusted: 'waits for approval', changed: 'has changed since it was approved' } as const;

function waiting(candidate: Candidate, { changedFiles }: CheckParts): readonly Problem[] {
  const { definition, trust } = candidate;
  if (trust !== 'untrusted' && trust !== 'changed') return [];
  const files = changedFiles(candidate);
  const changed = files.length === 0 ? '' : `; changed: ${files.join(', ')}`;
  return [
    entryProblem(definition, {
      severity: 'warning',
      code: 'trust-missing',
      message: `"${definition.name}" ${waitingFor[trust]} and does not run${changed}`,
      remedy: `Look at it with holt trust ${nameWord(definition.name)}.`,
    }),
  ];
}
