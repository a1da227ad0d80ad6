/** What the connection needs of a transport beyond the SDK's own interface. */

import type { MessageExtraInfo, Transport } from '@modelcontextprotocol/client';

import type { Receipt } from '../network/receive-budget.ts';

/** How a transport came to its end, for people. */
export interface TransportEnd {
  /** Exit code or signal of a program; status or close code of a remote one. */
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  readonly reason?: string;
  /** A program ended without having read the first that was sent to it: nothing of that was the reason. */
  readonly unheard?: true;
  /** What broke it, when it neither ended by itself nor was asked to. */
  readonly cause?: Error;
}

/** A header that an entry logs in with by itself. */
export interface OwnHeader {
  readonly name: string;
  /** Where the entry stands; empty for one that no file has. */
  readonly file: string;
}

export interface ServerTransport extends Transport {
  /** The first JSON-RPC message of a program, an open socket, or the first response: where `connecting` ends. */
  readonly opened: Promise<void>;
  /** The last lines a program wrote to stderr; empty for remote servers. */
  stderrTail(lines: number): string;
  /** Set once the transport is closed. */
  readonly end: TransportEnd | undefined;
  /** The process of a program. */
  readonly processId: number | undefined;
  /** Set where the entry brings its own login: then no other is sent. */
  ownHeader?: OwnHeader | undefined;
  /** Set where the entry switches logging in off. */
  forbidsLogin?: { readonly file: string } | undefined;
  /** Things worth telling once: noise on stdout, dropped messages, repaired lists. */
  onwarning?: ((code: string, message: string) => void) | undefined;
}

interface ExtraWithReceipt extends MessageExtraInfo {
  readonly receipt: Receipt;
}

/** What goes with a message to its handler: what it took on the wire. */
export function withReceipt(receipt: Receipt, extra?: MessageExtraInfo): ExtraWithReceipt {
  return extra === undefined ? { receipt } : { ...extra, receipt };
}

export function receiptIn(extra: MessageExtraInfo | undefined): Receipt | undefined {
  return extra !== undefined && hasReceipt(extra) ? extra.receipt : undefined;
}

function hasReceipt(extra: MessageExtraInfo): extra is ExtraWithReceipt {
  return 'receipt' in extra;
}
