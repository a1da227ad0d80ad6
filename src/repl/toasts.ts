/** What happens while somebody types, in one line each. Everything in it that is foreign is made harmless. */

import type { HostEventName, HostEvents } from '../kernel/events.ts';
import type { Status } from '../kernel/status.ts';
import { escapeLine } from '../masking/escape-text.ts';

/** What is worth an interruption; undefined is not. */
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
    // A login has a message of its own.
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
