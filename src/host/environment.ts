/** What exists before any server is known and all parts of a host share: the machine, time, files, people to ask. */

import { pathToFileURL } from 'node:url';

import type { BackoffOptions } from '../connection/backoff.ts';
import type { Tuning } from '../connection/supervisor.ts';
import { holtApp, type AppIdentity } from '../auth/app-identity.ts';
import { agentIdOf } from '../kernel/agent-ids.ts';
import type { Machine } from '../kernel/machine.ts';
import { createRedactor, type Redactor } from '../masking/redactor.ts';
import { realClock, type Clock } from '../platform/clock.ts';
import { realFiles, type Files } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import { readIdentity, readMachine } from '../platform/machine-facts.ts';
import { createServerRequests, type ServerRequests } from '../server-requests/server-requests.ts';
import { createStartQuestions, type StartQuestions } from '../server-requests/start-questions.ts';
import { loadAgentTrust } from '../trust/folder-trust.ts';
import { loadApprovals } from '../trust/load-approvals.ts';
import type { Approvals } from '../trust/trust-state.ts';
import { createTrustStore, type TrustStore } from '../trust/trust-store.ts';
import type { EventBus } from '../kernel/events.ts';
import { createEventBus } from './event-bus.ts';
import type { HostOptions } from './host.ts';
import type { SdkClientOf, SdkClientParts } from './sdk-clients.ts';

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
  /** For `host.clients()`. Undefined in a program that cannot import packages, such as the command. */
  readonly sdkClients?: (parts: SdkClientParts) => SdkClientOf;
}

export interface HostEnvironment {
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
  /** Answers requests that servers send. */
  readonly requests: ServerRequests;
  /** Questions to people that hold up the start of a server. */
  readonly startQuestions: StartQuestions;
  readonly store: TrustStore;
  readonly loadApprovals: (files: Files) => Approvals;
  readonly debug: (message: string) => void;
  readonly warn: (message: string) => void;
}

/** A program without a `url` must not inherit holt's, so the fields are not merged. */
function appOf({ app }: HostOptions): AppIdentity {
  if (app === undefined || app === null) return holtApp;
  const { name, version, url } = app;
  return { name, version: version ?? holtApp.version, ...(url === undefined || url === null ? {} : { url }) };
}

export async function createEnvironment(
  options: HostOptions,
  { clock = realClock, wallNow = Date.now }: HostParts,
): Promise<HostEnvironment> {
  const machine = readMachine(options);
  const agentTrusts = await loadAgentTrust(agentIdOf(options.client ?? ''), { machine, files: realFiles });
  const redactor = createRedactor();
  const { logger } = options;
  const warn = (message: string): void => logger?.warn(redactor.redact(message));
  const debug = (message: string): void => logger?.debug(redactor.redact(message));
  const store = options.stores?.trust ?? createTrustStore(machine, realFiles);
  const digests = options.trust?.digests ?? [];
  const bus = createEventBus({
    wallNow,
    onListenerFailed: (name, error) => warn(`a listener to ${name} failed: ${String(error)}`),
  });
  return {
    machine,
    app: appOf(options),
    files: realFiles,
    identity: readIdentity(),
    clock,
    wallNow,
    redactor,
    store,
    warn,
    debug,
    bus,
    requests: createServerRequests({
      interaction: options.interaction ?? {},
      projectRoot: pathToFileURL(machine.projectRoot).href,
      clock,
      emit: bus.emit,
      redact: (value) => redactor.redactValue(value),
      debug,
    }),
    startQuestions: createStartQuestions(),
    loadApprovals: (files) => loadApprovals(machine, files, { digests, store, agentTrusts }),
  };
}
