/** What the parts of a host stand on: the machine, time, files, and who may be asked. */

import type { BackoffOptions } from '../connection/backoff.ts';
import type { Tuning } from '../connection/supervisor.ts';
import type { AppIdentity } from '../auth/app-identity.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Redactor } from '../masking/redactor.ts';
import type { Clock } from '../platform/clock.ts';
import type { Files } from '../platform/files.ts';
import type { Identity } from '../platform/load-config-file.ts';
import type { ServerRequests } from '../server-requests/server-requests.ts';
import type { StartQuestions } from '../server-requests/start-questions.ts';
import type { Approvals } from '../trust/trust-state.ts';
import type { TrustStore } from '../trust/trust-store.ts';
import type { EventBus } from './event-bus.ts';
import type { NewLists } from './new-lists.ts';

/** What tests and holt's own commands may exchange. */
export interface HostParts {
  readonly clock?: Clock;
  readonly wallNow?: () => number;
  readonly tuning?: Partial<Tuning>;
  readonly backoff?: BackoffOptions;
  readonly livenessMs?: number;
  /** How often it is looked whether the machine slept. */
  readonly tickMs?: number;
  /** How long files must be quiet before a burst of changes is read. */
  readonly quietMs?: number;
  /** Long results stay in files for a while after the host is closed: for a program that ends with its one answer. */
  readonly keepsResults?: boolean;
  /** Nothing is started but for an answer that somebody waits for: for a program that ends with it. */
  readonly startsOnlyNeeded?: boolean;
}

/** What is there before any server is known. */
export interface World {
  readonly machine: Machine;
  /** What servers and people are told that they deal with. */
  readonly app: AppIdentity;
  readonly files: Files;
  /** Whose files are ours; undefined where files have no owners. */
  readonly identity: Identity | undefined;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly redactor: Redactor;
  readonly bus: EventBus;
  readonly newLists: NewLists;
  /** What servers ask of us. */
  readonly requests: ServerRequests;
  /** What people are asked before a server can start. */
  readonly startQuestions: StartQuestions;
  readonly store: TrustStore;
  readonly loadApprovals: (files: Files) => Approvals;
  readonly debug: (message: string) => void;
  readonly warn: (message: string) => void;
}
