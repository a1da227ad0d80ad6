/** Calls and streams of notifications that end before the server responds. */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';

import type { ServerTransport } from '../transports/server-transport.ts';
import { Requests } from './requests.ts';

function open(given: Partial<ServerTransport> = {}) {
  const sent: JSONRPCMessage[] = [];
  const counts: number[] = [];
  const failed: unknown[] = [];
  const transport = {
    send: (message: JSONRPCMessage) => {
      sent.push(message);
      return Promise.resolve();
    },
    ...given,
  } as ServerTransport; // only what requests use
  const requests = new Requests(transport, {
    onCalls: (inFlight) => counts.push(inFlight),
    onSendFailed: (error) => failed.push(error),
  });
  return { requests, sent, counts, failed };
}

const options = { onprogress: () => undefined, onStop: () => undefined };
const meta = { progressToken: 'holt:1' };

test('a call that is cancelled before it begins is not sent', async () => {
  const { requests, sent } = open();
  const stopped = {
    onprogress: () => undefined,
    onStop: (stop: (reason: unknown) => void) => stop('enough'),
  };
  await expect(requests.call('tools/call', {}, stopped, {})).rejects.toBe('enough');
  expect(sent).toEqual([]);
});

test('a call in flight is counted until its response', async () => {
  const { requests, counts } = open();
  const call = requests.call('tools/call', {}, options, {});
  expect(counts).toEqual([1]);
  requests.takeResponse({ jsonrpc: '2.0', id: 'holt:1', result: { n: 1 } }, undefined);
  expect([await call, counts]).toEqual([{ n: 1 }, [1, 0]]);
});

test('a cancelled call is reported to a server with one stream, and aborts a stream of its own', async () => {
  let stop: ((reason: unknown) => void) | undefined;
  const cancellable = { ...options, onStop: (given: (reason: unknown) => void) => void (stop = given) };
  const shared = open();
  const first = shared.requests.call('tools/call', {}, cancellable, {});
  stop?.('enough');
  await expect(first).rejects.toBe('enough');
  expect(shared.sent.slice(1)).toEqual([
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'holt:1', reason: 'enough' } },
  ]);
  const signals: (AbortSignal | undefined)[] = [];
  const separate = open({
    hasPerRequestStream: true,
    send: (_, { requestSignal } = {}) => {
      signals.push(requestSignal);
      return Promise.resolve();
    },
  });
  const second = separate.requests.call('tools/call', {}, cancellable, { envelope: {} });
  stop?.('enough');
  await expect(second).rejects.toBe('enough');
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});

test('a call that cannot be serialized fails and is not counted', async () => {
  const { requests, counts, failed } = open({
    send: () => {
      throw new Error('BigInt');
    },
  });
  await expect(requests.call('tools/call', {}, options, {})).rejects.toThrow('BigInt');
  expect([counts, failed]).toEqual([[1, 0], [new Error('BigInt')]]);
});

test('closing rejects what is pending, and later requests', async () => {
  const { requests, counts } = open();
  const { signal } = new AbortController();
  const pending = [
    requests.call('tools/call', {}, options, {}),
    requests.request('ping', {}, { signal }),
    requests.listen({}, {}, signal),
  ];
  requests.close();
  const all = await Promise.allSettled([...pending, requests.request('ping', {}, { signal })]);
  expect(all.map((one) => one.status === 'rejected' && String(one.reason))).toEqual(
    Array(4).fill('ChannelClosedError: the connection was closed'),
  );
  expect(counts).toEqual([1, 0]);
});

test('messages that are not about these requests are left to others', () => {
  const { requests } = open();
  expect([
    requests.takeResponse({ jsonrpc: '2.0', id: 1, result: {} }, undefined),
    requests.takeNotification({ jsonrpc: '2.0', method: 'notifications/progress', params: { ...meta } }),
    requests.takeNotification({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 1 },
    }),
    requests.takeNotification({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 7 },
    }),
  ]).toEqual([false, true, false, false]);
});

describe('a stream of notifications', () => {
  const acknowledged = {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'holt:1' } },
  } as const;

  test('opens when the server acknowledges it, and closes when the server ends it', async () => {
    const { requests, sent } = open();
    const opening = requests.listen({ toolsListChanged: true }, { who: 'me' }, new AbortController().signal);
    expect(sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 'holt:1',
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: { who: 'me' } },
      },
    ]);
    expect(requests.takeNotification(acknowledged)).toBe(true);
    const { closed } = await opening;
    requests.takeResponse({ jsonrpc: '2.0', id: 'holt:1', result: {} }, undefined);
    await expect(closed).resolves.toBeUndefined();
  });

  test('fails with the error of a server that refuses it', async () => {
    const { requests } = open();
    const opening = requests.listen({}, {}, new AbortController().signal);
    const error = { code: -32_601, message: 'Method not found' };
    requests.takeResponse({ jsonrpc: '2.0', id: 'holt:1', error }, undefined);
    await expect(opening).rejects.toMatchObject({ name: 'ResponseError', code: -32_601 });
  });

  test('is cancelled at the server when the caller aborts', async () => {
    const { requests, sent } = open();
    const stop = new AbortController();
    const opening = requests.listen({}, {}, stop.signal);
    requests.takeNotification(acknowledged);
    const { closed } = await opening;
    stop.abort(new Error('enough'));
    await closed;
    expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 'holt:1' } });
  });
});
