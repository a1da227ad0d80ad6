/** What a server says before there is a client to hear it. */

import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/client';

type Hear = (message: JSONRPCMessage, extra: MessageExtraInfo | undefined) => void;

export interface Backlog {
  readonly keep: Hear;
  /** Told, once, when there is something. */
  readonly when: (then: () => void) => void;
  /** In the order it came. */
  readonly empty: (hear: Hear) => void;
}

/** More than this nobody says before it is answered; what comes after is lost, as it would be without a client. */
const most = 1000;

export function createBacklog(): Backlog {
  let kept: (readonly [JSONRPCMessage, MessageExtraInfo | undefined])[] = [];
  let tell: (() => void) | undefined;
  return {
    keep: (message, extra) => {
      if (kept.length < most) kept.push([message, extra]);
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
      tell = undefined;
      for (const [message, extra] of all) hear(message, extra);
    },
  };
}
