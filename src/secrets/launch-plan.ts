/** A definition with all values filled in, ready for a transport. Values that may be secret print as `[secret]`. */

import type { Branded } from '../kernel/brand.ts';
import type { RemoteLaunch, TlsSettings } from '../kernel/servers.ts';
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
}

/** Transports take nothing less. Only `resolve-launch.ts` makes one. */
export type LaunchPlan = Branded<StdioPlan | RemotePlan, 'plan'>;
