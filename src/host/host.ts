/** The host: one running holt for one project folder. What users of the library hold in their hands. */

import type { Client } from '@modelcontextprotocol/client';

import type { ServerReport } from '../connection/supervisor.ts';
import type { HostEventName } from '../kernel/events.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { Timeouts } from '../kernel/phases.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Status } from '../kernel/status.ts';
import type { LoadedServer } from '../roster/load-servers.ts';
import type { TrustStore } from '../trust/trust-store.ts';
import type { HostListener } from './event-bus.ts';

/** Where words for developers go. Secrets are taken out before. */
export interface Logger {
  debug(message: string): void;
  warn(message: string): void;
}

/** All optional; nothing global is touched. */
export interface HostOptions {
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Which agents' files are read, in which order. */
  readonly agents?: readonly string[] | undefined;
  /** Servers that no file names, in Claude's or opencode's shape. They win over all that files say. */
  readonly servers?: Readonly<Record<string, unknown>> | undefined;
  readonly timeouts?: Timeouts | undefined;
  /** Follows changes of the files. */
  readonly watch?: boolean | undefined;
  readonly trust?: { readonly digests?: readonly string[] } | undefined;
  /** How to ask a person; what is left out means no. */
  readonly interaction?: Interaction | undefined;
  readonly stores?: { readonly trust?: TrustStore } | undefined;
  readonly logger?: Logger | undefined;
}

/** Names of servers whose definitions are not what they were. */
export interface ServersChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface Host extends AsyncDisposable {
  /** What was found, each name once. */
  definitions(): readonly LoadedServer[];
  /** What was wrong with what was found. */
  problems(): readonly Problem[];
  /** Never waits. */
  status(): Record<string, Status>;
  /** The same in full: phases, protocol, what is offered. Never waits. */
  report(): Record<string, ServerReport>;
  /** Connects every server; settles when all have, and never rejects. */
  connect(): Promise<Record<string, Status>>;
  /** Connects one, asking a person where that is needed. Rejects only for a name that is not known. */
  connect(name: string): Promise<Status>;
  disconnect(name?: string): Promise<void>;
  /** Reads all files again. What did not change keeps running. */
  reload(): Promise<ServersChange>;
  /** The SDK's clients of connected servers, by name. */
  clients(): Record<string, Client>;
  /** Events are told after the fact and never waited for; the answer stops it. */
  on<Name extends HostEventName>(name: Name, listener: HostListener<Name>): () => void;
  off<Name extends HostEventName>(name: Name, listener: HostListener<Name>): void;
  /** Adds a server to the running host, or replaces one that was added. Throws `config-invalid`. */
  add(name: string, config: unknown): Promise<Status>;
  remove(name: string): Promise<void>;
  enable(name: string): Promise<Status>;
  disable(name: string): Promise<Status>;
  /** Closes all servers at once. Never rejects. */
  close(): Promise<void>;
}
