/** Why a server has nothing to show, in one line each: for commands that look at many of them. */

import type { Host } from '../host/host.ts';
import { nameWord } from '../kernel/shell-words.ts';
import type { Status } from '../kernel/status.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { worstExit } from './status-codes.ts';

export interface OfferErrors {
  readonly errors: Readonly<Record<string, string>>;
  /** The worst of them, where a server was asked for by name; 0 for a look at all. */
  readonly exit: number;
}

/** Those that were asked for and did not come. A server that is switched off is no error unless it was named. */
export function errorsOf(host: Host, named: string | undefined): OfferErrors {
  const reports = Object.entries(host.report()).filter(([name]) => named === undefined || name === named);
  const errors = reports.flatMap(([name, { status, remedy = remedyOf(name, status) }]) => {
    const reason = reasonOf(name, status, named);
    if (reason === undefined) return [];
    // Said in full where it was found out: a login is not always the way out.
    if (status.status === 'needs_auth' && remedy !== undefined) return [[name, remedy] as const];
    return [
      [name, remedy === undefined || reason.includes(remedy) ? reason : `${reason} ${remedy}`] as const,
    ];
  });
  const exit = named === undefined ? 0 : worstExit(reports.map(([, report]) => report));
  return { errors: Object.fromEntries(errors), exit };
}

/** For a server that nobody has tried to start yet. */
function remedyOf(name: string, { status }: Status): string | undefined {
  return status === 'untrusted' ? `Look at it and approve it with holt trust ${nameWord(name)}.` : undefined;
}

function reasonOf(name: string, status: Status, named: string | undefined): string | undefined {
  switch (status.status) {
    case 'connected':
    case 'idle':
      return undefined;
    case 'disabled':
      return named === undefined
        ? undefined
        : `Server "${name}" is disabled. Run holt enable ${nameWord(name)} first.`;
    case 'untrusted':
      return untrustedText(status);
    case 'needs_auth':
      return `It needs a login: holt auth ${nameWord(name)}`;
    case 'needs_input':
      return `It needs ${status.inputs.join(', ')}: run this in a terminal to be asked.`;
    case 'connecting':
      return `It is still connecting (${status.phase}).`;
    case 'failed':
    case 'blocked':
    case 'needs_client_registration':
      return status.error;
  }
}

function untrustedText({ reason }: Extract<Status, { status: 'untrusted' }>): string {
  return reason === 'folder' ? 'It was not started.' : 'It is not approved.';
}

export function errorLines(errors: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(errors).map(([name, reason]) => `${escapeLine(name)}: ${firstLine(reason)}`);
}

/** The rest is what `holt status` shows. */
function firstLine(text: string): string {
  return escapeLine(text.split('\n', 1)[0] ?? '');
}
