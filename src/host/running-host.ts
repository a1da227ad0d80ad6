/**
 * The servers of a running host: keeps connections in step with their definitions and reports on all of them.
 */

import type { Connection } from '../connection/connection.ts';
import { unusable } from '../connection/server-state.ts';
import type { ServerEntry, ServerReport, Supervisor } from '../connection/supervisor.ts';
import { HoltError } from '../kernel/errors.ts';
import type { EventBus } from '../kernel/events.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Status } from '../kernel/phases.ts';
import { isAllowed } from '../trust/trust-state.ts';
import { loadedServers, type LoadedServer } from '../roster/load-servers.ts';
import type { ServerConfig } from '../roster/server-config.ts';
import { requireServerConfig } from '../roster/validate-server-config.ts';
import { entryOf, type HostRoster } from './host-roster.ts';
import type { ChangeOptions, HostServers, ServersChange } from './host.ts';
import { diffEntries, isNothing } from './reload.ts';
import type { Saver } from './save-changes.ts';
import type { SdkClientOf } from './sdk-clients.ts';

export interface RunningHostParts {
  readonly roster: HostRoster;
  readonly supervisor: Supervisor;
  /** Undefined in a program that cannot import packages. */
  readonly sdkClientOf: SdkClientOf | undefined;
  readonly bus: EventBus;
  readonly saver: Saver;
  readonly debug: (message: string) => void;
  /** Aborted as soon as the host starts to close. */
  readonly closing: AbortController;
  /** Whether the program can ask a person about trust. */
  readonly mayAsk: boolean;
  /** How long files must be quiet before they are read again. Undefined if they are not watched. */
  readonly watchQuietMs: number | undefined;
  /** Problems from other sources than the servers' files: rules, and what servers offer. */
  readonly moreProblems: () => readonly Problem[];
  /** Runs after the files were read again. Never rejects. */
  readonly onLoaded: () => Promise<void>;
  /** Runs when a running server is restarted with a new definition. `next` has the name of `old`. */
  readonly onReplaced: (old: Connection, next: Connection) => void;
  /** Runs after a reload, once connections match the new definitions. Never rejects. */
  readonly onReloaded: () => Promise<void>;
  /** Runs after the last server is closed. */
  readonly onClose: () => Promise<void>;
}

interface Applied {
  readonly names: ServersChange;
  /** Settles when all stopped servers have closed. */
  readonly gone: Promise<unknown>;
  readonly starting: Promise<Status | undefined> | undefined;
}

/** Implements the `HostServers` part of a host. */
export class RunningHost implements Omit<HostServers, 'on' | 'off'> {
  readonly #parts: RunningHostParts;
  readonly #watch: { close(): void } | undefined;
  /** The queue of changes: they run one at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Set by `connect()` without a name: servers that are added later are connected too. */
  #isEager = false;
  /** Disabled servers that `connect` started, each with the override to restore when it is disconnected. */
  readonly #connectedAnyway = new Map<string, boolean | undefined>();
  #closing: Promise<void> | undefined;

