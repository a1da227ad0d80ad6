/**
 * Warnings about logins: one that could not be saved is gone when the program ends, one that an entry names and that is not
 * there leaves its server without. At a terminal that is shown where it happens; where there is none it is said beside the
 * output, so that whoever reads the log of a job learns of it.
 */

import type { Host } from '../host/host.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { CommandContext } from './command.ts';

const codes: ReadonlySet<string> = new Set(['login-store', 'credential-missing']);

export function tellLoginWarnings(host: Pick<Host, 'on'>, { warn }: Pick<CommandContext, 'warn'>): void {
  const told = new Set<string>();
  host.on('mcp.warning', ({ code, message }) => {
    // A server that is started again says it again.
    if (!codes.has(code) || told.has(message)) return;
    told.add(message);
    warn(escapeLine(message));
  });
}
