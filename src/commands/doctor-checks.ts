/** What can be seen to go wrong before anything is connected. Pure: facts come in, problems go out. */

import { fieldName, templateTexts, type FieldPath } from '../dialects/mentions.ts';
import type { SourceSummary } from '../discovery/discover.ts';
import type { Problem, ProblemCode, Severity } from '../kernel/problems.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { looksSecret } from '../masking/looks-secret.ts';
import { maskUrl } from '../masking/mask-secrets.ts';
import type { Roster } from '../roster/load-roster.ts';
import { isAllowed } from '../trust/trust-state.ts';
import type { LookUpLogin } from './stored-logins.ts';

export interface CheckParts {
  readonly resolveProgram: (command: string, cwd: string) => string | undefined;
  readonly projectRoot: string;
  readonly loginOf: LookUpLogin;
}

export function checkServers(roster: Roster, parts: CheckParts): readonly Problem[] {
  const running = roster.servers.filter(({ definition, trust }) => definition.enabled && isAllowed(trust));
  return [
    ...roster.candidates.flatMap(({ definition }) => literalSecrets(definition)),
    ...looseFiles(roster),
    ...running.flatMap(({ definition }) => [
      ...missingProgram(definition, parts),
      ...expiredLogin(definition, parts),
    ]),
    ...hiddenLogins(running, parts),
    ...roster.candidates.flatMap(({ definition, trust }) => waiting(definition, trust)),
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
    const previous =
      field === 'args' && launch.kind === 'stdio' ? launch.args[Number(path[1]) - 1] : undefined;
    return looksSecret(String(previous?.startsWith('-') === true ? previous : path.at(-1)), text, dialect);
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

/** A token of holt's own entry can move to the credential store; elsewhere a placeholder is what the agent understands. */
function secretRemedy({ name, origin, launch }: ServerDefinition, path: FieldPath): string {
  const isToken = launch.kind !== 'stdio' && String(path.at(-1)).toLowerCase() === 'authorization';
  if (origin.agent === 'holt' && isToken) {
    const scope = origin.scope === 'user' || origin.scope === 'local' ? ` --scope ${origin.scope}` : '';
    const url = maskUrl(launch.url);
    return `Move it to the credential store: holt add ${name} ${url} --replace${scope} --token TOKEN`;
  }
  return 'Put it into a variable of the environment and write a placeholder instead.';
}

/** A user's file that others on the machine can read and that holds a secret. */
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

function missingProgram(
  definition: ServerDefinition,
  { resolveProgram, projectRoot }: CheckParts,
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
      remedy: `Log in again with holt auth ${definition.name}.`,
    }),
  ];
}

/** Once for all of them: it is the store that cannot be looked at. */
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
      message: `which logins are stored cannot be told: ${reason}`,
      ...(remedy === undefined ? {} : { remedy }),
    },
  ];
}

const waitingFor = { untrusted: 'waits for approval', changed: 'has changed since it was approved' } as const;

function waiting(definition: ServerDefinition, trust: string): readonly Problem[] {
  if (trust !== 'untrusted' && trust !== 'changed') return [];
  return [
    at(definition, {
      severity: 'warning',
      code: 'trust-missing',
      message: `"${definition.name}" ${waitingFor[trust]} and does not run`,
      remedy: `Look at it with holt trust ${definition.name}.`,
    }),
  ];
}
