import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import { openScripted } from '../../tests/support/scripted-server.ts';
import type { ServerTransport } from './server-transport.ts';
import { makeTolerant } from './tolerant.ts';

test("the SDK's client lists and calls what a careless server offers, in both eras", async () => {
  for (const era of ['stateful', 'stateless'] as const) {
    await using server = await openScripted(era);
    const tools = [{ name: 'good', inputSchema: { type: 'object' } }, { title: 'bad' }];
    expect(await server.ask('tools/list', { tools })).toMatchObject({ tools: [tools[0]] });
    expect(await server.ask('tools/call', { content: [{ type: 'hologram' }] })).toMatchObject({
      content: [{ type: 'text' }],
    });
    expect(server.warnings.map(([code]) => code)).toEqual(['entry-malformed', 'content-unknown']);
  }
});

function quiet(): ServerTransport & { readonly heard: JSONRPCMessage[] } {
  const heard: JSONRPCMessage[] = [];
  const nothing = (): Promise<void> => Promise.resolve();
  return makeTolerant({
    heard,
    opened: nothing(),
    end: undefined,
    processId: undefined,
    stderrTail: () => '',
    start: nothing,
    close: nothing,
    send: nothing,
  });
}

const list = (id: number | string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  result: { tools: [{ title: 'without a name' }] },
});

test('answers to nothing, to what was given up, and questions are passed on untouched', async () => {
  const transport = quiet();
  const { heard } = transport;
  Object.assign(transport, { onmessage: (message: JSONRPCMessage) => heard.push(message) });
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  const messages: JSONRPCMessage[] = [
    list(1),
    list(2),
    { jsonrpc: '2.0', id: 3, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/x' },
  ];
  for (const message of messages) transport.onmessage?.(message);
  expect(heard).toEqual(messages);
});

test('a handler may be taken out, put back and chained, as the SDK does while it probes', async () => {
  const transport = quiet();
  expect(transport.onmessage).toBeUndefined();
  const first: JSONRPCMessage[] = [];
  Object.assign(transport, { onmessage: (message: JSONRPCMessage) => first.push(message) });
  const saved = transport.onmessage;
  Object.assign(transport, { onmessage: () => undefined });
  Object.assign(transport, { onmessage: saved });
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  transport.onmessage?.(list(1));
  const empty = { jsonrpc: '2.0', id: 1, result: { tools: [] } };
  expect(first).toEqual([empty]);
  const inner = transport.onmessage;
  const second: JSONRPCMessage[] = [];
  Object.assign(transport, {
    onmessage: (message: JSONRPCMessage) => {
      inner?.(message);
      second.push(message);
    },
  });
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  transport.onmessage?.(list(1));
  expect([first, second]).toEqual([[empty, empty], [empty]]);
});

test('only so many questions are remembered', async () => {
  const transport = quiet();
  const { heard } = transport;
  Object.assign(transport, { onmessage: (message: JSONRPCMessage) => heard.push(message) });
  for (let id = 0; id <= 4096; id += 1) await transport.send({ jsonrpc: '2.0', id, method: 'tools/list' });
  transport.onmessage?.(list(0));
  transport.onmessage?.(list(1));
  expect(heard).toEqual([list(0), { jsonrpc: '2.0', id: 1, result: { tools: [] } }]);
});

test('T115: of a hundred thousand faults in one answer the first are told of, and how many there are', () => {
  const transport = quiet();
  const warnings: string[] = [];
  transport.onwarning = (code, message) => void warnings.push(`${code}: ${message}`);
  transport.onmessage = () => undefined;
  void transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
  const content = Array.from({ length: 100_000 }, () => ({ type: 'hologram' }));
  transport.onmessage?.({ jsonrpc: '2.0', id: 1, result: { content } });

  expect(warnings).toHaveLength(51);
  expect(warnings.at(-1)).toBe('content-unknown: and 99950 more in the same answer');
});
