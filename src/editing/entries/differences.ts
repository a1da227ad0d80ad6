/** Finds what is lost of a server when the agent that its entry was written for reads the entry back. */

import type { EntryReading } from '../../agents/server-shape.ts';
import type { FieldKind } from '../../dialects/template.ts';
import { startLimitOf, startPhases, type Timeouts } from '../../kernel/phases.ts';
import type { RemoteLaunch, StdioLaunch, StringMap, VariableReferences } from '../../kernel/servers.ts';
import { meaningOf, type Translator } from './translate.ts';

/** A field's intended value and the value that was read, each in a comparable form. */
type Pair = readonly [field: string, wanted: string | undefined, got: string | undefined];

export interface Comparison {
  readonly wanted: EntryReading;
  readonly got: EntryReading;
  /** Knows the meaning of the strings in `wanted`. */
  readonly translator: Translator;
  /** The folder of the file that `got` is read from. */
  readonly folder: string;
}

/** Returns the fields that are missing or read differently. What the agent adds by itself is not a loss. */
export function findLosses(comparison: Comparison): readonly string[] {
  const { wanted, got } = comparison;
  const pairs: readonly Pair[] = [
    ['transport', wanted.launch.kind, got.launch.kind],
    ...launchPairs(comparison),
    ['enabled', String(wanted.enabled), String(got.enabled)],
    ...timeoutPairs(wanted.timeouts, got.timeouts),
    ...plainPairs('tools', wanted.tools, got.tools),
    ['auth', wanted.auth?.credentialId, got.auth?.credentialId],
    ['startIn', wanted.startIn, got.startIn],
    ...(wanted.inputs ?? []).map(({ id }): Pair => [
      `inputs.${id}`,
      id,
      got.inputs?.find((input) => input.id === id)?.id,
    ]),
  ];
  return pairs.flatMap(([field, before, after]) => {
    if (before === undefined || before === after) return [];
    return [
      after === undefined || field === 'enabled' ? field : `${field} (${changeText(field, before, after)})`,
    ];
  });
}

function changeText(field: string, before: string, after: string): string {
  if (field.startsWith('timeouts.')) return `${before} ms becomes ${after} ms`;
  if (field === 'transport') return `${before} reads as ${after} there`;
  const isPlain = before.includes('["variable"') && !after.includes('["variable"');
  return isPlain ? 'the placeholder is plain text there' : 'reads differently there';
}

function launchPairs({ wanted, got, translator, folder }: Comparison): readonly Pair[] {
  const before = {
    launch: wanted.launch,
    meaning: (text: string, field: FieldKind) => translator.meaning(text, field),
  };
  const after = {
    launch: got.launch,
    meaning: (text: string, field: FieldKind) => translator.written(text, field, folder),
  };
  const found = Object.entries(comparable(after)).map(([field, value]) => [sameName(field), value] as const);
  const fields = new Map(found);
  return Object.entries(comparable(before)).map(([field, value]) => [
    field,
    value,
    fields.get(sameName(field)),
  ]);
}

/** Header names are case-insensitive. */
function sameName(field: string): string {
  return field.startsWith('headers.') ? field.toLowerCase() : field;
}

interface Side {
  readonly launch: EntryReading['launch'];
  readonly meaning: (text: string, field: FieldKind) => string;
}

/** Returns every field of a launch by its path, as a string that represents its meaning. */
function comparable({ launch, meaning }: Side): Readonly<Record<string, string>> {
  const { kind } = launch;
  return kind === 'stdio' ? comparableStdio(launch, meaning) : comparableRemote(launch, meaning);
}

function comparableStdio(launch: StdioLaunch, meaning: Side['meaning']): Readonly<Record<string, string>> {
  const { command, args, env, envFrom, cwd, inheritEnv } = launch;
  return {
    command: meaning(command, 'command'),
    ...(args.length === 0 ? {} : { args: args.map((argument) => meaning(argument, 'args')).join('\n') }),
    ...valueFields('env', env, envFrom, meaning),
    ...(cwd === undefined ? {} : { cwd: meaning(cwd, 'cwd') }),
    ...(inheritEnv === undefined ? {} : { inheritEnv: JSON.stringify(inheritEnv) }),
  };
}

function comparableRemote(launch: RemoteLaunch, meaning: Side['meaning']): Readonly<Record<string, string>> {
  const { url, headers, headersFrom, headersHelper, oauth, tls } = launch;
  const settings = Object.entries(oauth === false ? { off: 'true' } : (oauth ?? {})).map(
    ([key, value]: [string, unknown]) =>
      [
        key === 'off' ? 'oauth' : `oauth.${key}`,
        typeof value === 'string' ? meaning(value, 'oauth') : JSON.stringify(value),
      ] as const,
  );
  return {
    url: meaning(url, 'url'),
    ...valueFields('headers', headers, headersFrom, meaning),
    ...(headersHelper === undefined ? {} : { headersHelper }),
    ...Object.fromEntries(settings),
    ...(tls === undefined ? {} : { tls: JSON.stringify(tls) }),
  };
}

function valueFields(
  field: 'env' | 'headers',
  values: StringMap,
  references: VariableReferences,
  meaning: Side['meaning'],
): Readonly<Record<string, string>> {
  const fromVariables = Object.entries(references).map(
    ([key, { variable, prefix, suffix }]) =>
      [
        `${field}.${key}`,
        meaningOf(`${prefix}\${${variable}}${suffix}`, 'claude', field, { folder: '' }),
      ] as const,
  );
  const plain = Object.entries(values).map(
    ([key, text]) => [`${field}.${key}`, meaning(text, field)] as const,
  );
  return Object.fromEntries([...plain, ...fromVariables]);
}

function timeoutPairs(wanted: Timeouts, got: Timeouts): readonly Pair[] {
  const start = startLimitOf(wanted);
  const limits = (['idleMs', 'totalMs'] as const).map((key): Pair => [
    `timeouts.${key}`,
    asText(wanted[key]),
    asText(got[key]),
  ]);
  // One limit for the whole start means nearly the same as that limit for each of its phases.
  const isUniform = start !== undefined && wanted.startMs === undefined;
  const own = Object.entries(wanted.phases ?? {}).filter(
    ([phase]) => !(isUniform && startPhases.some((name) => name === phase)),
  );
  const phases = own.map(([phase, ms]): Pair => [
    `timeouts.phases.${phase}`,
    asText(ms),
    asText({ ...got.phases }[phase]),
  ]);
  return [['timeouts.startMs', asText(start), asText(startLimitOf(got))], ...limits, ...phases];
}

function plainPairs(label: string, wanted: object | undefined, got: object | undefined): readonly Pair[] {
  const after: Readonly<Record<string, unknown>> = { ...got };
  return Object.entries(wanted ?? {}).map(([key, value]: [string, unknown]) => {
    const found = after[key];
    return [
      `${label}.${key}`,
      JSON.stringify(value),
      found === undefined ? undefined : JSON.stringify(found),
    ];
  });
}

function asText(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
