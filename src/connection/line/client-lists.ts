/**
 * Limits lists that the SDK client reads page by page for a caller that uses the client directly. Nothing
 * else bounds their size, so the page that makes a list too large is delivered as the last one.
 */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import { weightOf, type Receipt } from '../../network/receive-budget.ts';

export interface ClientLists {
  /** Observes every message that the client sends. */
  asked(message: JSONRPCMessage): void;
  /** Observes every answer to the client and returns it, without its cursor if the list is too large. */
  answered(message: JSONRPCMessage, receipt: Receipt | undefined): JSONRPCMessage;
}

export interface ClientListsParts {
  readonly listBytes: () => number;
  /** Called when a list is cut at `bytes`. */
  readonly onCut: (method: string, bytes: number) => void;
}

const methods: ReadonlySet<string> = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
]);

/** Bounds the memory for requests that are never answered. */
const mostAsked = 64;

interface Walk {
  readonly method: string;
  weight: number;
}

export function createClientLists({ listBytes, onCut }: ClientListsParts): ClientLists {
  const walks = new Map<string, Walk>();
  const asked = new Map<unknown, Walk>();
  return {
    asked: (message) => {
      if (!('method' in message) || !methods.has(message.method) || !('id' in message)) return;
      const { method } = message;
      const isFirst = message.params?.['cursor'] === undefined;
      const walk = (isFirst ? undefined : walks.get(method)) ?? { method, weight: 0 };
      walks.set(method, walk);
      asked.set(message.id, walk);
      for (const oldest of asked.size > mostAsked ? asked.keys() : []) {
        asked.delete(oldest);
        break;
      }
    },
    answered: (message, receipt) => {
      if (asked.size === 0 || !('id' in message)) return message;
      const walk = asked.get(message.id);
      asked.delete(message.id);
      if (walk === undefined || receipt === undefined || !('result' in message)) return message;
      walk.weight += weightOf(receipt);
      const { nextCursor, ...last } = message.result;
      if (nextCursor === undefined || walk.weight <= listBytes()) return message;
      onCut(walk.method, listBytes());
      return { ...message, result: last };
    },
  };
}
