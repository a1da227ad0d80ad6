/**
 * Describes a server for the login code: its URL, the id of its stored login, and what its entry configures.
 */

import type { TlsSettings } from '../kernel/servers.ts';
import type { FilledOAuth, LaunchPlan, RemotePlan } from '../secrets/launch-plan.ts';

export interface LoginTarget {
  /** The server's name in this host. */
  readonly server: string;
  /** The URL as configured. Logins are bound to this exact string. */
  readonly serverUrl: string;
  /** The URL without fragment and credentials, and with http(s) in place of ws(s). */
  readonly url: URL;
  readonly credentialId: string;
  readonly isNamed: boolean;
  readonly oauth: FilledOAuth;
  /**
   * Set for servers defined in the project: the user must consent before they may use one of the user's
   * logins.
   */
  readonly sharing?: string;
  readonly tls?: TlsSettings;
}

/**
 * Returns undefined when there is nothing to log in to: the server is a program, or its entry disables
 * logging in.
 */
export function loginTargetOf(plan: LaunchPlan): LoginTarget | undefined {
  return plan.kind === 'stdio' ? undefined : remoteTarget(plan);
}

/** Like `loginTargetOf`, for a remote server. */
export function remoteTarget({ server, url, login, tls }: RemotePlan): LoginTarget | undefined {
  if (login === undefined) return undefined;
  const serverUrl = url.reveal();
  const place = new URL(serverUrl.replace(/^ws/i, 'http'));
  place.hash = '';
  place.username = '';
  place.password = '';
  return { server, serverUrl, url: place, ...login, ...(tls === undefined ? {} : { tls }) };
}

/** Returns the target for a stored login that is used independently of a configured server. */
export function namedTarget(credentialId: string, serverUrl: string): LoginTarget {
  const url = new URL(serverUrl.replace(/^ws/i, 'http'));
  return { server: credentialId, serverUrl, url, credentialId, isNamed: true, oauth: {} };
}

/** Returns the URL without its query for display, because the query may contain a key. */
export function shownUrl(serverUrl: string): string {
  const { origin, pathname } = new URL(serverUrl);
  return origin === 'null' ? new URL(serverUrl).href.replace(/\?.*$/, '') : `${origin}${pathname}`;
}

/**
 * Whether the entry is the user's own. Some options are ignored for a project's entry, which could weaken the
 * login of anyone who opens the project.
 */
export function isUsersOwn({ sharing }: LoginTarget): boolean {
  return sharing === undefined;
}
