/**
 * The SDK client of one server. All connections to the server use the same client, so that callers can keep
 * it across restarts.
 */

import type { Client } from '@modelcontextprotocol/client';

import { createStandIn, type Heard, type StandIn } from './client-stand-in.ts';

export interface OwnClientParts {
  readonly create: () => Promise<Client>;
  /** The current session, if the server is connected. */
  readonly session: () => (Heard & { readonly client: () => Promise<Client> }) | undefined;
}

export class OwnClient {
  readonly #parts: OwnClientParts;
  #making: Promise<Client> | undefined;
  #made: Client | undefined;
  #standIn: StandIn | undefined;

  constructor(parts: OwnClientParts) {
    this.#parts = parts;
  }

  /** True once a caller may hold the client. A new connection then attaches it before it becomes ready. */
  get isInUse(): boolean {
    return this.#making !== undefined;
  }

  /** Creates the client on the first call. */
  make(): Promise<Client> {
    return (this.#making ??= this.#make());
  }

  /** Returns immediately with a proxy for the client. */
  now(): Client {
    return (this.#standIn ??= this.#createStandIn()).client;
  }

  #createStandIn(): StandIn {
    const { session } = this.#parts;
    const seat = async (): Promise<Client> => {
      const current = session();
      if (current === undefined) throw new Error('Not connected');
      return current.client();
    };
    const standIn = createStandIn({ heard: session, seat });
    if (this.#made !== undefined) standIn.made(this.#made);
    return standIn;
  }

  async #make(): Promise<Client> {
    const client = await this.#parts.create();
    this.#made = client;
    this.#standIn?.made(client);
    return client;
  }
}
