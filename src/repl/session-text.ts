/** What a session prints by itself: its help, and one-line messages about events. Escapes all foreign text. */

import type { HostEventName, HostEvents } from '../kernel/events.ts';
import type { Status } from '../kernel/phases.ts';
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

export const helpLines: readonly string[] = [
  '/mcp                       every server: status, failure, login, tools',
  '                           ↑↓ choose, Enter shows details, Space switches on or off, l logs in',
  '/mcp NAME                  one server: status, failure, login, where it is defined, tools',
  '/mcp add|remove|enable|disable|test|reauth|unauth|reload|logs NAME',
  '/tools [WORDS]             the tools, or those that match WORDS',
  '/call TOOL K=V… or {JSON}  call it; a bare TOOL does the same',
  '/resources  /read SERVER URI  /prompts  /prompt SERVER NAME K=V…',
  '/auth NAME  /trust  /pin  /policy explain TOOL  /status  /doctor',
  '/reload                    read all config files again',
  '/events                    show events as they happen, or stop showing them',
  '_                          the last result; K=_ passes it to a tool',
  '… > FILE                   write the result to a file',
  'Esc                        cancel a question',
  'holt …                     a leading "holt" is accepted: commands can be typed as printed',
  '/quit                      end (Ctrl-D)',
];
