/** Converts login settings to an agent's format. */

import type { JsonMap, JsonValue } from '../../kernel/json.ts';
import { oauthTexts } from '../../agents/oauth-fields.ts';
import type { OAuthSettings } from '../../kernel/servers.ts';
import type { OAuthWriting } from './spelling.ts';

export function spellOAuth(
  oauth: false | OAuthSettings | undefined,
  writing: OAuthWriting | undefined,
  translate: (text: string) => string,
): JsonMap {
  if (oauth === undefined || writing === undefined) return {};
  if (oauth === false)
    return writing.off === true && writing.key !== undefined ? { [writing.key]: false } : {};
  const scopes = spellScopes(oauth.scopes, writing);
  const inner = {
    ...spellTexts(oauth, writing, translate),
    ...named(writing.callbackPort, oauth.callbackPort),
    ...named(writing.scopes, scopes),
  };
  const outer = named(writing.outerScopes, scopes);
  if (writing.key === undefined) return { ...inner, ...outer };
  return { ...(Object.keys(inner).length === 0 ? {} : { [writing.key]: inner }), ...outer };
}

function spellTexts(
  oauth: OAuthSettings,
  writing: OAuthWriting,
  translate: (text: string) => string,
): JsonMap {
  const texts = oauthTexts.map((idea) => {
    const text = oauth[idea];
    return named(writing[idea], text === undefined ? undefined : translate(text));
  });
  return Object.assign({}, ...texts);
}

function spellScopes(
  scopes: readonly string[] | undefined,
  { scopesAs }: OAuthWriting,
): JsonValue | undefined {
  if (scopes === undefined) return undefined;
  return scopesAs === 'text' ? scopes.join(' ') : [...scopes];
}

function named(key: string | undefined, value: JsonValue | undefined): JsonMap {
  return key === undefined || value === undefined ? {} : { [key]: value };
}
