/** A definition with all values filled in, ready for a transport. Values that may be secret print as `[secret]`. */

import type { Branded } from '../kernel/type-tools.ts';
import type { OAuthSettings, RemoteLaunch, TlsSettings } from '../kernel/servers.ts';
import type { SecretValue } from '../masking/secret-value.ts';

export interface StdioPlan {
  readonly kind: 'stdio';
  readonly server: string;
  /** Absolute. */
  readonly program: string;
  readonly args: readonly SecretValue[];
  readonly env: Readonly<Record<string, SecretValue>>;
  readonly cwd: string;
}

export interface RemotePlan {
  readonly kind: RemoteLaunch['kind'];
  readonly server: string;
  readonly url: SecretValue;
  /** Sent to this origin and to no other. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, SecretValue>>;
  readonly tls?: TlsSettings;
  /** Left out where the entry says that there is no logging in. */
  readonly login?: LoginPlan;
}

/** An entry's login settings with all values filled in. */
export interface FilledOAuth extends Omit<OAuthSettings, 'clientSecret' | 'privateKey'> {
  readonly clientSecret?: SecretValue;
  readonly privateKey?: SecretValue;
}

/** How this server is logged in to, and under which name the login is kept. */
export interface LoginPlan {
  readonly credentialId: string;
  /** The entry names the login itself. */
  readonly isNamed: boolean;
  readonly oauth: FilledOAuth;
  /** For what a project brought: by this it is remembered that it may use a login of the user's. */
  readonly sharing?: string;
}

/** Transports take nothing less. Only `resolve-launch.ts` makes one. */
export type LaunchPlan = Branded<StdioPlan | RemotePlan, 'plan'>;
