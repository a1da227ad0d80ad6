/** Which login is stored for a server, by a look at the file alone: nothing is mended, asked or refreshed on the way. */

import { serverOf, stateOf, type LoginState } from '../auth/records.ts';
import type { CredentialRecord } from '../kernel/credentials.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { readCredentials } from '../secrets/credential-records.ts';
import type { CommandContext } from './command.ts';

export interface StoredLogin {
  readonly state: LoginState;
  /** In unix seconds. */
  readonly expiresAt?: number;
}

export type LookUpLogin = (definition: ServerDefinition) => StoredLogin | undefined;

/** Undefined for what is never logged in to: programs, and entries that switch it off. */
export function loginLookup({
  machine,
  readText,
  now,
}: Pick<CommandContext, 'machine' | 'readText' | 'now'>): LookUpLogin {
  let stored: readonly (readonly [string, CredentialRecord])[] | undefined;
  const load = (): NonNullable<typeof stored> => {
    const text = readText(machine.path.join(machine.holtHome, 'credentials.json'));
    return text === undefined ? [] : [...readCredentials(text).credentials];
  };
  return ({ name, launch, auth }) => {
    if (launch.kind === 'stdio' || launch.oauth === false) return undefined;
    stored ??= load();
    const isOurs = (id: string): boolean =>
      auth === undefined ? serverOf(id) === name : id === auth.credentialId;
    // Bound to its URL: the login of another server that once had this name is not this one's.
    const found = stored.find(([id, { serverUrl }]) => isOurs(id) && serverUrl === launch.url)?.[1];
    const expiresAt = found?.tokens?.expiresAt;
    return {
      state: stateOf(found, now().getTime()),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
  };
}
