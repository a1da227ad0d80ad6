/** Formats the results of the login commands, as text and as JSON. The output contains no secrets. */

import type { ServerReport } from '../../connection/supervisor.ts';
import type { LoginInfo, LoginState } from '../../host/host.ts';
import { escapeLine } from '../../masking/escape-text.ts';
import type { Style } from '../../terminal/style.ts';
import { formatTable } from '../../terminal/table.ts';
import { expiryText } from '../show/format.ts';
import { reportJson, statusLines } from '../show/server-status.ts';

export type AuthData =
  | { readonly kind: 'list'; readonly logins: readonly LoginInfo[] }
  | {
      readonly kind: 'status';
      readonly server: string;
      readonly state: LoginState;
      readonly login: LoginInfo | undefined;
    }
  | {
      readonly kind: 'logout';
      readonly server: string;
      readonly removed: boolean;
      readonly revoked: boolean;
      /** The login before it was removed. */
      readonly login: LoginInfo | undefined;
    }
  | { readonly kind: 'unchanged'; readonly server: string }
  | {
      readonly kind: 'login';
      readonly server: string;
      readonly login: LoginInfo | undefined;
      readonly report: ServerReport;
    };

export function authLines(data: AuthData, style: Style): readonly string[] {
  switch (data.kind) {
    case 'list':
      return listLines(data.logins, style);
    case 'status':
      return data.login === undefined
        ? [`${escapeLine(data.server)}  ${stateText[data.state]}`]
        : [`${escapeLine(data.server)}  ${stateText[data.state]}`, ...detailLines(data.login, style)];
    case 'logout':
      return [logoutLine(data)];
    case 'unchanged':
      return ['not replaced'];
    case 'login':
      return [
        ...(data.login?.status !== 'authenticated'
          ? []
          : [`saved credential for ${escapeLine(data.login.id)} to credential store.`]),
        ...(data.report.status.status === 'connected'
          ? []
          : statusLines({ name: data.server, report: data.report }, style)),
      ];
  }
}

const stateText: Readonly<Record<LoginState, string>> = {
  authenticated: 'logged in',
  expired: 'the login has expired',
  not_authenticated: 'not logged in',
};

function listLines(logins: readonly LoginInfo[], { columns }: Style): readonly string[] {
  if (logins.length === 0) return ['No logins are stored. holt auth NAME makes one.'];
  return formatTable(
    [
      ['ID', 'STATUS', 'EXPIRES', 'SCOPES', 'URL', 'STORE'],
      ...logins.map(({ id, status, expiresAt, scopes, url, backend }) => [
        escapeLine(id),
        status,
        expiryText(expiresAt),
        scopes.length === 0 ? '–' : escapeLine(scopes.join(' ')),
        escapeLine(url),
        escapeLine(backend),
      ]),
    ],
    columns,
  );
}

function detailLines(
  { id, url, issuer, expiresAt, scopes, backend }: LoginInfo,
  { columns }: Style,
): readonly string[] {
  return formatTable(
    [
      ['  id', escapeLine(id)],
      ['  url', escapeLine(url)],
      ...(issuer === undefined ? [] : [['  issuer', escapeLine(issuer)]]),
      ['  expires', expiryText(expiresAt)],
      ...(scopes.length === 0 ? [] : [['  scopes', escapeLine(scopes.join(' '))]]),
      ['  store', escapeLine(backend)],
    ],
    columns,
  );
}

function logoutLine({
  server,
  removed,
  revoked,
  login,
}: Extract<AuthData, { readonly kind: 'logout' }>): string {
  if (!removed) return `"${escapeLine(server)}" was not logged in.`;
  const done = `Logged out of "${escapeLine(server)}"`;
  if (revoked) return `${done}, and the provider has revoked it.`;
  if (login?.status === 'expired') return `${done}.`;
  const until = login?.expiresAt === undefined ? 'it expires' : expiryText(login.expiresAt);
  return `${done}. The provider did not revoke the token: it stays valid until ${until}.`;
}

export function authJson(data: AuthData): Readonly<Record<string, unknown>> {
  switch (data.kind) {
    case 'list':
      return { credentials: data.logins.map(loginJson) };
    case 'status':
      return {
        server: data.server,
        status: data.state,
        ...(data.login === undefined ? {} : { credential: loginJson(data.login) }),
      };
    case 'logout':
      return { server: data.server, removed: data.removed, revoked: data.revoked };
    case 'unchanged':
      return { server: data.server, replaced: false };
    case 'login':
      return {
        server: data.server,
        ...(data.login === undefined ? {} : { credential: loginJson(data.login) }),
        ...reportJson(data.server, data.report),
      };
  }
}

/** Copies each field, so that other fields of a store never reach the output. */
function loginJson({ id, server, url, issuer, status, expiresAt, scopes, backend }: LoginInfo): object {
  return { id, server, url, issuer, status, expiresAt, scopes, backend };
}
