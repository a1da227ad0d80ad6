/** The SDK's client of one server: one for all of its connections, so that whoever holds it need not notice a restart. */

import type { Client } from '@modelcontextprotocol/client';

import { createStandIn, type Heard, type StandIn } from './client-stand-in.ts';

export interface OwnClientParts {
  readonly create: () => Promise<Client>;
  /** The session there is now. */
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

  /** Somebody may hold it: a new connection is not ready before it has its place there. */
  get isInUse(): boolean {
    return this.#making !== undefined;
  }

  /** Makes it with the first question for it. */
  make(): Promise<Client> {
    return (this.#making ??= this.#make());
  }

  /** For whoever cannot wait. */
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
