/**
 * Explains in one sentence why a server is missing in a list and what to do. All front ends use these
 * strings.
 */

import type { ServerReport } from '../connection/supervisor.ts';
import { nameWord } from '../kernel/shell-words.ts';
import type { Status } from '../kernel/phases.ts';
import type { ListedKind } from './list-wait.ts';

export interface MissingServer {
  readonly ref: string;
  readonly report: ServerReport;
  /** The message for a list that gave up waiting for this server. */
  readonly overdue: string | undefined;
  /** The caller named this server, so being disabled is an error too. */
  readonly isNamed: boolean;
}

/** Undefined if no entries of the server are missing. */
export function listErrorOf(kind: ListedKind, missing: MissingServer): string | undefined {
  const { ref, report } = missing;
  const { status, remedy = remedyOf(ref, status) } = report;
  const failed = report.failedLists?.[kind];
  if (status.status === 'connected') return failed === undefined ? undefined : failed;
  const reason = reasonOf(missing);
  if (reason === undefined) return undefined;
  // The report's remedy is more precise: a login does not always help.
  if (status.status === 'needs_auth' && remedy !== undefined) return remedy;
  return remedy === undefined || reason.includes(remedy) ? reason : `${reason} ${remedy}`;
}

/** The remedy for a server that has not been started yet. */
function remedyOf(name: string, { status }: Status): string | undefined {
  return status === 'untrusted' ? `Look at it and approve it with holt trust ${nameWord(name)}.` : undefined;
}

function reasonOf({ ref, report: { status }, overdue, isNamed }: MissingServer): string | undefined {
  switch (status.status) {
    case 'connected':
    case 'idle':
      return undefined;
    case 'disabled':
      return isNamed ? disabledText(ref) : undefined;
    case 'untrusted':
      return untrustedText(status);
    case 'needs_auth':
      return `It needs a login: holt auth ${nameWord(ref)}`;
    case 'needs_input':
      return `It needs ${status.inputs.join(', ')}: run this in a terminal to be asked.`;
    case 'connecting':
      return retryText(status, overdue);
    case 'failed':
    case 'blocked':
    case 'needs_client_registration':
      return status.error;
  }
}

function disabledText(server: string): string {
  return `Server "${server}" is disabled. Run holt enable ${nameWord(server)} first.`;
}

function untrustedText({ reason }: Extract<Status, { status: 'untrusted' }>): string {
  return reason === 'folder' ? 'It was not started.' : 'It is not approved.';
}

function retryText(
  { retryAt }: Extract<Status, { status: 'connecting' }>,
  overdue: string | undefined,
): string | undefined {
  return retryAt === undefined ? overdue : `It is tried again at ${retryAt}.`;
}
