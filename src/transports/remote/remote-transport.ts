/** What the transports to remote servers share. */

import type { Remote } from '../../network/create-network.ts';
import type { ReceiveAccount } from '../../network/receive-budget.ts';
import type { Clock } from '../../platform/clock.ts';
import { createDeferred } from '../../platform/waits.ts';
import type { ServerTransport, TransportEnd } from '../server-transport.ts';

export interface RemoteParts {
  readonly remote: Remote;
  readonly clock: Clock;
  /** The time of day, in milliseconds. */
  readonly wallNow: () => number;
  readonly random: () => number;
  readonly account: ReceiveAccount;
}

export abstract class RemoteTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ServerTransport['onmessage'];
  onwarning?: ServerTransport['onwarning'];
  readonly processId = undefined;
  protected readonly opening = createDeferred<void>();
  /** Set once the transport is closed. */
  protected ending: TransportEnd | undefined;

  get opened(): Promise<void> {
    return this.opening.promise;
  }

  get end(): TransportEnd | undefined {
    return this.ending;
  }

  stderrTail(): string {
    return '';
  }
}
