/**
 * The environment of a host that exists before any server is known: the machine, time, files, people to ask.
 */

import type { BackoffOptions } from '../connection/backoff.ts';
import type { Tuning } from '../connection/supervisor.ts';
import type { AppIdentity } from '../auth/app-identity.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Redactor } from '../masking/redactor.ts';
import type { Clock } from '../platform/clock.ts';
import type { Files } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import type { ServerRequests } from '../server-requests/server-requests.ts';
import type { StartQuestions } from '../server-requests/start-questions.ts';
import type { Approvals } from '../trust/trust-state.ts';
import type { TrustStore } from '../trust/trust-store.ts';
import type { EventBus } from './event-bus.ts';
import type { NewLists } from './new-lists.ts';

/** What tests and holt's own commands may replace. */
export interface HostParts {
  readonly clock?: Clock;
  readonly wallNow?: () => number;
  readonly tuning?: Partial<Tuning>;
  readonly backoff?: BackoffOptions;
  readonly livenessMs?: number;
  /** How often to check whether the machine slept, in milliseconds. */
  readonly tickMs?: number;
  /** How long files must be quiet before a burst of changes is read, in milliseconds. */
  readonly quietMs?: number;
  /**
   * Keeps files of long results after the host closes, for a program that exits after printing one result.
   */
  readonly keepsResults?: boolean;
  /** Starts only servers that a waiting caller needs, for a program that exits after one result. */
  readonly startsOnlyNeeded?: boolean;
}

/** The dependencies that all parts of a host share. */
export interface World {
  readonly machine: Machine;
  /** The name, version and URL that servers and people see. */
  readonly app: AppIdentity;
  readonly files: Files;
  /** The owner that files are expected to have. Undefined on systems without file owners. */
  readonly identity: Identity | undefined;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly redactor: Redactor;
  readonly bus: EventBus;
  readonly newLists: NewLists;
  /** Answers requests that servers send. */
  readonly requests: ServerRequests;
  /** Questions to people that hold up the start of a server. */
  readonly startQuestions: StartQuestions;
  readonly store: TrustStore;
  readonly loadApprovals: (files: Files) => Approvals;
  readonly debug: (message: string) => void;
  readonly warn: (message: string) => void;
}
