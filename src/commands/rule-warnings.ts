/**
 * Rules for tools that could not be read: then more is asked for than somebody meant, and less is denied. Said once beside
 * the output of whatever goes by rules; `holt doctor` says what is wrong with the file. Hooks that failed were to check or
 * change something as well.
 */

import type { Host } from '../host/host.ts';
import { escapeLine } from '../masking/escape-text.ts';

export function tellRuleWarnings(host: Pick<Host, 'on'>, warn: (line: string) => void): void {
  host.on('mcp.warning', ({ code, message }) => {
    if (code === 'rules-unreadable' || code === 'hook-failed') warn(escapeLine(message));
  });
}
