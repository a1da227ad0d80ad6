/**
 * Attaches the SDK client to a channel. With a remote server, the client performs the handshake itself. With
 * a program, the handshake is done without the client, which is attached when it is first needed.
 */

import type { Client, ConnectOptions } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../kernel/json.ts';
import type { ClientEnd } from '../line/client-end.ts';
import type { Line } from '../line/line.ts';
import { LineClosedError } from '../line/questions.ts';

export interface ClientSeat {
  /** Attaches the client on the first call. */
  client(): Promise<Client>;
  /** From now on, closing the client closes the channel, even if the client is attached later. */
  keep(): void;
  /** Closes the client, if there is one. The channel stays open. */
  leave(): Promise<void>;
}

export interface SeatParts {
  readonly line: Line;
  readonly prior: NonNullable<ConnectOptions['prior']>;
  /** The server's answer to the handshake, if that is already done. */
  readonly greeted?: JsonObject;
  /** Aborts the client's own handshake. */
  readonly signal?: AbortSignal;
}

/** Effectively disables the SDK's timeout: the caller enforces the limits. */
const noTimeoutMs = 2 ** 31 - 1;

export function createSeat(
  createClient: () => Promise<Client>,
  { line, prior, greeted, signal }: SeatParts,
): ClientSeat {
  let seated: Promise<Client> | undefined;
  let end: ClientEnd | undefined;
  let isKept = false;
  const seat = async (): Promise<Client> => {
    const client = await createClient();
    signal?.throwIfAborted();
    if (line.isClosed) throw new LineClosedError();
    const own = line.attach(greeted);
    await client.connect(own, { prior, timeout: noTimeoutMs, ...(signal === undefined ? {} : { signal }) });
    end = own;
    // After the handshake, a program may already wait for the client's answer to a request.
    if (isKept || greeted !== undefined) own.keep();
    return client;
  };
  return {
    client: () => (seated ??= seat()),
    keep: () => {
      isKept = true;
      end?.keep();
    },
    leave: async () => {
      const client = await seated;
      await client?.close();
    },
  };
}
