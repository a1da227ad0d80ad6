/**
 * A definition with all placeholders resolved, ready for a transport. Values that may be secret print as
 * `[secret]`.
 */

import type { Branded } from '../kernel/type-tools.ts';
import type { OAuthSettings, RemoteLaunch, TlsSettings } from '../kernel/servers.ts';
import type { SecretValue } from '../masking/redactor.ts';

export interface StdioPlan {
  readonly kind: 'stdio';
  readonly server: string;
  /** An absolute path. */
  readonly program: string;
  readonly args: readonly SecretValue[];
  readonly env: Readonly<Record<string, SecretValue>>;
  readonly cwd: string;
}

export interface RemotePlan {
  readonly kind: RemoteLaunch['kind'];
  readonly server: string;
  readonly url: SecretValue;
  /** The headers are sent to this origin and to no other. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, SecretValue>>;
  readonly tls?: TlsSettings;
  /** Omitted when the entry disables logging in. */
  readonly login?: LoginPlan;
}

/** An entry's login settings with all placeholders resolved. */
export interface FilledOAuth extends Omit<OAuthSettings, 'clientSecret' | 'privateKey'> {
  readonly clientSecret?: SecretValue;
  readonly privateKey?: SecretValue;
}

/** How to log in to this server, and the id under which the login is stored. */
export interface LoginPlan {
  readonly credentialId: string;
  /** True when the entry itself names the login. */
  readonly isNamed: boolean;
  readonly oauth: FilledOAuth;
  /**
   * Set for servers defined in the project: the key under which the permission to use one of the user's
   * logins is stored.
   */
  readonly sharing?: string;
}

/** Transports accept only this type, and only `resolve-launch.ts` creates it. */
export type LaunchPlan = Branded<StdioPlan | RemotePlan, 'plan'>;
