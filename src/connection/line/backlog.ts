/** Queues messages that a server sends before a client is attached. */

import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/client';

import { weightOf } from '../../network/receive-budget.ts';
import { receiptIn } from '../../transports/server-transport.ts';

type Hear = (message: JSONRPCMessage, extra: MessageExtraInfo | undefined) => void;

export interface Backlog {
  readonly keep: Hear;
  /** Calls `then` once, when the queue has a message. */
  readonly when: (then: () => void) => void;
  /** Delivers the queued messages in the order they arrived. */
  readonly empty: (hear: Hear) => void;
}

/** No server sends more than this before it is answered. Further messages are dropped. */
const most = 1000;
const mostBytes = 16 << 20;

export function createBacklog(): Backlog {
  let kept: (readonly [JSONRPCMessage, MessageExtraInfo | undefined])[] = [];
  let keptBytes = 0;
  let tell: (() => void) | undefined;
  return {
    keep: (message, extra) => {
      const receipt = receiptIn(extra);
      const weight = receipt === undefined ? 0 : weightOf(receipt);
      if (kept.length < most && keptBytes + weight <= mostBytes) {
        kept.push([message, extra]);
        keptBytes += weight;
      }
      const told = tell;
      tell = undefined;
      told?.();
    },
    when: (then) => {
      if (kept.length > 0) then();
      else tell = then;
    },
    empty: (hear) => {
      const all = kept;
      kept = [];
      keptBytes = 0;
      tell = undefined;
      for (const [message, extra] of all) hear(message, extra);
    },
  };
}
