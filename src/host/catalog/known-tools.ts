/** What is known of all servers' tools, kept in step: from lists and from memory, without connecting more than is asked for. */

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
  /** All servers that have a name of their own, or were asked for. */
  readonly connections: () => Iterable<Connection>;
}

/** A server in one of these states offers nothing. */
const silent: ReadonlySet<string> = new Set([
  'disabled',
  'untrusted',
  'blocked',
  'failed',
  'needs_auth',
  'needs_client_registration',
  'needs_input',
]);

/** Whether what is known of its tools counts. */
export function isSpeaking(connection: Connection): boolean {
  return !silent.has(connection.status().status);
}

export class KnownTools {
  readonly #parts: KnownToolsParts;
  readonly table: ToolTable;
  /** What the decisions in the table were made by. */
  #decidedBy: Policy | undefined;

  constructor(parts: KnownToolsParts) {
    this.#parts = parts;
    this.table = parts.table;
  }

  connections(): readonly Connection[] {
    return [...this.#parts.connections()];
  }

  /**
   * Brings the table in step with what is known, after a look at one server or at all of them. Connects nothing. The table is
   * made from what is known by then, so of two that overlap neither undoes what the other has found.
   */
  async refresh(only?: Connection): Promise<void> {
    const rules = this.#parts.policy;
    let policy = await rules.read();
    await this.#look(only);
    // Rules that were read meanwhile count, not those from before.
    for (let latest = await rules.read(); latest !== policy; latest = await rules.read()) {
      policy = latest;
      await this.#look(only);
    }
    this.#decidedBy = policy;
    this.#update(policy);
  }

  /** The same after no look at all: for a server that may have become one that offers nothing. */
  note(): void {
    if (this.#decidedBy !== undefined) this.#update(this.#decidedBy);
  }

  /**
   * Servers that came or went, tools that somebody else has accepted meanwhile, and servers that are pinned in another way
   * now. Connects nothing. What newcomers are known by is looked at only where somebody follows.
   */
  async recheck({ isFollowed }: { readonly isFollowed: boolean }): Promise<void> {
    const { book } = this.#parts;
    const looked = await Promise.all(this.connections().map((connection) => book.recheck(connection)));
    if (looked.includes(true) || isFollowed) await this.refresh();
    else this.note();
  }

  /** At once, when the tool is there, its server is up and nothing has changed. */
  now(name: string): OfferedTool | undefined {
    const { book, policy } = this.#parts;
    const found = this.table.find(name);
    if (found?.connection.session === undefined) return undefined;
    // Rules may have been read again without a look at the table: its decisions are the old ones then.
    if (this.#decidedBy === undefined || policy.current() !== this.#decidedBy) return undefined;
    if (book.current(found.connection) !== found.known || this.unheard(name, found).length > 0)
      return undefined;
    this.table.give(name);
    return found;
  }

  /** Servers that may yet turn out to have a tool of the same name; none once somebody was given it. */
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
   * Those that nothing is new of cost next to nothing: whenever one of many servers comes up, all others are among them.
   * What is withheld may have been accepted elsewhere, so those are worth a look at the pins.
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
