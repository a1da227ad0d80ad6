/** The dependencies of a connection, and the options for starting it. */

import type { JsonObject } from '../kernel/json.ts';
import type { Emit } from '../kernel/events.ts';
import type { Status } from '../kernel/phases.ts';
import type { LaunchPlan } from '../secrets/launch-plan.ts';
import type { TrustedServer } from '../trust/trust-gate.ts';
import type { BackoffOptions } from './backoff.ts';
import type { ListKind } from './channel.ts';
import type { Limits } from './limits.ts';
import type { ServerEntry } from './server-state.ts';
import type { SharedParts } from './start/attempt.ts';

export interface ConnectionParts extends SharedParts {
  readonly emit: Emit;
  /** The status of this connection changed. */
  readonly onStatus: (status: Status) => void;
  /** A server has new entries in one of its lists. */
  readonly onListChanged: (server: string, kind: ListKind) => void;
  /** Removes secrets from text before it is shown. */
  readonly redact: (text: string) => string;
  /** Checks that the server may run, or throws `trust-required`. Asks a person only with `options.ask`. */
  readonly admit: (entry: ServerEntry, options: AdmitOptions) => Promise<TrustedServer>;
  readonly resolve: (server: TrustedServer) => Promise<LaunchPlan>;
  /** Whether another process may have stored a login for a server that needs one. */
  readonly hasNewLogin: (server: string) => Promise<boolean>;
  /** Answers a request from a server. Rejects with an error that has the JSON-RPC error code. */
  readonly answer: (server: string, asked: ServerRequest) => Promise<JsonObject>;
  /** Called for every notification of a server that is not about one of holt's own requests. */
  readonly onNotification: (server: string, method: string, params: JsonObject) => void;
  readonly limitsOf: (entry: ServerEntry) => Limits;
  /** The key of the server in the `EraMemory`. */
  readonly eraKeyOf: (entry: ServerEntry) => string;
  readonly backoff?: BackoffOptions;
  /** How long a suspect connection may take to answer the liveness check. */
  readonly livenessMs?: number;
  readonly debug: (server: string, message: string) => void;
}

interface ServerRequest {
  readonly method: string;
  readonly params?: JsonObject;
}

export interface AdmitOptions {
  /** Whether a person may be asked to approve the server. */
  readonly ask: boolean;
  /** The caller waits for this particular server. */
  readonly urgent: boolean;
}

export interface ConnectOptions {
  /** Whether a person may be asked. */
  readonly ask?: boolean;
  /** A caller waits for this particular server, so it goes to the front of the queue. */
  readonly urgent?: boolean;
}

export interface StartOptions {
  readonly ask: boolean;
  readonly urgent?: boolean;
  /** True for an automatic restart. */
  readonly again: boolean;
  readonly closing: Promise<void>;
}
