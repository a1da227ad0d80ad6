/**
 * Lists that were cut: a server lists more than is read, so something that it has may be missing in the output. Printed
 * beside the output, once for each list.
 */

import type { Host } from '../host/host.ts';
import { escapeLine } from '../masking/escape-text.ts';

export function printListWarnings(host: Pick<Host, 'on'>, warn: (line: string) => void): void {
  const printed = new Set<string>();
  host.on('mcp.warning', ({ code, message }) => {
    // A server may change its lists again and again.
    if (code !== 'list-cut' || printed.has(message)) return;
    printed.add(message);
    warn(escapeLine(message));
  });
}
