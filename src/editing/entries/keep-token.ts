/**
 * Handles a token that the user passes in: holt stores it in the credential store and refers to it by id; the
 * entries of other agents get it as a header.
 */

import type { EntryReading } from '../../agents/server-shape.ts';
import type { CredentialRecord, CredentialStore } from '../../kernel/credentials.ts';
import { HoltError } from '../../kernel/errors.ts';
import type { FoundTarget } from '../writers.ts';
import { invalidConfig } from './plan-entry.ts';

export interface PlannedCredential {
  readonly id: string;
  readonly record: CredentialRecord;
  /** What is stored under this id now; restored when the entry cannot be written. */
  readonly previous: CredentialRecord | undefined;
}

export interface WithToken {
  readonly content: EntryReading;
  readonly credential?: PlannedCredential;
  readonly warnings: readonly string[];
}

interface TokenRequest {
  readonly name: string;
  readonly token: string;
  readonly target: FoundTarget;
}

export async function addToken(
  content: EntryReading,
  { name, token, target }: TokenRequest,
  credentials: CredentialStore | undefined,
): Promise<WithToken> {
  const { launch } = content;
  if (launch.kind === 'stdio') {
    throw new HoltError('usage-invalid', '--token requires --url (HTTP/SSE transport).', {
      given: '--token',
    });
  }
  if (/[\r\n\0]/.test(token)) throw invalidConfig(['the token holds a line break or a null character']);
  if (target.agent === 'holt' && credentials !== undefined) {
    const credential = await findPlace(name, launch.url, token, credentials);
    return {
      content: { ...content, auth: { type: 'oauth', credentialId: credential.id } },
      credential,
      warnings: [],
    };
  }
  const headers = { ...launch.headers, Authorization: `Bearer ${token}` };
  const warning = `the token is in ${target.file} as plain text: ${target.reader.label} has no store that holt can use`;
  return { content: { ...content, launch: { ...launch, headers } }, warnings: [warning] };
}

/** Finds a credential id. Does not overwrite the login of another server with the same name. */
async function findPlace(
  name: string,
  serverUrl: string,
  token: string,
  credentials: CredentialStore,
): Promise<PlannedCredential> {
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? `mcp:${name}` : `mcp:${name}#${number}`;
    const previous = await credentials.get(id);
    if (previous !== undefined && previous.serverUrl !== serverUrl) continue;
    return { id, record: { serverUrl, tokens: { access: token } }, previous };
  }
}

/** Runs `write` with the token stored. When `write` rejects, restores the previous state of the store. */
export async function withCredential<Result>(
  credential: PlannedCredential | undefined,
  credentials: CredentialStore | undefined,
  write: () => Promise<Result>,
): Promise<Result> {
  if (credential === undefined || credentials === undefined) return write();
  const { id, record, previous } = credential;
  await credentials.set(id, record);
  try {
    return await write();
  } catch (error) {
    await (previous === undefined ? credentials.delete(id) : credentials.set(id, previous)).catch(
      () => undefined,
    );
    throw error;
  }
}
