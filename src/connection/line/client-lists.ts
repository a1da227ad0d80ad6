/**
 * Lists that the SDK's client reads by itself, page by page, for whoever holds the client. Nobody else bounds their bytes,
 * so the page that makes a list too large is passed on as the last one.
 */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import { weightOf, type Receipt } from '../../network/receive-budget.ts';

export interface ClientLists {
  /** Sees every message of the client. */
  asked(message: JSONRPCMessage): void;
  /** Sees every answer to the client, and gives it back, without its cursor where the list is too large. */
  answered(message: JSONRPCMessage, receipt: Receipt | undefined): JSONRPCMessage;
}

export interface ClientListsParts {
  readonly listBytes: () => number;
  /** A list was cut at this size. */
  readonly onCut: (method: string, bytes: number) => void;
}

const methods: ReadonlySet<string> = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
]);

/** Pages that are never answered are not remembered for ever. */
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
