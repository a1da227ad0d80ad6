/**
 * Keeps the table of all servers' tools up to date, from lists and from the cache, and emits an event for each
 * change. Connects no servers.
 */

import type { Connection } from '../connection/connection.ts';
import type { Supervisor } from '../connection/supervisor.ts';
import type { Emit } from '../kernel/events.ts';
import type { Policy } from '../policy/policy.ts';
import type { CurrentPolicy } from './current-policy.ts';
import type { ListedTool, ServerTools, ServerToolsStore } from './server-tools.ts';
import type { KnownServer, OfferedTool, ToolTable } from './tool-table.ts';

export interface KnownToolsParts {
  readonly serverTools: ServerToolsStore;
  readonly table: ToolTable;
  readonly policy: CurrentPolicy;
  readonly emitChanges: EmitToolsChanged;
  /** Has all servers that win their name, and those that a caller named. */
  readonly supervisor: Pick<Supervisor, 'connections'>;
}

/** A server with one of these statuses offers nothing. */
const unusable: ReadonlySet<string> = new Set([
  'disabled',
  'untrusted',
  'blocked',
  'failed',
  'needs_auth',
  'needs_client_registration',
  'needs_input',
]);

/** Whether the known tools of the server count. */
export function isUsable(connection: Connection): boolean {
  return !unusable.has(connection.status().status);
}

export class KnownTools {
  readonly #parts: KnownToolsParts;
  readonly table: ToolTable;
  /** The policy that made the decisions in the table. */
  #decidedBy: Policy | undefined;

  constructor(parts: KnownToolsParts) {
    this.#parts = parts;
    this.table = parts.table;
  }

  connections(): readonly Connection[] {
    return [...this.#parts.supervisor.connections.values()];
  }

  /**
   * Reads what is new of one server or all, and updates the table. Connects nothing. The table is built from
   * what is known at the end, so overlapping calls do not undo each other.
   */
  async refresh(only?: Connection): Promise<void> {
    const rules = this.#parts.policy;
    // Both start now: a server may already disconnect while the rules are read.
    let [policy] = await Promise.all([rules.read(), this.#refreshServers(only)]);
    // If the rules were read again in the meantime, the new ones apply.
    for (let latest = await rules.read(); latest !== policy; latest = await rules.read()) {
      policy = latest;
      await this.#refreshServers(only);
    }
    this.#decidedBy = policy;
    this.#update(policy);
  }

  /** Updates the table without reading anything new, for a server whose tools may no longer count. */
  updateTable(): void {
    if (this.#decidedBy !== undefined) this.#update(this.#decidedBy);
  }

  /**
   * Updates the table after servers were added or removed, another process accepted tools, or a pin mode
   * changed. Connects nothing. Reads the cached tools of new servers only if the event has a listener.
   */
  async recheck({ isFollowed }: { readonly isFollowed: boolean }): Promise<void> {
    const { serverTools } = this.#parts;
    const rechecked = await Promise.all(
      this.connections().map((connection) => serverTools.recheck(connection)),
    );
    if (rechecked.includes(true) || isFollowed) await this.refresh();
    else this.updateTable();
  }

  /** Returns the tool without waiting if its server is connected and nothing has changed. */
  findReady(name: string): OfferedTool | undefined {
    const { serverTools, policy } = this.#parts;
    const found = this.table.find(name);
    if (found?.connection.session === undefined) return undefined;
    // If the rules were read again, the decisions in the table are out of date.
    if (this.#decidedBy === undefined || policy.current() !== this.#decidedBy) return undefined;
    if (serverTools.current(found.connection) !== found.known || this.unlisted(name, found).length > 0)
      return undefined;
    this.table.give(name);
    return found;
  }

  /**
   * Servers not yet listed that may have a tool of the same name. Empty once the name was given to a caller.
   */
  unlisted(name: string, { connection: owner }: OfferedTool): readonly Connection[] {
    if (this.table.isGiven(name)) return [];
    return this.#usable().filter(
      (connection) =>
        connection !== owner &&
        this.#parts.serverTools.latest(connection) === undefined &&
        this.table.mayBeOf(name, connection.entry.ref),
    );
  }

  #update(policy: Policy): void {
    const found = this.#found();
    this.#parts.emitChanges(found, this.table.update(found, policy));
  }

  #usable(): readonly Connection[] {
    return this.connections().filter(isUsable);
  }

  /**
   * Skips servers without news, because this runs whenever one of many servers connects. Withheld tools may
   * have been accepted in another process, so their pins are checked.
   */
  async #refreshServers(only: Connection | undefined): Promise<void> {
    const { serverTools } = this.#parts;
    const refreshed = (only === undefined ? this.#usable() : [only]).flatMap(
      (connection): Promise<unknown>[] => {
        const found = serverTools.current(connection);
        if (found === undefined) return [serverTools.refresh(connection)];
        return awaitsApproval(found) ? [serverTools.recheck(connection)] : [];
      },
    );
    await Promise.all(refreshed);
  }

  #found(): readonly KnownServer[] {
    return this.#usable().flatMap((connection) => {
      const known = this.#parts.serverTools.latest(connection);
      return known === undefined ? [] : [{ connection, known }];
    });
  }
}

function awaitsApproval({ withheld, instructionsChanged }: ServerTools): boolean {
  return withheld.length > 0 || instructionsChanged.length > 0;
}

export interface ToolsChangedParts {
  readonly emit: Emit;
  readonly serverTools: Pick<ServerToolsStore, 'takeCached'>;
  /** Servers that may have had cached tools from the beginning. */
  readonly early: readonly Connection[];
}

/**
 * `found` is what the tool table was built from. `renamed` names the servers with a tool whose name changed.
 */
export type EmitToolsChanged = (found: readonly KnownServer[], renamed: ReadonlySet<string>) => void;

type Tools = readonly ListedTool[];

const none: Tools = [];

export function createToolsChangedEvents({ emit, serverTools, early }: ToolsChangedParts): EmitToolsChanged {
  const shown = new Map<string, Tools>();
  /** Servers whose earlier tools are unknown here, because they may not have been looked at yet. */
  const unknown = new Map(early.map((connection) => [connection.entry.ref, connection]));
  const takeBefore = (ref: string): Tools | undefined => {
    const connection = unknown.get(ref);
    return connection === undefined ? shown.get(ref) : serverTools.takeCached(connection);
  };
  return (found, renamed) => {
    const now = new Map(found.map(({ connection, known }) => [connection.entry.ref, known.tools]));
    const changed: string[] = [];
    for (const ref of new Set([...unknown.keys(), ...shown.keys(), ...now.keys()])) {
      const before = takeBefore(ref);
      const after = now.get(ref);
      if (before === undefined && after === undefined) continue;
      unknown.delete(ref);
      if (after === undefined) shown.delete(ref);
      else shown.set(ref, after);
      if (renamed.has(ref) || !isSame(before ?? none, after ?? none)) changed.push(ref);
    }
    // Emit last, because a listener may list the tools immediately.
    for (const server of changed) emit('mcp.tools.changed', { server });
  };
}

function isSame(left: Tools, right: Tools): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  return left.every(({ name, digest }, at) => right[at]?.name === name && right[at].digest === digest);
}