  constructor(parts: RunningHostParts) {
    this.#parts = parts;
    const { roster, watchQuietMs, debug } = parts;
    if (watchQuietMs === undefined) return;
    this.#watch = roster.watch(watchQuietMs, () => {
      this.reload().catch((error: unknown) => debug(`reading the files again failed: ${String(error)}`));
    });
  }

  definitions(): readonly LoadedServer[] {
    return loadedServers(this.#parts.roster.current).servers;
  }

  problems(): readonly Problem[] {
    return [...loadedServers(this.#parts.roster.current).problems, ...this.#parts.moreProblems()];
  }

  status(): Record<string, Status> {
    return this.#each((connection) => connection.status());
  }

  report(): Record<string, ServerReport> {
    return this.#each((connection) => connection.report());
  }

  async clients<Client = unknown>(): Promise<Record<string, Client>> {
    const { supervisor, sdkClientOf } = this.#parts;
    if (sdkClientOf === undefined)
      throw new HoltError('usage-invalid', 'This program has no SDK clients.', { given: 'clients' });
    const all = [...supervisor.connections].map(async ([ref, { session }]) => {
      if (session === undefined) return [];
      try {
        return [[ref, (await sdkClientOf(ref, session)) as Client] as const]; // the caller names the SDK's type
      } catch (error) {
        // A server that disconnected meanwhile has no client.
        if (session.channel.isClosed) return [];
        throw error;
      }
    });
    return Object.fromEntries((await Promise.all(all)).flat());
  }

  connect(): Promise<Record<string, Status>>;
  connect(name: string, options?: { readonly ifEnabled?: boolean | undefined }): Promise<Status>;
  async connect(
    name?: string,
    { ifEnabled }: { readonly ifEnabled?: boolean | undefined } = {},
  ): Promise<Record<string, Status> | Status> {
    if (name !== undefined) return this.#connectOne(name, ifEnabled === true);
    if (!this.#parts.closing.signal.aborted) {
      this.#isEager = true;
      await this.#parts.supervisor.connectAll();
    }
    return this.status();
  }

  async disconnect(name?: string): Promise<void> {
    const { supervisor } = this.#parts;
    if (name !== undefined) {
      const connection = this.#connectionOf(name);
      await connection.disconnect();
      return this.#switchBack([connection.entry.ref]);
    }
    this.#isEager = false;
    await supervisor.disconnectAll();
    await this.#switchBack([...this.#connectedAnyway.keys()]);
  }

  async reload(): Promise<ServersChange> {
    const { names, gone } = await this.#inTurn(() => this.#apply());
    await gone;
    return names;
  }

  async add(name: string, config: ServerConfig, { save }: ChangeOptions = {}): Promise<Status> {
    requireServerConfig(config, name);
    if (save !== undefined) await this.#parts.saver.added(name, config, save);
    const { gone, starting } = await this.#inTurn(() => {
      this.#parts.roster.add(name, config);
      return this.#apply(name);
    });
    const [status] = await Promise.all([starting, gone]);
    return status ?? { status: 'idle' };
  }

  async remove(name: string, { save }: ChangeOptions = {}): Promise<void> {
    const { roster, saver } = this.#parts;
    const { ref, definition } = await this.#findFor(name, save);
    if (save !== undefined) await saver.removed(definition, save);
    const { gone } = await this.#inTurn(async () => {
      this.#connectedAnyway.delete(ref);
      if (save === undefined) roster.remove(ref, { inFiles: saver.hasSaved(ref) });
      else await this.#removeSaved(ref);
      return this.#apply();
    });
    await gone;
  }

  enable(name: string, options?: ChangeOptions): Promise<Status> {
    return this.#switch(name, 'on', options);
  }

  disable(name: string, options?: ChangeOptions): Promise<Status> {
    return this.#switch(name, 'off', options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  #each<Value>(read: (connection: Connection) => Value): Record<string, Value> {
    const all = [...this.#parts.supervisor.connections].map(
      ([ref, connection]) => [ref, read(connection)] as const,
    );
    return Object.fromEntries(all);
  }

  async #connectOne(name: string, ifEnabled: boolean): Promise<Status> {
    this.#requireOpen();
    const given = this.#connectionOf(name).entry;
    if (!given.definition.enabled && !ifEnabled) await this.#switchOnForNow(given.ref);
    const connection = this.#connectionOf(name);
    const { ref, trust: before } = connection.entry;
    const { supervisor, mayAsk } = this.#parts;
    const status = (await supervisor.connect(ref, { ask: mayAsk })) ?? connection.status();
    // The server was just approved. That may change which definition wins the name, so read the files again.
    if (status.status === 'connected' && !isAllowed(before)) {
      connection.update({ ...connection.entry, trust: 'approved' });
      await this.reload();
    }
    return status;
  }

  async #switchOnForNow(ref: string): Promise<void> {
    await this.#change(ref, (roster) => {
      const before = roster.turn(ref, true);
      if (!this.#connectedAnyway.has(ref)) this.#connectedAnyway.set(ref, before);
    });
  }

  async #switchBack(refs: readonly string[]): Promise<void> {
    const due = refs.filter((ref) => this.#connectedAnyway.has(ref));
    if (due.length === 0) return;
    const { gone } = await this.#inTurn(() => {
      for (const ref of due) this.#parts.roster.turn(ref, this.#connectedAnyway.get(ref));
      for (const ref of due) this.#connectedAnyway.delete(ref);
      return this.#apply();
    });
    await gone;
  }

  /** Also finds shadowed servers, which have no connection until a caller names them. */
  #connectionOf(name: string): Connection {
    const { supervisor, roster } = this.#parts;
    return supervisor.connections.get(name) ?? supervisor.add(roster.find(name));
  }

  async #switch(name: string, state: 'on' | 'off', { save }: ChangeOptions = {}): Promise<Status> {
    const { ref, definition } = await this.#findFor(name, save);
    if (save !== undefined) await this.#parts.saver.switched(definition, state, save);
    return this.#change(ref, (roster) => {
      this.#connectedAnyway.delete(ref);
      roster.turn(ref, state === 'on');
    });
  }

  /** Reads the files first if the change is saved, because another process may have edited them. */
  async #findFor(name: string, save: ChangeOptions['save']): Promise<ServerEntry> {
    const { roster } = this.#parts;
    if (save !== undefined) await this.#inTurn(() => roster.load());
    return roster.find(name);
  }

  /**
   * Hides the definitions that remain under this name. If none remain, an entry that is added to a file later
   * is visible again.
   */
  async #removeSaved(ref: string): Promise<void> {
    const { roster } = this.#parts;
    if (roster.isAdded(ref)) return roster.remove(ref);
    const { servers, shadowed } = await roster.load();
    if ([...servers, ...shadowed].some((entry) => entry.ref === ref)) roster.remove(ref);
  }

  async #change(ref: string, edit: (roster: HostRoster) => void): Promise<Status> {
    const { gone } = await this.#inTurn(() => {
      edit(this.#parts.roster);
      return this.#apply();
    });
    await gone;
    return this.#parts.supervisor.connections.get(ref)?.status() ?? { status: 'idle' };
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const next = this.#turn.then(() => {
      this.#requireOpen();
      return work();
    });
    this.#turn = next.catch(() => undefined);
    return next;
  }

  /**
   * Reads the definitions again and updates the connections. A server that is slow to stop does not delay
   * other changes. `start` is connected in the same step as its new definition, so that a later `disconnect`
   * cancels this start.
   */
  async #apply(start?: string): Promise<Applied> {
    const { roster, supervisor, bus, mayAsk } = this.#parts;
    const before = [...supervisor.connections.values()].map(({ entry }) => entry);
    await roster.load();
    await this.#parts.onLoaded();
    const change = diffEntries(before, [...roster.entries(), ...this.#shadowedInUse(before)]);
    for (const entry of [...change.adjusted, ...change.moved])
      supervisor.connections.get(entry.ref)?.update(entry);
    const gone = Promise.all([
      ...change.removed.map((ref) => supervisor.remove(ref, goneError(ref, undefined))),
      ...change.restarted.map((entry) => this.#replace(entry)),
    ]);
    for (const { ref } of change.added.map((entry) => supervisor.add(entry).entry))
      if (this.#isEager) void supervisor.connect(ref, { urgent: false });
    const starting = start === undefined ? undefined : supervisor.connect(start, { ask: mayAsk });
    const names = {
      added: change.added.map(({ ref }) => ref),
      removed: change.removed,
      changed: [...change.restarted, ...change.adjusted].map(({ ref }) => ref),
    };
    await this.#parts.onReloaded();
    if (!isNothing(change)) bus.emit('mcp.config.changed', names);
    return { names, gone, starting };
  }

  /** Settles when the old connection has closed. Calls made in the meantime wait for the new one. */
  #replace(entry: ServerEntry): Promise<void> {
    const { supervisor, onReplaced } = this.#parts;
    const old = supervisor.connections.get(entry.ref);
    const isWanted = this.#isWanted(old);
    const gone = supervisor.replace(entry, goneError(entry.ref, entry));
    const next = supervisor.connections.get(entry.ref);
    if (old === undefined || next === undefined || !isWanted) return gone;
    onReplaced(old, next);
    void next.connect({ urgent: false });
    return gone;
  }

  /**
   * True for a server that was running. After `connect()` without a name also for one that could not run
   * before, but never for one that was disconnected.
   */
  #isWanted(connection: Connection | undefined): boolean {
    if (connection === undefined) return false;
    return connection.isWanted || (this.#isEager && connection.status().status !== 'idle');
  }

  /** Returns the current entries of shadowed servers that already have a connection. */
  #shadowedInUse(before: readonly ServerEntry[]): readonly ServerEntry[] {
    const { roster } = this.#parts;
    const winners = new Set(roster.entries().map(({ ref }) => ref));
    const asked = new Set(before.map(({ ref }) => ref));
    return roster.current.shadowed
      .filter(({ ref }) => asked.has(ref) && !winners.has(ref))
      .map((entry) => entryOf(entry, roster.current));
  }

  async #shut(): Promise<void> {
    const { supervisor, bus, closing, onClose, debug } = this.#parts;
    closing.abort(new Error('the host is closed'));
    this.#watch?.close();
    await supervisor.close(hostClosed());
    await onClose().catch((error: unknown) => debug(`closing failed: ${String(error)}`));
    bus.close();
  }

  #requireOpen(): void {
    if (this.#parts.closing.signal.aborted) throw hostClosed();
  }
}

/** The error for calls that waited for a server that was removed, replaced or disabled. */
function goneError(server: string, next: ServerEntry | undefined): HoltError {
  if (next?.definition.enabled === false) return unusable(next, { status: 'disabled' }, undefined);
  const reason = 'its entry was changed or removed';
  return new HoltError('connection-lost', `Server "${server}" is gone: ${reason}`, { server, reason });
}

/** The error for every use of a host that is closed. */
export function hostClosed(): HoltError<'host-closed'> {
  return new HoltError('host-closed', 'The host is closed', { reason: 'close() was called' });
}
