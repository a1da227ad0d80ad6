/** Warns when a server's list was cut because it is too long, so that output may lack entries. */

import type { Host } from '../../host/host.ts';
import { escapeLine } from '../../masking/escape-text.ts';

export function printListWarnings(host: Pick<Host, 'on'>, warn: (line: string) => void): void {
  const printed = new Set<string>();
  host.on('mcp.warning', ({ code, message }) => {
    // A server may send changed lists again and again.
    if (code !== 'list-cut' || printed.has(message)) return;
    printed.add(message);
    warn(escapeLine(message));
  });
}
