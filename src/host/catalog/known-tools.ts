/**
 * Keeps the table of all servers' tools up to date, from lists and from the cache, without connecting servers
 * that the caller does not need.
 */

import type { Connection } from '../../connection/connection.ts';
import type { Policy } from '../../policy/policy.ts';
import type { ServerTools, ServerToolsBook } from './server-tools.ts';
import type { HostPolicy } from './host-policy.ts';
import type { TellTools } from './tell-tools.ts';
import type { KnownServer, OfferedTool, ToolTable } from './tool-table.ts';

export interface KnownToolsParts {
  readonly book: ServerToolsBook;
  readonly table: ToolTable;
  readonly policy: HostPolicy;
  readonly tell: TellTools;
  /** All servers that win their name, and those that a caller named. */
  readonly connections: () => Iterable<Connection>;
}

/** A server with one of these statuses offers nothing. */
const silent: ReadonlySet<string> = new Set([
  'disabled',
  'untrusted',
  'blocked',
  'failed',
  'needs_auth',
  'needs_client_registration',
  'needs_input',
]);

/** Whether the known tools of the server count. */
export function isSpeaking(connection: Connection): boolean {
  return !silent.has(connection.status().status);
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
    return [...this.#parts.connections()];
  }

  /**
   * Reads what is new of one server or all, and updates the table. Connects nothing. The table is built from
   * what is known at the end, so overlapping calls do not undo each other.
   */
  async refresh(only?: Connection): Promise<void> {
    const rules = this.#parts.policy;
    let policy = await rules.read();
    await this.#look(only);
    // If the rules were read again in the meantime, the new ones apply.
    for (let latest = await rules.read(); latest !== policy; latest = await rules.read()) {
      policy = latest;
      await this.#look(only);
    }
    this.#decidedBy = policy;
    this.#update(policy);
  }

  /** Updates the table without reading anything new, for a server whose tools may no longer count. */
  note(): void {
    if (this.#decidedBy !== undefined) this.#update(this.#decidedBy);
  }

  /**
   * Updates the table after servers were added or removed, another process accepted tools, or a pin mode
   * changed. Connects nothing. Reads the cached tools of new servers only if the event has a listener.
   */
  async recheck({ isFollowed }: { readonly isFollowed: boolean }): Promise<void> {
    const { book } = this.#parts;
    const looked = await Promise.all(this.connections().map((connection) => book.recheck(connection)));
    if (looked.includes(true) || isFollowed) await this.refresh();
    else this.note();
  }

  /** Returns the tool without waiting if its server is connected and nothing has changed. */
  now(name: string): OfferedTool | undefined {
    const { book, policy } = this.#parts;
    const found = this.table.find(name);
    if (found?.connection.session === undefined) return undefined;
    // If the rules were read again, the decisions in the table are out of date.
    if (this.#decidedBy === undefined || policy.current() !== this.#decidedBy) return undefined;
    if (book.current(found.connection) !== found.known || this.unheard(name, found).length > 0)
      return undefined;
    this.table.give(name);
    return found;
  }

  /**
   * Servers not yet listed that may have a tool of the same name. Empty once the name was given to a caller.
   */
  unheard(name: string, { connection: owner }: OfferedTool): readonly Connection[] {
    if (this.table.isGiven(name)) return [];
    return this.#speaking().filter(
      (connection) =>
        connection !== owner &&
        this.#parts.book.latest(connection) === undefined &&
        this.table.mayBeOf(name, connection.entry.ref),
    );
  }

  #update(policy: Policy): void {
    const found = this.#found();
    this.#parts.tell(found, this.table.update(found, policy));
  }

  #speaking(): readonly Connection[] {
    return this.connections().filter(isSpeaking);
  }

  /**
   * Skips servers without news, because this runs whenever one of many servers connects. Withheld tools may
   * have been accepted in another process, so their pins are checked.
   */
  async #look(only: Connection | undefined): Promise<void> {
    const { book } = this.#parts;
    const looks = (only === undefined ? this.#speaking() : [only]).flatMap(
      (connection): Promise<unknown>[] => {
        const found = book.current(connection);
        if (found === undefined) return [book.look(connection)];
        return waitsForYes(found) ? [book.recheck(connection)] : [];
      },
    );
    await Promise.all(looks);
  }

  #found(): readonly KnownServer[] {
    return this.#speaking().flatMap((connection) => {
      const known = this.#parts.book.latest(connection);
      return known === undefined ? [] : [{ connection, known }];
    });
  }
}

function waitsForYes({ withheld, instructionsChanged }: ServerTools): boolean {
  return withheld.length > 0 || instructionsChanged.length > 0;
}
