/**
 * Decides where the service may listen and what its URL is, and writes `~/.holt/run/<port>.json`, in which other programs
 * of the same user find the service and its tokens.
 */

import { HoltError } from '../kernel/errors.ts';
import { sha256 } from '../kernel/hash.ts';
import type { Machine } from '../kernel/machine.ts';
import { removeFile, writeFileAtomically } from '../platform/files/atomic-write.ts';
import { makeHoltFolder } from '../platform/files/private-folder.ts';
import type { ListenPlace } from '../platform/listeners/http-server.ts';
import { isLoopback } from './access/origins.ts';
import type { Tokens } from './access/tokens.ts';

/**
 * Throws `usage-invalid` for a malformed token, and for an address that others can reach unless the user
 * chose a token. Remote clients cannot read the file with the generated token, so the user has to give them
 * one.
 */
export function requireSafePlace(at: ListenPlace, token: string | undefined): void {
  if (token !== undefined && !/^[\x21-\x7e]{16,512}$/.test(token)) {
    throw new HoltError(
      'usage-invalid',
      'The token must be 16 to 512 characters without spaces',
      { given: '' },
      { remedy: 'Make one, for example with: openssl rand -hex 32' },
    );
  }
  if (at.kind === 'socket' || isLoopback(at.host) || token !== undefined) return;
  throw new HoltError(
    'usage-invalid',
    `Serving at ${at.host} needs a token that you choose: others can reach that address`,
    { given: at.host },
    { remedy: 'Give one with --token-file FILE or --token-env NAME, or leave --host out.' },
  );
}

export function urlOf(at: ListenPlace, port: number): string {
  if (at.kind === 'socket') return 'http://localhost';
  const name = at.host === '0.0.0.0' ? '127.0.0.1' : at.host === '::' ? '::1' : at.host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

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

/** The file is removed when the service closes. */
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
