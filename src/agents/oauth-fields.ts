/** Reads and writes login settings: client, scopes, callback. */

import { get, type ObjectNode } from '../documents/tree.ts';
import { oauthTextNames, type OAuthSettings, type OAuthTextField } from '../kernel/servers.ts';
import type { OAuthKeys } from './server-shape.ts';
import { oneField, readNumber, readString, type Fields } from './fields.ts';
import type { JsonMap, JsonValue } from '../kernel/json.ts';

export function readOAuth(outer: Fields, names: OAuthKeys): false | OAuthSettings | undefined {
  const node = names.key === undefined ? outer.node : get(outer.node, names.key);
  if (node?.kind === 'boolean') return node.value ? undefined : false;
  const inner = node?.kind === 'object' ? { node, report: outer.report } : undefined;
  const scopes =
    keysOf('scopes', names)
      .map((key) => readScopes(inner?.node, key))
      .find((list) => list !== undefined) ?? readScopes(outer.node, names.outerScopes);
  const settings: OAuthSettings = {
    ...(inner === undefined ? {} : readTexts(inner, names)),
    ...(scopes === undefined ? {} : { scopes }),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

function readTexts(fields: Fields, names: OAuthKeys): OAuthSettings {
  const found = oauthTextNames.flatMap((field) => {
    const value = keysOf(field, names)
      .map((key) => readString(fields, key))
      .find((text) => text !== undefined);
    return value === undefined ? [] : [[field, value] as const];
  });
  const port = names.callbackPort === undefined ? undefined : readNumber(fields, names.callbackPort);
  return { ...Object.fromEntries(found), ...(port === undefined ? {} : { callbackPort: port }) };
}

function keysOf(field: OAuthTextField | 'scopes', names: OAuthKeys): readonly string[] {
  const first = names[field];
  return first === undefined ? [] : [first, ...(names.also?.[field] ?? [])];
}

function readScopes(node: ObjectNode | undefined, key: string | undefined): readonly string[] | undefined {
  const value = node === undefined || key === undefined ? undefined : get(node, key);
  if (value?.kind === 'string') return value.value.split(/\s+/).filter((scope) => scope !== '');
  if (value?.kind !== 'array') return undefined;
  return value.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
}

export function spellOAuth(
  oauth: false | OAuthSettings | undefined,
  keys: OAuthKeys | undefined,
  translate: (text: string) => string,
): JsonMap {
  if (oauth === undefined || keys === undefined) return {};
  if (oauth === false)
    return keys.writesFalse === true && keys.key !== undefined ? { [keys.key]: false } : {};
  const scopes = spellScopes(oauth.scopes, keys);
  const inner = {
    ...spellTexts(oauth, keys, translate),
    ...oneField(keys.callbackPort, oauth.callbackPort),
    ...oneField(keys.scopes, scopes),
  };
  const outer = oneField(keys.outerScopes, scopes);
  if (keys.key === undefined) return { ...inner, ...outer };
  return { ...(Object.keys(inner).length === 0 ? {} : { [keys.key]: inner }), ...outer };
}

function spellTexts(oauth: OAuthSettings, keys: OAuthKeys, translate: (text: string) => string): JsonMap {
  const fields = oauthTextNames.map((name) => {
    const text = oauth[name];
    return oneField(keys[name], text === undefined ? undefined : translate(text));
  });
  return Object.assign({}, ...fields);
}

function spellScopes(scopes: readonly string[] | undefined, { scopesAs }: OAuthKeys): JsonValue | undefined {
  if (scopes === undefined) return undefined;
  return scopesAs === 'text' ? scopes.join(' ') : [...scopes];
}
