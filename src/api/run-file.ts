/**
 * Writes `~/.holt/run/<port>.json`, in which other programs of the same user find the service and its tokens.
 * The file is removed when the service closes.
 */

import { sha256 } from '../kernel/hash.ts';
import type { Machine } from '../kernel/machine.ts';
import { writeFileAtomically } from '../platform/files/atomic-write.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import { removeFile } from '../platform/files/remove-file.ts';
import type { Tokens } from './gate/tokens.ts';

export interface RunFile {
  readonly file: string;
  remove(): Promise<void>;
}

export interface RunFacts {
  /** The port, or the socket's path. */
  readonly at: number | string;
  readonly url: string;
  readonly tokens: Tokens;
  readonly startedAt: string;
}

export async function writeRunFile(
  { at, url, tokens, startedAt }: RunFacts,
  machine: Machine,
): Promise<RunFile> {
  const { os, holtHome, path } = machine;
  await makeHoltFolder(holtHome, ['run'], { os });
  const name = typeof at === 'number' ? String(at) : `socket-${sha256(at).slice(0, 8)}`;
  const file = path.join(holtHome, 'run', `${name}.json`);
  const document = {
    url,
    ...(typeof at === 'string' ? { socket: at } : { port: at }),
    token: tokens.all.trust,
    // Tokens with fewer rights, for programs that need less.
    tokens: tokens.all,
    startedAt,
  };
  const bytes = Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`);
  await writeFileAtomically(file, bytes, { os, mode: 'private' });
  return {
    file,
    remove: async () => {
      // Remove only our own content: another service may use the same port by now.
      await removeFile(file, { kind: 'bytes', bytes }).catch(() => undefined);
    },
  };
}
