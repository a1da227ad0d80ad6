/** Converts a server to an agent's format, with the fields in the order a person would write them. */

import {
  switchesOf,
  type EntryReading,
  type EntryWriting,
  type ServerShape,
} from '../../agents/server-shape.ts';
import { spellOwnTimeouts, spellTimeouts } from '../../agents/timeout-fields.ts';
import type { JsonMap, JsonValue } from '../../kernel/json.ts';
import type { RemoteLaunch, StdioLaunch, StringMap, VariableReferences } from '../../kernel/servers.ts';
import { singleVariable, type Translator } from './translate.ts';
import { oneField } from '../../agents/fields.ts';
import { spellOAuth } from '../../agents/oauth-fields.ts';

export interface Wording {
  readonly shape: ServerShape;
  readonly translator: Translator;
}

/**
 * Undefined when the agent does not support the transport. Other fields that it does not support are omitted.
 */
export function spellEntry(name: string, content: EntryReading, wording: Wording): JsonMap | undefined {
  const { shape } = wording;
  const { launch } = content;
  const type = shape.writes?.types[launch.kind];
  if (type === undefined) return undefined;
  const entry: JsonMap = {
    ...(type === null ? {} : { [shape.types?.[0] ?? 'type']: type }),
    ...(launch.kind === 'stdio'
      ? spellStdio(launch, content, wording)
      : spellRemote(launch, content, wording)),
    ...spellOwn(content, shape),
    ...spellLimits(content, shape),
    ...spellTools(content, shape),
    ...(content.enabled ? {} : switchedOff(shape)),
  };
  return shape.writes?.finish?.(entry, content, name) ?? entry;
}

function spellStdio(launch: StdioLaunch, content: EntryReading, { shape, translator }: Wording): JsonMap {
  const key = shape.command ?? 'command';
  const command = translator.text(launch.command, 'command');
  const args = launch.args.map((argument) => translator.text(argument, 'args'));
  const { plain, from } = splitReferences(launch.env, launch.envFrom, { content, shape, field: 'env' });
  const env = {
    ...texts(plain, 'env', translator),
    ...(shape.references ? {} : referenced(from, translator)),
  };
  return {
    ...(shape.commandAs === 'list'
      ? { [key]: [command, ...args] }
      : { [key]: command, ...oneField('args', listed(args)) }),
    ...oneField(shape.env?.[0] ?? 'env', filled(env)),
    ...oneField(shape.references?.env, listed(Object.keys(from))),
    ...spellCwd(launch, { shape, translator }),
    ...(hasOwn(shape, 'inheritEnv') ? oneField('inheritEnv', copy(launch.inheritEnv)) : {}),
  };
}

function spellCwd({ cwd }: StdioLaunch, { shape, translator }: Wording): JsonMap {
  if (cwd === undefined || shape.writes?.noCwd === true) return {};
  return { [shape.cwd?.[0] ?? 'cwd']: translator.text(cwd, 'cwd') };
}

function spellRemote(launch: RemoteLaunch, content: EntryReading, { shape, translator }: Wording): JsonMap {
  const { plain, from } = splitReferences(launch.headers, launch.headersFrom, {
    content,
    shape,
    field: 'headers',
  });
  const headers = {
    ...texts(plain, 'headers', translator),
    ...(shape.references ? {} : referenced(from, translator)),
  };
  return {
    ...oneField(urlKey(shape, launch.kind), translator.text(launch.url, 'url')),
    ...referenceFields(from, shape),
    ...oneField(shape.headers?.[0] ?? 'headers', filled(headers)),
    ...oneField(shape.headersHelper, launch.headersHelper),
    ...spellOAuth(launch.oauth, shape.oauth, (text) => translator.text(text, 'oauth')),
    ...(hasOwn(shape, 'tls') ? oneField('tls', copy(launch.tls)) : {}),
  };
}

function urlKey({ urls = [] }: ServerShape, kind: RemoteLaunch['kind']): string {
  const choice = urls.find(({ untyped }) => untyped === kind) ?? urls.find(({ always }) => always !== true);
  return choice?.key ?? 'url';
}

