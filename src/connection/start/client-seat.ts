/**
 * The place of the SDK's client on a line. A remote server is greeted by the client itself; a program has been greeted by
 * then, and the client takes its place when somebody first needs it.
 */

import type { Client, ConnectOptions } from '@modelcontextprotocol/client';

import type { ClientEnd } from '../line/client-end.ts';
import type { Line } from '../line/line.ts';
import { LineClosedError, type JsonObject } from '../line/questions.ts';

export interface ClientSeat {
  /** Puts it there with the first question for it. */
  client(): Promise<Client>;
  /** From now on the client, whenever it comes, and the line share one life. */
  keep(): void;
  /** Takes the client away, if there is one; the line stays. */
  leave(): Promise<void>;
}

export interface SeatParts {
  readonly line: Line;
  readonly prior: NonNullable<ConnectOptions['prior']>;
  /** What the server said, where it was greeted already. */
  readonly greeted?: JsonObject;
  /** Calls the client's own greeting off. */
  readonly signal?: AbortSignal;
}

/** The limits are kept by whoever calls. */
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
    // A program that was greeted may be waiting for an answer already.
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
