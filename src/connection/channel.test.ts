/** Requests from a server: how many may wait for an answer. */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import type { ServerTransport } from '../transports/server-transport.ts';
import { Channel } from './channel.ts';
import { nextTurn } from '../platform/waits.ts';

test('T138: a server that sends more requests than can be answered gets an error for the rest', async () => {
  const sent: JSONRPCMessage[] = [];
  const transport = {
    send: (message: JSONRPCMessage) => {
      sent.push(message);
      return Promise.resolve();
    },
  } as ServerTransport; // only what the channel uses
  const ignore = (): void => undefined;
  let answer: (result: object) => void = ignore;
  const question = new Promise<Record<string, never>>((resolve) => {
    answer = () => resolve({});
  });
  const channel = new Channel(transport, () => ({
    onClose: ignore,
    onError: ignore,
    onFault: ignore,
    onListChanged: ignore,
    onNotification: ignore,
    onCalls: ignore,
    onSendFailed: ignore,
    onRequest: () => question,
  }));
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } as const;
  for (let id = 1; id <= 102; id += 1) {
    channel.transport.onmessage?.({ jsonrpc: '2.0', id, method: 'elicitation/create', params: {} });
    if (id === 1) channel.transport.onmessage?.(cancel);
  }
  await nextTurn();
  expect(sent.map((message) => ('id' in message ? message.id : undefined))).toEqual([101, 102]);
  expect(sent[0]).toMatchObject({ error: { code: -32_603 } });

  answer({});
  await nextTurn();
  expect(sent).toHaveLength(101);
  channel.transport.onmessage?.({ jsonrpc: '2.0', id: 103, method: 'elicitation/create', params: {} });
  await nextTurn();
  expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 103, result: {} });
});
