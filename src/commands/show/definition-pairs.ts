/** Formats the fields of a definition for `holt get`, as labels and values. Secrets are already masked. */

import type { ServerDefinitionView } from '../../kernel/definition-view.ts';
import type { Timeouts } from '../../kernel/phases.ts';
import type { ToolFilter } from '../../kernel/servers.ts';

type Pair = readonly [label: string, value: string];

export function definitionPairs(definition: ServerDefinitionView): readonly Pair[] {
  const { command, args, env, inheritEnv, url, headers, timeouts, tools } = definition;
  return [
    ...(command === undefined ? [] : [['command', command] as const]),
    ...(args ?? []).map((argument): Pair => ['argument', argument]),
    ...Object.entries(env ?? {}).map(([key, value]): Pair => ['env', `${key}=${value}`]),
    ...(inheritEnv === undefined ? [] : [['inherits', inheritText(inheritEnv)] as const]),
    ...(url === undefined ? [] : [['url', url] as const]),
    ...Object.entries(headers ?? {}).map(([key, value]): Pair => ['header', `${key}: ${value}`]),
    ...loginPairs(definition),
    ...fieldPairs('tls', definition.tls ?? {}),
    ...timeoutPairs(timeouts),
    ...(tools === undefined ? [] : toolPairs(tools)),
  ];
}

function inheritText(inherited: NonNullable<ServerDefinitionView['inheritEnv']>): string {
  if (inherited === 'all') return 'every variable of your environment';
  if (inherited === 'safe') return 'only variables that hold no secrets';
  return inherited.length === 0 ? 'no variables' : inherited.join(', ');
}

function loginPairs({ auth, oauth }: ServerDefinitionView): readonly Pair[] {
  return [
    ...(auth === undefined ? [] : [['auth', `the stored login "${auth.credentialId}"`] as const]),
    ...(oauth === false ? [['oauth', 'off: holt does not log in here'] as const] : []),
    ...(oauth === false || oauth === undefined ? [] : oauthPairs(oauth)),
  ];
}

/** An empty `oauth` block means that holt may log in. */
function oauthPairs(oauth: object): readonly Pair[] {
  const pairs = fieldPairs('oauth', oauth);
  return pairs.length === 0 ? [['oauth', 'on, with the values that the server announces']] : pairs;
}

/** One pair per field, named as in holt's own files. */
function fieldPairs(label: string, fields: object): readonly Pair[] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [label, `${key}: ${Array.isArray(value) ? value.join(' ') : String(value)}`]);
}

function timeoutPairs({ startMs, idleMs, totalMs, phases = {} }: Timeouts): readonly Pair[] {
  const limits: readonly (readonly [string, number | undefined])[] = [
    ['start', startMs],
    ['call without progress', idleMs],
    ['call', totalMs],
    ...Object.entries(phases),
  ];
  return limits.flatMap(([name, ms]): readonly Pair[] =>
    ms === undefined ? [] : [['timeout', `${name}: ${ms} ms`]],
  );
}

function toolPairs({ include, exclude, autoApprove = [] }: ToolFilter): readonly Pair[] {
  return [
    ...(include === undefined ? [] : [['tools', `only ${listText(include)}`] as const]),
    ...(exclude === undefined ? [] : [['tools', `not ${listText(exclude)}`] as const]),
    ...(autoApprove.length === 0
      ? []
      : [['tools', `called without asking: ${autoApprove.join(', ')}`] as const]),
  ];
}

function listText(names: readonly string[]): string {
  return names.length === 0 ? '(none)' : names.join(', ');
}