/** Codex's format: the bearer token by its variable, other headers in a table of variables. */
function referenceFields(from: VariableReferences, { references, bearerEnv }: ServerShape): JsonMap {
  if (references === undefined) return {};
  const entries = Object.entries(from);
  const bearer = entries.find(([header, { prefix }]) => isAuthorization(header) && prefix === bearerPrefix);
  const others = entries.filter((entry) => entry !== bearer);
  const headers = others.map(([header, { variable }]) => [header, variable] as const);
  return {
    ...oneField(bearerEnv, bearer?.[1].variable),
    ...oneField(references.headers, filled(Object.fromEntries(headers))),
  };
}

const bearerPrefix = 'Bearer ';

function isAuthorization(header: string): boolean {
  return header.toLowerCase() === 'authorization';
}

interface Splitting {
  readonly content: EntryReading;
  readonly shape: ServerShape;
  readonly field: 'env' | 'headers';
}

/**
 * For agents that refer to variables in separate fields: strings that are nothing but a variable become
 * references.
 */
function splitReferences(
  values: StringMap,
  references: VariableReferences,
  { content, shape, field: kind }: Splitting,
): { readonly plain: StringMap; readonly from: VariableReferences } {
  if (shape.references === undefined) return { plain: values, from: references };
  const pairs = Object.entries(values).map(
    ([key, text]) => [key, text, singleVariable(text, content.dialect, kind)] as const,
  );
  const lifted = pairs.flatMap(([key, , found]) =>
    found !== undefined && canRefer(kind, key, found) ? [[key, found] as const] : [],
  );
  const names = new Set(lifted.map(([key]) => key));
  return {
    plain: Object.fromEntries(Object.entries(values).filter(([key]) => !names.has(key))),
    from: { ...references, ...Object.fromEntries(lifted) },
  };
}

function canRefer(kind: 'env' | 'headers', key: string, found: VariableReferences[string]): boolean {
  if (kind === 'env') return found.variable === key && found.prefix === '' && found.suffix === '';
  const isBearer = isAuthorization(key) && found.prefix === bearerPrefix;
  return found.suffix === '' && (isBearer || found.prefix === '');
}

type OwnField = NonNullable<EntryWriting['own']>[number];

function hasOwn({ writes }: ServerShape, name: OwnField): boolean {
  return writes?.own?.includes(name) === true;
}

function spellOwn({ auth, startIn }: EntryReading, shape: ServerShape): JsonMap {
  return {
    ...(hasOwn(shape, 'startIn') ? oneField('startIn', startIn) : {}),
    ...(hasOwn(shape, 'auth') ? oneField('auth', copy(auth)) : {}),
  };
}

function spellLimits({ timeouts }: EntryReading, shape: ServerShape): JsonMap {
  return hasOwn(shape, 'timeouts')
    ? spellOwnTimeouts(timeouts)
    : spellTimeouts(timeouts, shape.timeouts ?? []);
}

function spellTools({ tools }: EntryReading, shape: ServerShape): JsonMap {
  if (tools === undefined) return {};
  if (hasOwn(shape, 'tools')) return oneField('tools', copy(tools));
  return {
    ...oneField(shape.include?.[0], copy(tools.include)),
    ...oneField(shape.exclude?.[0], copy(tools.exclude)),
    ...oneField(shape.autoApprove?.[0], copy(tools.autoApprove)),
  };
}

function switchedOff(shape: ServerShape): JsonMap {
  const [first] = switchesOf(shape);
  return first === undefined ? {} : { [first.key]: first.value };
}

function texts(values: StringMap, kind: 'env' | 'headers', translator: Translator): StringMap {
  return Object.fromEntries(Object.entries(values).map(([key, text]) => [key, translator.text(text, kind)]));
}

function referenced(from: VariableReferences, translator: Translator): StringMap {
  return Object.fromEntries(
    Object.entries(from).map(([key, reference]) => [key, translator.reference(reference)]),
  );
}

function filled(map: Readonly<Record<string, JsonValue>>): JsonMap | undefined {
  return Object.keys(map).length === 0 ? undefined : { ...map };
}

function listed(list: readonly string[]): JsonValue | undefined {
  return list.length === 0 ? undefined : [...list];
}

/** Returns a mutable copy: definitions are read-only, entries are not. */
function copy(value: object | string | undefined): JsonMap | JsonValue[] | undefined {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
