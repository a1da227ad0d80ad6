/** Decides where the service may listen, and what its URL is. */

import { HoltError } from '../kernel/errors.ts';
import type { ListenPlace } from '../platform/listeners/http-server.ts';
import { isLoopback } from './gate/origins.ts';

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
