/**
 * Prints warnings about logins: one that could not be saved, one that an entry names and that is missing or
 * expired, and an ignored callback. A terminal shows them as toasts; otherwise they go to stderr, for the log
 * of a job.
 */

import type { Host } from '../../host/host.ts';
import { escapeLine } from '../../masking/escape-text.ts';
import type { CommandContext } from '../command.ts';

const codes: ReadonlySet<string> = new Set([
  'login-store',
  'credential-missing',
  'credential-expired',
  'login-callback-ignored',
]);

export function tellLoginWarnings(host: Pick<Host, 'on'>, { warn }: Pick<CommandContext, 'warn'>): void {
  const told = new Set<string>();
  host.on('mcp.warning', ({ code, message }) => {
    // A restarted server causes the same warning again.
    if (!codes.has(code) || told.has(message)) return;
    told.add(message);
    warn(escapeLine(message));
  });
}
