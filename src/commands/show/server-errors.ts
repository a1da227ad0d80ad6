/** Reports servers that are missing in a list, one line each, for commands that list many servers. */

import type { Host, ListedKind } from '../../host/host.ts';
import { escapeLine } from '../../masking/escape-text.ts';
import type { CommandContext } from '../command.ts';
import { worstExit } from './status-codes.ts';

export interface OfferErrors {
  readonly errors: Readonly<Record<string, string>>;
  /** The exit code: the highest one if the caller named a server, 0 for a list of all. */
  readonly exit: number;
}

/** Collects the servers that are missing. A disabled server is an error only if the caller named it. */
export function errorsOf(host: Host, kind: ListedKind, named: string | undefined): OfferErrors {
  const errors = host.listErrors(kind, { server: named });
  if (named === undefined) return { errors, exit: 0 };
  const report = host.report()[named];
  const exit = worstExit(report === undefined ? [] : [report]);
  // The server is connected, but its list could not be read.
  return { errors, exit: exit === 0 && Object.keys(errors).length > 0 ? 1 : exit };
}

/** If there are no errors, an empty list gets a line that says so. */
export function isNothing(errors: OfferErrors['errors']): boolean {
  return Object.keys(errors).length === 0;
}

/** Writes errors to stderr, because programs read the list on stdout. */
export function reportErrors<Errors extends OfferErrors>(
  found: Errors,
  { warn }: Pick<CommandContext, 'warn'>,
): Errors {
  for (const [name, reason] of Object.entries(found.errors)) warn(errorLine(name, reason));
  return found;
}

/** Keeps the first line; `holt status` shows the rest. */
function errorLine(name: string, reason: string): string {
  const [first = ''] = reason.split('\n', 1);
  return escapeLine(first.startsWith(`${name} `) ? first : `${name}: ${first}`);
}
