/** Finds secrets that are written into a config file as plain text, and such files that other users can read. Pure. */

import { fieldName, templateTexts, type FieldPath } from '../../dialects/mentions.ts';
import type { SourceSummary } from '../../discovery/discover.ts';
import type { Problem } from '../../kernel/problems.ts';
import type { RemoteLaunch, ServerDefinition } from '../../kernel/servers.ts';
import { shellWord } from '../../kernel/shell-words.ts';
import { looksSecret } from '../../masking/looks-secret.ts';
import { maskUrl } from '../../masking/mask-secrets.ts';
import type { Roster } from '../../roster/load-roster.ts';
import { entryProblem } from './entry-problem.ts';

export function literalSecrets(definition: ServerDefinition): readonly Problem[] {
  const { dialect, launch } = definition;
  const texts = templateTexts(definition).filter(({ field, path, text }) => {
    if (field !== 'args' || launch.kind !== 'stdio') return looksSecret(String(path.at(-1)), text, dialect);
    const previous = launch.args[Number(path[1]) - 1];
    const [name = String(path.at(-1)), value] = nameAndValue(text, previous);
    return looksSecret(name, value, dialect);
  });
  return texts.map(({ path }) =>
    entryProblem(definition, {
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
export function looseFiles(roster: Roster): readonly Problem[] {
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
