/** What a line is: messages of the protocol, JSON that is none, or no JSON at all. */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

export type LineContent =
  | { readonly kind: 'messages'; readonly messages: readonly JSONRPCMessage[] }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'noise' }
  | { readonly kind: 'empty' };

export function readLine(line: string): LineContent {
  // Some programs on Windows begin with a byte order mark.
  const text = line.startsWith('\uFEFF') ? line.slice(1) : line;
  const first = text.startsWith('{') ? '{' : /\S/.exec(text.length > 1000 ? text.slice(0, 1000) : text)?.[0];
  if (first === undefined) return { kind: 'empty' };
  // Most noise is known by its first character; parsing it would cost more than reading it.
  if (first !== '{' && first !== '[') return { kind: 'noise' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'noise' };
  }
  // Revision 2025-03-26 knows several in one.
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const messages = values.filter(isMessage);
  return messages.length === 0 ? { kind: 'foreign' } : { kind: 'messages', messages };
}

/** Only as much as is needed to know whose it is; what a message says is checked by who asked for it. */
function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0')
    return false;
  const id = 'id' in value ? value.id : undefined;
  const hasId = typeof id === 'string' || typeof id === 'number';
  if ('method' in value) return typeof value.method === 'string' && (hasId || id === undefined);
  return hasId && ('result' in value || 'error' in value);
}
