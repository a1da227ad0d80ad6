/** What the session shows about one server: status, failure, login, where it is defined, and tools. */

import type { ToolInfo } from '../catalog/tool-info.ts';
import { remedyFor } from '../commands/show/server-status.ts';
import type { ServerReport } from '../connection/supervisor.ts';
import type { Host, LoginState } from '../host/host.ts';
import type { Origin } from '../kernel/servers.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { escapeBlock, escapeLine } from '../masking/escape-text.ts';
import { formatTable } from '../terminal/table.ts';

export interface ServerDetails {
  readonly name: string;
  readonly report: ServerReport;
  readonly login: LoginState | '–';
  /** True if the server needs a login that the user can give. */
  readonly canLogIn: boolean;
  readonly tools: readonly string[];
  /** Undefined for servers that no file defines. */
  readonly origin: Origin | undefined;
}

/** In alphabetical order, so that rows keep their places while servers restart. */
export async function loadDetails(host: Host): Promise<readonly ServerDetails[]> {
  const tools = await host.tools({ wait: 'cached' });
  const reports = Object.entries(host.report()).toSorted(([left], [right]) => (left < right ? -1 : 1));
  const origins = new Map(host.definitions().map(({ name, origin }) => [name, origin]));
  return Promise.all(
    reports.map(([name, report]) => detailsOf(host, { name, report, tools, origin: origins.get(name) })),
  );
}

async function detailsOf(
  host: Host,
  known: Pick<ServerDetails, 'name' | 'report' | 'origin'> & { readonly tools: readonly ToolInfo[] },
): Promise<ServerDetails> {
  const { name, report, origin } = known;
  const state = host.supportsOAuth(name) ? await host.getAuthStatus(name) : 'not_authenticated';
  const { status } = report.status;
  const asksForLogin = status === 'needs_auth' || (state === 'expired' && status !== 'disabled');
  return {
    name,
    report,
    origin,
    login: state === 'not_authenticated' ? '–' : state,
    canLogIn: asksForLogin && host.supportsOAuth(name),
    tools: known.tools.filter(({ server }) => server === name).map(({ tool }) => tool),
  };
}

/** Undefined if the server needs no login. */
export function loginOffer({ name, login, canLogIn }: ServerDetails): string | undefined {
  if (!canLogIn) return undefined;
  const why = login === 'expired' ? 'the login has expired' : 'a login is required';
  return `${why}: /auth ${escapeLine(nameWord(name))}`;
}

/** More names would push the other servers off the screen. */
const mostTools = 12;

/** The details without the server's name, wrapped to the width. */
export function detailLines(details: ServerDetails, columns: number): readonly string[] {
  const { name, report, login, tools, origin } = details;
  const { status, era, protocol } = report;
  const [error, ...moreOfError] = 'error' in status ? escapeBlock(status.error).split('\n') : [];
  const remedy = remedyFor(name, report);
  const isSaid = remedy === undefined || ('error' in status && status.error.includes(remedy));
  const more = tools.length - mostTools;
  const shown = tools.slice(0, mostTools).map((tool, at) => [at === 0 ? 'tools' : '', escapeLine(tool)]);
  return formatTable(
    [
      ['status', status.status + (protocol === undefined ? '' : `, ${era} ${protocol}`)],
      ...(error === undefined ? [] : [['failure', error], ...moreOfError.map((line) => ['', line])]),
      ...(isSaid ? [] : [['', escapeLine(remedy)]]),
      ['login', loginOffer(details) ?? (login === '–' ? 'none' : login)],
      ...(origin === undefined
        ? []
        : [['defined', `${escapeLine(`${origin.file}:${origin.line}`)} (${origin.agent}, ${origin.scope})`]]),
      ...shown,
      ...(more <= 0 ? [] : [['', `… and ${more} more: /tools ${escapeLine(nameWord(name))}`]]),
      ['more', `/get ${escapeLine(nameWord(name))}   /logs ${escapeLine(nameWord(name))}`],
    ],
    columns,
  );
}
