/** What the parts of one host share while `openHost` connects them. */

import type { HookSets } from '../calls/hooks.ts';
import type { Connection } from '../connection/connection.ts';
import type { Supervisor } from '../connection/supervisor.ts';
import type { WakeWatch } from '../connection/wake-watch.ts';
import type { Problem } from '../kernel/problems.ts';
import type { HostPolicy } from './catalog/host-policy.ts';
import type { HostRoster } from './host-roster.ts';
import type { Host, HostOptions, HostServers } from './host.ts';
import type { WiredAuth } from './wire-auth.ts';
import type { PlanServer } from './admission.ts';
import type { HostParts, World } from './world.ts';

export interface HostShared {
  readonly options: HostOptions;
  readonly parts: HostParts;
  readonly world: World;
  readonly roster: HostRoster;
  readonly supervisor: Supervisor;
  readonly wake: WakeWatch;
  readonly servers: HostServers;
  readonly auth: WiredAuth;
  readonly policy: HostPolicy;
  /** Registers a source of problems. It is read each time the caller asks for all problems. */
  readonly addProblems: (problems: () => readonly Problem[]) => void;
  /** Resolves a definition to a launch plan with all values. Asks a person if necessary. */
  readonly plan: PlanServer;
  /** The complete host. Available only once everything is connected. */
  readonly host: () => Host;
  /** Returns the current hooks, from functions and from commands. */
  readonly hooks: () => HookSets;
  /** Aborted as soon as the host starts to close. */
  readonly closing: AbortSignal;
  /** Runs when a running server is restarted with a new definition. `next` has the name of `old`. */
  readonly onReplaced: (then: (old: Connection, next: Connection) => void) => void;
  /** Runs after a reload, once connections match the new definitions. */
  readonly onReloaded: (then: () => Promise<void>) => void;
  /** Runs after the last server is closed. */
  readonly onClose: (close: () => Promise<void>) => void;
}
