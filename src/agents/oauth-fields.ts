/** How agents spell what is known about a login: client, scopes, callback. */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { OAuthSettings } from '../kernel/servers.ts';
import { readString, readNumber, type Fields } from './fields.ts';

/** Which key holds which idea. A list means: the first that is there. */
export interface OAuthSpelling {
  /** The object that holds the rest; `false` there switches the login off. */
  readonly key?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** A list of texts, or one text with spaces. */
  readonly scopes?: string;
  /** Scopes that stand beside the object instead of in it. */
  readonly outerScopes?: string;
  readonly callbackPort?: string;
  readonly redirectUri?: string;
  readonly issuer?: string;
  readonly metadataUrl?: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
  readonly deviceAuthorizationEndpoint?: string;
  readonly resource?: string;
}

const texts = [
  'clientId',
  'clientSecret',
  'redirectUri',
  'issuer',
  'metadataUrl',
  'authorizationEndpoint',
  'tokenEndpoint',
  'deviceAuthorizationEndpoint',
  'resource',
] as const;

export function readOAuth(outer: Fields, spelling: OAuthSpelling): false | OAuthSettings | undefined {
  const node = spelling.key === undefined ? outer.node : get(outer.node, spelling.key);
  if (node?.kind === 'boolean') return node.value ? undefined : false;
  const inner = node?.kind === 'object' ? { node, report: outer.report } : undefined;
  const scopes = readScopes(inner?.node, spelling.scopes) ?? readScopes(outer.node, spelling.outerScopes);
  const settings: OAuthSettings = {
    ...(inner === undefined ? {} : readTexts(inner, spelling)),
    ...(scopes === undefined ? {} : { scopes }),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

function readTexts(fields: Fields, spelling: OAuthSpelling): OAuthSettings {
  const found = texts.flatMap((idea) => {
    const key = spelling[idea];
    const value = key === undefined ? undefined : readString(fields, key);
    return value === undefined ? [] : [[idea, value] as const];
  });
  const port = spelling.callbackPort === undefined ? undefined : readNumber(fields, spelling.callbackPort);
  return { ...Object.fromEntries(found), ...(port === undefined ? {} : { callbackPort: port }) };
}

function readScopes(node: ObjectNode | undefined, key: string | undefined): readonly string[] | undefined {
  const value = node === undefined || key === undefined ? undefined : get(node, key);
  if (value?.kind === 'string') return value.value.split(/\s+/).filter((scope) => scope !== '');
  if (value?.kind !== 'array') return undefined;
  return value.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
}
