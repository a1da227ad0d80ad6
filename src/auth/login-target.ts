/** One server as logging in sees it: where it is, under which name its login is kept, what its entry says about it. */

import type { TlsSettings } from '../kernel/servers.ts';
import type { FilledOAuth, LaunchPlan, RemotePlan } from '../secrets/launch-plan.ts';

export interface LoginTarget {
  /** How it is called in this host. */
  readonly server: string;
  /** As it is written: logins are bound to this text. */
  readonly serverUrl: string;
  /** The same without what does not belong to a place, and with http for WebSockets. */
  readonly url: URL;
  readonly credentialId: string;
  readonly isNamed: boolean;
  readonly oauth: FilledOAuth;
  /** Set for what a project brought: it gets a login of the user's only after a yes. */
  readonly sharing?: string;
  readonly tls?: TlsSettings;
}

/** Undefined where there is nothing to log in to: a program, or an entry that says no. */
export function loginTargetOf(plan: LaunchPlan): LoginTarget | undefined {
  return plan.kind === 'stdio' ? undefined : remoteTarget(plan);
}

export function remoteTarget({ server, url, login, tls }: RemotePlan): LoginTarget | undefined {
  if (login === undefined) return undefined;
  const serverUrl = url.reveal();
  const place = new URL(serverUrl.replace(/^ws/i, 'http'));
  place.hash = '';
  place.username = '';
  place.password = '';
  return { server, serverUrl, url: place, ...login, ...(tls === undefined ? {} : { tls }) };
}

/** A stored login that is used away from its server. */
export function namedTarget(credentialId: string, serverUrl: string): LoginTarget {
  const url = new URL(serverUrl.replace(/^ws/i, 'http'));
  return { server: credentialId, serverUrl, url, credentialId, isNamed: true, oauth: {} };
}

/** For people: an address may carry a key in its query. */
export function shownUrl(serverUrl: string): string {
  const { origin, pathname } = new URL(serverUrl);
  return origin === 'null' ? new URL(serverUrl).href.replace(/\?.*$/, '') : `${origin}${pathname}`;
}

/** What only the user's own entry may say: a project's could weaken the login of whoever opens it. */
export function isUsersOwn({ sharing }: LoginTarget): boolean {
  return sharing === undefined;
}
