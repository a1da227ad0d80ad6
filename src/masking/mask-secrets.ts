/**
 * Masks definitions for display: secrets are recognised by their position and shape and replaced with `***`.
 * Placeholders stay visible, and so does everything that would run, because the user must be able to see a
 * command before approving it.
 */

import {
  oauthTextFields,
  oauthTextNames,
  type DialectId,
  type InputQuestion,
  type Launch,
  type OAuthSettings,
  type RemoteLaunch,
  type ServerDefinition,
  type StringMap,
  type VariableReference,
  type VariableReferences,
} from '../kernel/servers.ts';
import type { Writable } from '../kernel/type-tools.ts';
import { maskArgument, maskConnection, maskText, maskUrl as maskUrlParts } from './shapes/text.ts';
import { isCommandValue, maskValue, withoutScheme } from './shapes/value.ts';
import { isConnectionName, isSecretName } from './shapes/secret-names.ts';

/** Masks the secrets in a URL. Also accepts strings that are not valid URLs. */
export function maskUrl(url: string, dialect: DialectId = 'none'): string {
  return isCommandValue(url, dialect) ? maskText(url) : maskUrlParts(url);
}

/** Keeps the scheme word, as in `Bearer ***`. */
export function maskHeaders(headers: StringMap, dialect: DialectId = 'none'): StringMap {
  return maskRecord(headers, dialect);
}

export function maskEnv(env: StringMap, dialect: DialectId = 'none'): StringMap {
  return maskRecord(env, dialect);
}

export function maskArgs(args: readonly string[], dialect: DialectId = 'none'): string[] {
  return args.map((arg, index) => maskArgument(arg, args[index - 1], dialect));
}

/** Returns a copy for display. It cannot be run, because its secret values are lost. */
export function maskDefinition(definition: ServerDefinition): ServerDefinition {
  const { inputs } = definition;
  return {
    ...definition,
    launch: maskLaunch(definition.launch, definition.dialect),
    ...(inputs && { inputs: inputs.map(maskInput) }),
  };
}

/**
 * Returns the command or URL on one line with secrets masked. The result is not yet escaped for terminals.
 */
export function connectText({ launch, dialect }: ServerDefinition): string {
  if (launch.kind !== 'stdio') return maskUrl(launch.url, dialect);
  return [maskText(launch.command), ...maskArgs(launch.args, dialect)].map(quoteIfNeeded).join(' ');
}

function maskLaunch(launch: Launch, dialect: DialectId): Launch {
  if (launch.kind !== 'stdio') return maskRemote(launch, dialect);
  return {
    ...launch,
    command: maskText(launch.command),
    args: maskArgs(launch.args, dialect),
    env: maskEnv(launch.env, dialect),
    envFrom: maskReferences(launch.envFrom),
  };
}

function maskRemote(launch: RemoteLaunch, dialect: DialectId): RemoteLaunch {
  const { headersHelper, oauth } = launch;
  return {
    ...launch,
    url: maskUrl(launch.url, dialect),
    headers: maskHeaders(launch.headers, dialect),
    headersFrom: maskReferences(launch.headersFrom),
    ...(headersHelper !== undefined && { headersHelper: maskText(headersHelper) }),
    ...(oauth && { oauth: maskOAuth(oauth, dialect) }),
  };
}

function maskOAuth(oauth: OAuthSettings, dialect: DialectId): OAuthSettings {
  const masked: Writable<OAuthSettings> = { ...oauth };
  for (const field of oauthTextNames) {
    const text = oauth[field];
    const kind = oauthTextFields[field];
    if (text === undefined || kind === 'word') continue;
    masked[field] = kind === 'secret' ? maskValue(text, dialect) : maskUrl(text, dialect);
  }
  return masked;
}

function maskRecord(record: StringMap, dialect: DialectId): StringMap {
  return mapValues(record, (value, name) => {
    if (isSecretName(name)) return maskValue(value, dialect);
    return isConnectionName(name) ? maskConnection(value) : maskText(value);
  });
}

/** The prefix of a variable's value is usually a scheme word, but it may be part of a secret. */
function maskReferences(references: VariableReferences): VariableReferences {
  return mapValues(references, (reference: VariableReference, name) => {
    const maskPart = (part: string): string => {
      if (!isSecretName(name)) return maskText(part);
      return withoutScheme(part).trim() === '' ? part : maskValue(part);
    };
    return { ...reference, prefix: maskPart(reference.prefix), suffix: maskPart(reference.suffix) };
  });
}

function maskInput(input: InputQuestion): InputQuestion {
  if (input.fallback === undefined) return input;
  return { ...input, fallback: input.password ? maskValue(input.fallback) : maskText(input.fallback) };
}

/**
 * `fromEntries` defines properties instead of assigning them, so a key such as `__proto__` is an ordinary
 * key.
 */
function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

function quoteIfNeeded(word: string): string {
  return word === '' || /\s/.test(word) ? `"${word.replaceAll('"', String.raw`\"`)}"` : word;
}
