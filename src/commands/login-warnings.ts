/**
 * Warnings about logins: one that could not be saved, one that an entry names and that is not stored or has expired, and a
 * callback that was ignored. A terminal shows them as toasts; without one they are written to stderr, for the log of a job.
 */

import type { Host } from '../host/host.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { CommandContext } from './command.ts';

const codes: ReadonlySet<string> = new Set([
  'login-store',
  'credential-missing',
  'credential-expired',
  'login-callback-ignored',
]);

export function tellLoginWarnings(host: Pick<Host, 'on'>, { warn }: Pick<CommandContext, 'warn'>): void {
  const told = new Set<string>();
  host.on('mcp.warning', ({ code, message }) => {
    // A server that is started again says it again.
    if (!codes.has(code) || told.has(message)) return;
    told.add(message);
    warn(escapeLine(message));
  });
}
