/** The `ServerTransport` interface: what a connection needs from a transport beyond the SDK's `Transport`. */

import type { MessageExtraInfo, Transport } from '@modelcontextprotocol/client';

import type { Receipt } from '../network/receive-budget.ts';

/** How a transport ended, for display to users. */
export interface TransportEnd {
  /** Exit code of a program; close code of a remote server. */
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  readonly reason?: string;
  /**
   * Set when a program ended without reading the first message it was sent, so that message did not cause the
   * exit.
   */
  readonly unheard?: true;
  /** The error that broke the transport. Unset when it ended by itself or was closed on request. */
  readonly cause?: Error;
}

/** An authorization header that the server's config entry defines. */
export interface OwnHeader {
  readonly name: string;
  /** The config file that contains the entry; empty if the entry comes from no file. */
  readonly file: string;
}

export interface ServerTransport extends Transport {
  /**
   * Resolves on the first JSON-RPC message of a program, an open socket, or the first HTTP response. This
   * ends the `connecting` phase. Rejects if the transport closes before that.
   */
  readonly opened: Promise<void>;
  /** Returns the last lines that a program wrote to stderr; empty for remote servers. */
  stderrTail(lines: number): string;
  /** Set once the transport is closed. */
  readonly end: TransportEnd | undefined;
  /** The process id of a program; undefined for remote servers. */
  readonly processId: number | undefined;
  /** Set when the entry defines its own authorization header. Stored logins are not sent then. */
  ownHeader?: OwnHeader | undefined;
  /** Set when the entry disables logging in. */
  forbidsLogin?: { readonly file: string } | undefined;
  /** Receives warnings: noise on stdout, dropped messages, repaired lists. */
  onwarning?: ((code: string, message: string) => void) | undefined;
}

interface ExtraWithReceipt extends MessageExtraInfo {
  readonly receipt: Receipt;
}

/**
 * Adds the receipt, which records a message's size on the wire, to the extra information passed to its
 * handler.
 */
export function withReceipt(receipt: Receipt, extra?: MessageExtraInfo): ExtraWithReceipt {
  return extra === undefined ? { receipt } : { ...extra, receipt };
}

/** Returns the receipt that `withReceipt` added, if any. */
export function receiptIn(extra: MessageExtraInfo | undefined): Receipt | undefined {
  return extra !== undefined && hasReceipt(extra) ? extra.receipt : undefined;
}

function hasReceipt(extra: MessageExtraInfo): extra is ExtraWithReceipt {
  return 'receipt' in extra;
}
