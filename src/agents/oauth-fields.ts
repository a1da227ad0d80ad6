/** How agents spell the details of a login: client, scopes, callback. */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { OAuthSettings } from '../kernel/servers.ts';
import { readString, readNumber, type Fields } from './fields.ts';

/** The key for each detail. */
export interface OAuthSpelling {
  /** The object that contains the other keys; `false` in its place disables the login. */
  readonly key?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** A list of strings, or one string with spaces. */
  readonly scopes?: string;
  /** Scopes beside the object instead of inside it. */
  readonly outerScopes?: string;
  readonly callbackPort?: string;
  readonly redirectUri?: string;
  readonly issuer?: string;
  readonly metadataUrl?: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
  readonly deviceAuthorizationEndpoint?: string;
  readonly resource?: string;
  readonly clientMetadataUrl?: string;
  readonly grant?: string;
  readonly privateKey?: string;
  readonly signingAlgorithm?: string;
  readonly tokenEndpointAuthMethod?: string;
  readonly pkce?: string;
  /** Other keys for the same details, used if the first is missing. */
  readonly also?: { readonly [Idea in OAuthText | 'scopes']?: readonly string[] };
}

type OAuthText = (typeof oauthTexts)[number];

/** Details that are one string each. */
export const oauthTexts = [
  'clientId',
  'clientSecret',
  'redirectUri',
  'issuer',
  'metadataUrl',
  'authorizationEndpoint',
  'tokenEndpoint',
  'deviceAuthorizationEndpoint',
  'resource',
  'clientMetadataUrl',
  'grant',
  'privateKey',
  'signingAlgorithm',
  'tokenEndpointAuthMethod',
  'pkce',
] as const;

export function readOAuth(outer: Fields, spelling: OAuthSpelling): false | OAuthSettings | undefined {
  const node = spelling.key === undefined ? outer.node : get(outer.node, spelling.key);
  if (node?.kind === 'boolean') return node.value ? undefined : false;
  const inner = node?.kind === 'object' ? { node, report: outer.report } : undefined;
  const scopes =
    keysOf('scopes', spelling)
      .map((key) => readScopes(inner?.node, key))
      .find((list) => list !== undefined) ?? readScopes(outer.node, spelling.outerScopes);
  const settings: OAuthSettings = {
    ...(inner === undefined ? {} : readTexts(inner, spelling)),
    ...(scopes === undefined ? {} : { scopes }),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

function readTexts(fields: Fields, spelling: OAuthSpelling): OAuthSettings {
  const found = oauthTexts.flatMap((idea) => {
    const value = keysOf(idea, spelling)
      .map((key) => readString(fields, key))
      .find((text) => text !== undefined);
    return value === undefined ? [] : [[idea, value] as const];
  });
  const port = spelling.callbackPort === undefined ? undefined : readNumber(fields, spelling.callbackPort);
  return { ...Object.fromEntries(found), ...(port === undefined ? {} : { callbackPort: port }) };
}

function keysOf(idea: OAuthText | 'scopes', spelling: OAuthSpelling): readonly string[] {
  const first = spelling[idea];
  return first === undefined ? [] : [first, ...(spelling.also?.[idea] ?? [])];
}

function readScopes(node: ObjectNode | undefined, key: string | undefined): readonly string[] | undefined {
  const value = node === undefined || key === undefined ? undefined : get(node, key);
  if (value?.kind === 'string') return value.value.split(/\s+/).filter((scope) => scope !== '');
  if (value?.kind !== 'array') return undefined;
  return value.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
}
