/** Converts a server to an agent's format, with the fields in the order a person would write them. */

import type { JsonMap, JsonValue } from '../../kernel/json.ts';
import type { EntryReading } from '../../agents/agent-format.ts';
import type { RemoteLaunch, StdioLaunch, StringMap, VariableReferences } from '../../kernel/servers.ts';
import { singleVariable, type Translator } from '../entries/translate.ts';
import { spellOAuth } from './spell-oauth.ts';
import { spellTimeouts } from './spell-timeouts.ts';
import type { CommonWord, Spelling } from './spelling.ts';

export interface Wording {
  readonly spelling: Spelling;
  readonly translator: Translator;
}

/**
 * Undefined when the agent does not support the transport. Other fields that it does not support are omitted.
 */
export function spellEntry(name: string, content: EntryReading, wording: Wording): JsonMap | undefined {
  const { spelling } = wording;
  const { launch } = content;
  const type = spelling.types[launch.kind];
  if (type === undefined) return undefined;
  const entry: JsonMap = {
    ...(type === null ? {} : { [spelling.typeKey ?? 'type']: type }),
    ...(launch.kind === 'stdio'
      ? spellStdio(launch, content, wording)
      : spellRemote(launch, content, wording)),
    ...spellOwn(content, spelling),
    ...spellTimeouts(content.timeouts, spelling),
    ...spellTools(content, spelling),
    ...(content.enabled ? {} : switchedOff(spelling)),
  };
  return spelling.finish?.(entry, content, name) ?? entry;
}

function spellStdio(launch: StdioLaunch, content: EntryReading, { spelling, translator }: Wording): JsonMap {
  const word = wordsOf(spelling);
  const command = translator.text(launch.command, 'command');
  const args = launch.args.map((argument) => translator.text(argument, 'args'));
  const { plain, from } = splitReferences(launch.env, launch.envFrom, { content, spelling, field: 'env' });
  const env = {
    ...texts(plain, 'env', translator),
    ...(spelling.references ? {} : referenced(from, translator)),
  };
  const cwd = launch.cwd === undefined ? undefined : translator.text(launch.cwd, 'cwd');
  return {
    ...(spelling.command === 'list'
      ? field(word('command'), [command, ...args])
      : { ...field(word('command'), command), ...field(word('args'), args.length === 0 ? undefined : args) }),
    ...field(word('env'), filled(env)),
    ...(spelling.references === true ? field('env_vars', listed(Object.keys(from))) : {}),
    ...field(word('cwd'), cwd),
    ...(spelling.own?.includes('inheritEnv') === true ? field('inheritEnv', copy(launch.inheritEnv)) : {}),
  };
}

function spellRemote(
  launch: RemoteLaunch,
  content: EntryReading,
  { spelling, translator }: Wording,
): JsonMap {
  const word = wordsOf(spelling);
  const { plain, from } = splitReferences(launch.headers, launch.headersFrom, {
    content,
    spelling,
    field: 'headers',
  });
  const headers = {
    ...texts(plain, 'headers', translator),
    ...(spelling.references ? {} : referenced(from, translator)),
  };
  return {
    ...field(spelling.urls?.[launch.kind] ?? word('url'), translator.text(launch.url, 'url')),
    ...(spelling.references === true ? referenceFields(from) : {}),
    ...field(word('headers'), filled(headers)),
    ...field(spelling.headersHelper, launch.headersHelper),
    ...spellOAuth(launch.oauth, spelling.oauth, (text) => translator.text(text, 'oauth')),
    ...(spelling.own?.includes('tls') === true ? field('tls', copy(launch.tls)) : {}),
  };
}

/** Codex's format: the bearer token by its variable, other headers in a table of variables. */
function referenceFields(from: VariableReferences): JsonMap {
  const entries = Object.entries(from);
  const bearer = entries.find(([header, { prefix }]) => isAuthorization(header) && prefix === bearerPrefix);
  const others = entries.filter((entry) => entry !== bearer);
  const headers = others.map(([header, { variable }]) => [header, variable] as const);
  return {
    ...field('bearer_token_env_var', bearer?.[1].variable),
    ...field('env_http_headers', filled(Object.fromEntries(headers))),
  };
}

const bearerPrefix = 'Bearer ';

function isAuthorization(header: string): boolean {
  return header.toLowerCase() === 'authorization';
}

interface Splitting {
  readonly content: EntryReading;
  readonly spelling: Spelling;
  readonly field: 'env' | 'headers';
}

/**
 * For agents that refer to variables in separate fields: strings that are nothing but a variable become
 * references.
 */
function splitReferences(
  values: StringMap,
  references: VariableReferences,
  { content, spelling, field: kind }: Splitting,
): { readonly plain: StringMap; readonly from: VariableReferences } {
  if (spelling.references !== true) return { plain: values, from: references };
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

function spellOwn({ auth, startIn }: EntryReading, { own = [] }: Spelling): JsonMap {
  return {
    ...(own.includes('startIn') ? field('startIn', startIn) : {}),
    ...(own.includes('auth') ? field('auth', copy(auth)) : {}),
  };
}

function spellTools({ tools }: EntryReading, spelling: Spelling): JsonMap {
  if (tools === undefined) return {};
  if (spelling.own?.includes('tools') === true) return field('tools', copy(tools));
  return {
    ...field(spelling.include, copy(tools.include)),
    ...field(spelling.exclude, copy(tools.exclude)),
    ...field(spelling.autoApprove, copy(tools.autoApprove)),
  };
}

function switchedOff({ off = [] }: Spelling): JsonMap {
  const [first] = off;
  return first === undefined ? {} : { [first.key]: first.value };
}

function wordsOf({ words = {} }: Spelling): (word: CommonWord) => string | undefined {
  return (word) => (words[word] === null ? undefined : (words[word] ?? word));
}

function texts(values: StringMap, kind: 'env' | 'headers', translator: Translator): StringMap {
  return Object.fromEntries(Object.entries(values).map(([key, text]) => [key, translator.text(text, kind)]));
}

function referenced(from: VariableReferences, translator: Translator): StringMap {
  return Object.fromEntries(
    Object.entries(from).map(([key, reference]) => [key, translator.reference(reference)]),
  );
}

function field(key: string | undefined, value: JsonValue | undefined): JsonMap {
  return key === undefined || value === undefined ? {} : { [key]: value };
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
