/** One-line messages about events that happen while the user types. Escapes all foreign text. */

import type { HostEventName, HostEvents } from '../kernel/events.ts';
import type { Status } from '../kernel/status.ts';
import { escapeLine } from '../masking/escape-text.ts';

/** The message for a status that is worth an interruption; undefined for all others. */
export function statusToast(server: string, status: Status): string | undefined {
  const name = escapeLine(server);
  switch (status.status) {
    case 'failed':
    case 'blocked':
      return `${name}: ${firstLine(status.error)}`;
    case 'untrusted':
      return status.reason === 'folder'
        ? `${name} needs a trusted folder: /trust --folder`
        : `${name} is not approved: /trust ${name}`;
    case 'needs_input':
      return `${name} needs ${status.inputs.map(escapeLine).join(', ')}: /mcp test ${name}`;
    // A login has its own message.
    case 'needs_auth':
    case 'needs_client_registration':
    case 'connected':
    case 'disabled':
    case 'connecting':
    case 'idle':
      return undefined;
  }
}

export function mutationToast({ server, tool }: HostEvents['mcp.tool.mutated']): string {
  return `${escapeLine(server)}.${escapeLine(tool)} was changed`;
}

/** For `/events`. */
export function eventLine(name: HostEventName, event: unknown): string {
  return `${name} ${escapeLine(JSON.stringify(event))}`;
}

function firstLine(text: string): string {
  return escapeLine(text.split('\n', 1)[0] ?? '');
}
