/**
 * Lists what servers offer, and reports servers that are missing in a list, one line each. Also maps a server's status
 * to the exit code of a command that named the server.
 */

import type { ServerReport } from '../../connection/supervisor.ts';
import type { Host, ListedKind } from '../../host/host.ts';
import type { Status } from '../../kernel/phases.ts';
import { escapeLine } from '../../masking/escape-text.ts';
import type { CommandContext, CommandInput } from '../command.ts';
import { withHost } from '../with-host.ts';

/** Lists one kind of offers for `holt prompts` and `holt resources`, of all servers or of the one that is named. */
export async function listOffers<Offers extends object>(
  kind: ListedKind,
  words: CommandInput,
  context: CommandContext,
  list: (host: Host, server: string | undefined) => Promise<Offers>,
): Promise<Offers & OfferErrors> {
  const [server] = (await withoutListWord(words, context)).positionals;
  return withHost(context, async (host, _signal, line) => {
    if (server !== undefined) {
      line.amongServers([server]);
      await host.connect(server, { ifEnabled: true });
    }
    const offers = await list(host, server);
    return { ...offers, ...reportErrors(errorsOf(host, kind, server), context) };
  });
}

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

const codes = {
  connected: 0,
  idle: 0,
  disabled: 1,
  needs_auth: 3,
  needs_client_registration: 3,
  untrusted: 4,
  blocked: 5,
  needs_input: 6,
  failed: 6,
  connecting: 6,
} as const satisfies Record<Status['status'], number>;

/** Returns the highest exit code. A timeout has a code of its own. */
export function worstExit(reports: readonly ServerReport[]): number {
  return Math.max(
    0,
    ...reports.map(({ status, code }) => (code === 'connect-timeout' ? 7 : codes[status.status])),
  );
}

/** Treats `holt tools list` as `holt tools`, unless a server has that name. */
export async function withoutListWord(
  input: CommandInput,
  context: Pick<CommandContext, 'loadRoster'>,
): Promise<CommandInput> {
  const [word = '', ...others] = input.positionals;
  if (others.length > 0 || !['list', 'ls'].includes(word)) return input;
  const { servers, shadowed } = await context.loadRoster();
  const isServer = [...servers, ...shadowed].some(({ ref }) => ref === word);
  return isServer ? input : { ...input, positionals: [] };
}
