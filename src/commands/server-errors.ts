/** Servers that are missing in a list, in one line each: for commands that look at many of them. */

import type { Host, ListedKind } from '../host/host.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { CommandContext } from './command.ts';
import { worstExit } from './status-codes.ts';

export interface OfferErrors {
  readonly errors: Readonly<Record<string, string>>;
  /** The worst of them, where a server was asked for by name; 0 for a look at all. */
  readonly exit: number;
}

/** Those that were asked for and did not come. A server that is switched off is no error unless it was named. */
export function errorsOf(host: Host, kind: ListedKind, named: string | undefined): OfferErrors {
  const errors = host.listErrors(kind, { server: named });
  if (named === undefined) return { errors, exit: 0 };
  const report = host.report()[named];
  const exit = worstExit(report === undefined ? [] : [report]);
  // Connected, and yet its list could not be read.
  return { errors, exit: exit === 0 && Object.keys(errors).length > 0 ? 1 : exit };
}

/** Only then is an empty list worth saying so. */
export function isNothing(errors: OfferErrors['errors']): boolean {
  return Object.keys(errors).length === 0;
}

/** Beside the output: a list is read by programs too. */
export function reportErrors<Errors extends OfferErrors>(
  found: Errors,
  { warn }: Pick<CommandContext, 'warn'>,
): Errors {
  for (const [name, reason] of Object.entries(found.errors)) warn(errorLine(name, reason));
  return found;
}

/** The first line; the rest is what `holt status` shows. */
function errorLine(name: string, reason: string): string {
  const [first = ''] = reason.split('\n', 1);
  return escapeLine(first.startsWith(`${name} `) ? first : `${name}: ${first}`);
}
