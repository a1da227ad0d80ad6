/**
 * Prints a warning when rules for tools cannot be read, because more calls are then asked about and fewer
 * denied. `holt doctor` shows what is wrong with the file. Also warns of hooks that failed, because their
 * check or change was skipped.
 */

import type { Host } from '../../host/host.ts';
import { escapeLine } from '../../masking/escape-text.ts';

export function tellRuleWarnings(host: Pick<Host, 'on'>, warn: (line: string) => void): void {
  host.on('mcp.warning', ({ code, message }) => {
    if (code === 'rules-unreadable' || code === 'hook-failed') warn(escapeLine(message));
  });
}
