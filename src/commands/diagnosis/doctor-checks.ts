/** Checks that find problems before anything is connected. Pure. */

import { fieldName, templateTexts, type FieldPath } from '../../dialects/mentions.ts';
import type { SourceSummary } from '../../discovery/discover.ts';
import type { Machine } from '../../kernel/machine.ts';
import type { Problem, ProblemCode, Severity } from '../../kernel/problems.ts';
import type { RemoteLaunch, ServerDefinition } from '../../kernel/servers.ts';
import { nameWord, shellWord } from '../../kernel/shell-words.ts';
import { looksSecret } from '../../masking/looks-secret.ts';
import { maskUrl } from '../../masking/mask-secrets.ts';
import type { Roster } from '../../roster/load-roster.ts';
import type { Candidate } from '../../roster/rank.ts';
import { unworkable } from '../../roster/validate-server-config.ts';
import { plainProjectField } from '../../trust/start-folder.ts';
import { isAllowed } from '../../trust/trust-state.ts';
import type { LookUpLogin } from '../login/stored-logins.ts';

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

interface Finding {
  readonly severity: Severity;
  readonly code: ProblemCode;
  readonly message: string;
  readonly remedy: string;
}

function at({ name, origin: { file, line, column } }: ServerDefinition, finding: Finding): Problem {
  return { ...finding, file, line, column, server: name };
}

function literalSecrets(definition: ServerDefinition): readonly Problem[] {
  const { dialect, launch } = definition;
  const texts = templateTexts(definition).filter(({ field, path, text }) => {
    if (field !== 'args' || launch.kind !== 'stdio') return looksSecret(String(path.at(-1)), text, dialect);
    const previous = launch.args[Number(path[1]) - 1];
    const [name = String(path.at(-1)), value] = nameAndValue(text, previous);
    return looksSecret(name, value, dialect);
  });
  return texts.map(({ path }) =>
    at(definition, {
      severity: 'warning',
      code: 'secret-literal',
      message: `"${fieldName(path)}" of "${definition.name}" holds a secret as plain text`,
      remedy: secretRemedy(definition, path),
    }),
  );
}

/**
 * The name and value of an argument. In `--password=…` and `API_TOKEN=…` it has its own name, otherwise the
 * preceding flag names it.
 */
function nameAndValue(argument: string, previous: string | undefined): readonly [string | undefined, string] {
  const pair = /^([\w.-]+)=(.*)$/s.exec(argument);
  if (pair !== null) return [pair[1], pair[2] ?? ''];
  return [previous?.startsWith('-') === true ? previous : undefined, argument];
}

/**
 * The remedy for a plain-text secret. A token of holt's own entry can move to the credential store; other
 * agents understand placeholders.
 */
function secretRemedy(definition: ServerDefinition, path: FieldPath): string {
  const { name, origin, launch } = definition;
  const isToken = String(path.at(-1)).toLowerCase() === 'authorization';
  if (origin.agent !== 'holt' || launch.kind === 'stdio' || !isToken)
    return 'Put it into a variable of the environment and write a placeholder instead.';
  // The command would write masked values literally and drop fields that it has no option for.
  if (!isSaidByCommand(definition, launch))
    return 'Move it to the credential store: take it out of the headers, then log in or pass it again with holt add --replace --token, with all else the entry says.';
  const scope = origin.scope === 'user' || origin.scope === 'local' ? ` --scope ${origin.scope}` : '';
  return `Move it to the credential store: holt add ${shellWord(name)} ${shellWord(launch.url)} --replace${scope} --token TOKEN`;
}

/** True if `holt add` with the URL and a token expresses the whole entry. */
function isSaidByCommand({ dialect, timeouts, tools }: ServerDefinition, launch: RemoteLaunch): boolean {
  const { url, headers, headersFrom, headersHelper, oauth, tls } = launch;
  return (
    launch.kind !== 'sse' &&
    maskUrl(url, dialect) === url &&
    Object.keys({ ...headers, ...headersFrom, ...timeouts }).length === 1 &&
    [headersHelper, oauth, tls, tools].every((part) => part === undefined)
  );
}

/** Finds the user's files that contain a secret and that other users can read. */
function looseFiles(roster: Roster): readonly Problem[] {
  const withSecrets = new Set(
    roster.candidates
      .filter(({ definition }) => !definition.guarded && literalSecrets(definition).length > 0)
      .map(({ definition }) => definition.origin.file),
  );
  return roster.sources
    .filter((source) => withSecrets.has(source.file) && isReadableByOthers(source))
    .map(({ file }) => ({
      severity: 'warning',
      code: 'file-mode',
      file,
      line: 1,
      column: 1,
      message: 'others on this machine can read this file, and it holds a secret',
      remedy: 'holt doctor --fix makes it private (mode 0600).',
    }));
}

function isReadableByOthers({ mode, scope }: SourceSummary): boolean {
  return scope !== 'managed' && mode !== undefined && (mode & 0o077) !== 0;
}

function hopeless(definition: ServerDefinition): readonly Problem[] {
  return unworkable(definition).map((reason) =>
    at(definition, {
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
    at(definition, {
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
    at(definition, {
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
            at(definition, {
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
    at(definition, {
      severity: 'warning',
      code: 'trust-missing',
      message: `"${definition.name}" ${waitingFor[trust]} and does not run${changed}`,
      remedy: `Look at it with holt trust ${nameWord(definition.name)}.`,
    }),
  ];
}
