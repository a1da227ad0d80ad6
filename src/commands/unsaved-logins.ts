/**
 * A login that could not be saved is gone when the program ends. At a terminal that is shown where it happens; where there
 * is none it is said beside the output, so that whoever reads the log of a job learns of it.
 */

import type { Host } from '../host/host.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { CommandContext } from './command.ts';

export function tellUnsavedLogins(host: Pick<Host, 'on'>, { warn }: Pick<CommandContext, 'warn'>): void {
  host.on('mcp.warning', ({ code, message }) => {
    if (code === 'login-store') warn(escapeLine(message));
  });
}
