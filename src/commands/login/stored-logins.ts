/**
 * Looks up the stored login of a server in the store that the settings name. Repairs, asks and refreshes
 * nothing. In a session the running host is asked instead.
 */

import { shownUrl } from '../../auth/login-target.ts';
import { endOf, serverOf, stateOf, type LoginState } from '../../auth/login-records.ts';
import type { Host } from '../../host/host.ts';
import type { CredentialRecord } from '../../kernel/credentials.ts';
import { HoltError } from '../../kernel/errors.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import { readCredentials } from '../../secrets/credential-records.ts';
import { openCredentialStore, type StoreKind } from '../../secrets/credential-stores.ts';
import type { CommandContext } from '../command.ts';

export interface StoredLogin {
  /** `unknown` if the store cannot be read; `reason` says why. */
  readonly state: LoginState | 'unknown';
  /** In Unix seconds. */
  readonly expiresAt?: number;
  readonly reason?: string;
  readonly remedy?: string;
}

export type LookUpLogin = (definition: ServerDefinition) => StoredLogin | undefined;

export interface LookUpContext extends Pick<CommandContext, 'machine' | 'readText' | 'now'> {
  readonly sharedHost?: Pick<Host, 'logins'> | undefined;
}

/** One stored login with the URL of its server. */
interface Entry extends StoredLogin {
  readonly id: string;
  readonly url: string;
}

interface Found {
  readonly entries: readonly Entry[];
  readonly urlOf: (url: string) => string;
}

/**
 * Reads the store if one of these definitions needs it. The returned function gives undefined for servers
 * that never log in.
 */
export async function loginLookup(
  context: LookUpContext,
  kind: StoreKind,
  definitions: readonly ServerDefinition[],
  openStore: typeof openCredentialStore = openCredentialStore,
): Promise<LookUpLogin> {
  const isNeeded = definitions.some((definition) => loginUrl(definition) !== undefined);
  const found = isNeeded ? await look(context, kind, openStore) : { entries: [], urlOf: String };
  return (definition) => {
    const url = loginUrl(definition);
    if (url === undefined) return undefined;
    if ('state' in found) return found;
    const { name, auth } = definition;
    const isOurs = (id: string): boolean =>
      auth === undefined ? serverOf(id) === name : id === auth.credentialId;
    // Compare the URL, because another server may have had this name before.
    const own = found.entries.find((entry) => isOurs(entry.id) && entry.url === found.urlOf(url));
    if (own === undefined) return { state: 'not_authenticated' };
    return { state: own.state, ...(own.expiresAt === undefined ? {} : { expiresAt: own.expiresAt }) };
  };
}

/** The URL to log in to. Undefined for programs, and if the definition disables logins. */
function loginUrl({ launch }: ServerDefinition): string | undefined {
  return launch.kind === 'stdio' || launch.oauth === false ? undefined : launch.url;
}

async function look(
  context: LookUpContext,
  kind: StoreKind,
  openStore: typeof openCredentialStore,
): Promise<Found | StoredLogin> {
  const { sharedHost, machine, now } = context;
  try {
    if (sharedHost !== undefined) {
      const logins = await sharedHost.logins();
      return {
        entries: logins.map(({ status, ...login }) => ({ ...login, state: status })),
        urlOf: plainUrl,
      };
    }
    const nowMs = now().getTime();
    const records =
      kind === 'file' ? readFile(context) : await openStore(kind, machine, () => undefined).list();
    return { entries: records.map(({ id, record }) => entryOf(id, record, nowMs)), urlOf: String };
  } catch (error) {
    if (!HoltError.is(error)) throw error;
    const { message: reason, remedy } = error;
    return { state: 'unknown', reason, ...(remedy === undefined ? {} : { remedy }) };
  }
}

/** Reads the file directly, because opening it as a store might repair it. */
function readFile({ machine, readText }: LookUpContext): readonly {
  readonly id: string;
  readonly record: CredentialRecord;
}[] {
  const text = readText(machine.path.join(machine.holtHome, 'credentials.json'));
  if (text === undefined) return [];
  return [...readCredentials(text).credentials].map(([id, record]) => ({ id, record }));
}

function entryOf(id: string, record: CredentialRecord, nowMs: number): Entry {
  const expiresAt = endOf(record, nowMs);
  const state = stateOf(record, nowMs);
  return { id, url: record.serverUrl, state, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

/** The URL in the form that a host reports. */
function plainUrl(url: string): string {
  return URL.canParse(url) ? shownUrl(url) : url;
}
