/** What a connection is made from, and how it may be asked to start. */

import type { Client } from '@modelcontextprotocol/client';

import type { Tool } from '../kernel/protocol-types.ts';
import type { Emit } from '../kernel/events.ts';
import type { LaunchPlan } from '../secrets/launch-plan.ts';
import type { TrustedServer } from '../trust/trust-gate.ts';
import type { BackoffOptions } from './backoff.ts';
import type { Limits } from './limits.ts';
import type { ServerEntry } from './server-state.ts';
import type { SharedParts } from './start/attempt.ts';

export interface ConnectionParts extends SharedParts {
  readonly emit: Emit;
  /** Takes secrets out of whatever is about to be shown. */
  readonly redact: (text: string) => string;
  /** Lets a definition through or throws `trust-required`; asks a person only where told to. */
  readonly admit: (entry: ServerEntry, options: AdmitOptions) => Promise<TrustedServer>;
  readonly resolve: (server: TrustedServer) => Promise<LaunchPlan>;
  /** Whether a server that needs a login may find one by now, which another process made. */
  readonly hasNewLogin: (server: string) => Promise<boolean>;
  /** `tools` are those that the server offers at the moment. */
  readonly createClient: (server: string, tools: () => readonly Tool[]) => Promise<Client>;
  readonly limitsOf: (entry: ServerEntry) => Limits;
  /** What the memory of a server's protocol goes by. */
  readonly eraKeyOf: (entry: ServerEntry) => string;
  readonly backoff?: BackoffOptions;
  /** How long a connection that may be dead has to prove that it is not. */
  readonly livenessMs?: number;
  readonly debug: (server: string, message: string) => void;
}

export interface AdmitOptions {
  /** Whether a person may be asked to approve the server. */
  readonly ask: boolean;
  /** The caller waits for just this server. */
  readonly urgent: boolean;
}

export interface ConnectOptions {
  /** Whether a person may be asked. */
  readonly ask?: boolean;
  /** Somebody waits for just this server: it goes to the front. */
  readonly urgent?: boolean;
}

export interface StartOptions {
  readonly ask: boolean;
  readonly urgent?: boolean;
  /** A start that nobody asked for by name. */
  readonly again: boolean;
  readonly closing: Promise<void>;
}
