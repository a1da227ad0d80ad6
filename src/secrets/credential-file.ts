/**
 * Stores logins in `~/.holt/credentials.json`: mode 0600 in a 0700 folder, changed under a lock, written
 * atomically. Not encrypted: the file's permissions protect it.
 */

import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';
import type { Machine } from '../kernel/machine.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import { withFileLock } from '../platform/files/lock.ts';
import { loadPrivateFile } from '../platform/files/private-file.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import { printCredentials, readCredentials, type CredentialMap } from './credential-records.ts';

export interface CredentialFileParts {
  /**
   * Called for problems that were fixed: permissions that were too wide, or a damaged file that was moved
   * aside.
   */
  readonly onWarning?: (text: string) => void;
  readonly now?: () => Date;
}

const maxBytes = 64 << 20;
const lockTimeoutMs = 60_000;

export function createCredentialFile(machine: Machine, parts: CredentialFileParts = {}): CredentialStore {
  const { os, holtHome, path } = machine;
  const file = path.join(holtHome, 'credentials.json');
  const warn = parts.onWarning ?? (() => undefined);
  const now = parts.now ?? (() => new Date());

  const load = async (): Promise<{ readonly credentials: CredentialMap; readonly damaged?: Uint8Array }> => {
    const found = await loadPrivateFile(file, { os, maxBytes });
    if (found.kind === 'missing') return { credentials: new Map() };
    if (found.tightened) warn(`Others could read ${file}; it is private again`);
    const reading = readCredentials(Buffer.from(found.bytes).toString('utf8'));
    return reading.damaged
      ? { credentials: reading.credentials, damaged: found.bytes }
      : { credentials: reading.credentials };
  };

  const locked = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await makeHoltFolder(holtHome, [], { os });
    return withFileLock(file, work, { os, holtHome, timeoutMs: lockTimeoutMs });
  };

  const save = async (credentials: CredentialMap): Promise<void> => {
    await writeFileAtomically(file, Buffer.from(printCredentials(credentials)), {
      os,
      mode: 'private',
      folders: 'private',
    });
  };

  /**
   * Loads under the lock. Saves a damaged file under another name before it writes the readable logins again.
   */
  const loadRepaired = async (): Promise<CredentialMap> => {
    const { credentials, damaged } = await load();
    if (damaged === undefined) return credentials;
    const aside = `${file}.corrupt-${now().toISOString().replaceAll(/[-:.]/g, '')}`;
    await writeFileAtomically(aside, damaged, { os, mode: 'private' });
    await save(credentials);
    warn(`${file} was damaged: ${credentials.size} logins could be read, the file as it was is ${aside}`);
    return credentials;
  };

  /** Reading takes no lock unless the file has to be repaired. */
  const read = async (): Promise<CredentialMap> => {
    const { credentials, damaged } = await load();
    return damaged === undefined ? credentials : locked(loadRepaired);
  };

  const change = (edit: (credentials: Map<string, CredentialRecord>) => void): Promise<void> =>
    locked(async () => {
      const credentials = new Map(await loadRepaired());
      edit(credentials);
      await save(credentials);
    });

  return {
    get: async (id) => (await read()).get(id),
    set: (id, record) => change((credentials) => credentials.set(id, record)),
    delete: (id) => change((credentials) => credentials.delete(id)),
    list: async () => [...(await read())].map(([id, record]) => ({ id, record })),
  };
}
