/** What the parts of one host have in common while they are put together. */

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
  /** More of what is wrong, asked for whenever somebody asks for all of it. */
  readonly addProblems: (problems: () => readonly Problem[]) => void;
  /** From a definition to what it says with all values filled in; asks a person where it must. */
  readonly plan: PlanServer;
  /** All of it; there once everything is put together. */
  readonly host: () => Host;
  /** What hooks of functions and commands there are now. */
  readonly hooks: () => HookSets;
  /** Aborted as soon as somebody closes the host. */
  readonly closing: AbortSignal;
  /** Runs when one that runs is started again by another definition: `next` has the name of `old`. */
  readonly onReplaced: (then: (old: Connection, next: Connection) => void) => void;
  /** Runs when the files were read again and the servers are in step with them. */
  readonly onReloaded: (then: () => Promise<void>) => void;
  /** Runs when the last server is closed. */
  readonly onClose: (close: () => Promise<void>) => void;
}
