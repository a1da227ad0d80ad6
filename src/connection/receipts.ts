/**
 * Maps a result to the receipt of its message. The SDK client copies results but not their `content`, so the
 * content object is the key.
 */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import type { Receipt } from '../network/receive-budget.ts';

const receipts = new WeakMap<object, Receipt>();

export function noteReceipt(message: JSONRPCMessage, receipt: Receipt | undefined): void {
  if (receipt?.isCounted !== true) return;
  const content = 'result' in message ? message.result['content'] : undefined;
  if (typeof content === 'object' && content !== null) receipts.set(content, receipt);
}

/** Counts the result as not delivered until the returned function is called. */
export function keepReceipt({ content }: { readonly content: readonly unknown[] }): () => void {
  return receipts.get(content)?.keep() ?? keptNothing;
}

const keptNothing = (): void => undefined;
