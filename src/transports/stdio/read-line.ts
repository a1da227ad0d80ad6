/** Classifies a line of stdout: protocol messages, other JSON, or no JSON at all. */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

export type LineContent =
  | { readonly kind: 'messages'; readonly messages: readonly JSONRPCMessage[] }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'noise' }
  | { readonly kind: 'empty' };

export function readLine(line: string): LineContent {
  // Some programs on Windows write a byte order mark first.
  const text = line.startsWith('\uFEFF') ? line.slice(1) : line;
  const first = text.startsWith('{') ? '{' : /\S/.exec(text.length > 1000 ? text.slice(0, 1000) : text)?.[0];
  if (first === undefined) return { kind: 'empty' };
  // The first character identifies most noise, which saves parsing it.
  if (first !== '{' && first !== '[') return { kind: 'noise' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'noise' };
  }
  // Protocol revision 2025-03-26 allows batches: several messages in one array.
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const messages = values.filter(isMessage);
  return messages.length === 0 ? { kind: 'foreign' } : { kind: 'messages', messages };
}

/**
 * Checks only what is needed to route the message. The code that receives a message validates its content.
 */
function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0')
    return false;
  const id = 'id' in value ? value.id : undefined;
  const hasId = typeof id === 'string' || typeof id === 'number';
  if ('method' in value) return typeof value.method === 'string' && (hasId || id === undefined);
  return hasId && ('result' in value || 'error' in value);
}
