import { Client } from '@modelcontextprotocol/client';
import { expect, test, vi } from 'vitest';

import { createStandIn, type Heard } from './client-stand-in.ts';

const heard: Heard = {
  protocol: '2025-11-25',
  era: 'stateful',
  capabilities: { tools: {} },
  serverInfo: { name: 'it', version: '1' },
  instructions: 'be kind',
  discover: undefined,
};

function open() {
  const real = new Client({ name: 'test', version: '1' });
  let sit: (client: Client) => void = () => undefined;
  const place = new Promise<Client>((resolve) => {
    sit = resolve;
  });
  const seat = vi.fn<() => Promise<Client>>(() => place);
  const standIn = createStandIn({ heard: () => heard, seat });
  const arrive = async (): Promise<void> => {
    sit(real);
    await place;
    await Promise.resolve();
  };
  return { real, arrive, seat, standIn, client: standIn.client };
}

test('what the server said is known at once', () => {
  const { client } = open();
  expect([
    client.getServerVersion(),
    client.getServerCapabilities(),
    client.getNegotiatedProtocolVersion(),
    client.getProtocolEra(),
    client.getInstructions(),
    client.getDiscoverResult(),
    client.transport,
  ]).toEqual([
    { name: 'it', version: '1' },
    { tools: {} },
    '2025-11-25',
    'legacy',
    'be kind',
    undefined,
    undefined,
  ]);
});

test('of a server that is not connected nothing is known', () => {
  const standIn = createStandIn({ heard: () => undefined, seat: () => Promise.reject(new Error('gone')) });
  expect([standIn.client.getProtocolEra(), standIn.client.getServerVersion()]).toEqual([
    undefined,
    undefined,
  ]);
});

test('the client is wanted from the moment the stand-in is there, and waited for once', async () => {
  const { client, seat, real, arrive } = open();
  expect(seat).toHaveBeenCalledTimes(1);
  const ping = vi.spyOn(real, 'ping').mockResolvedValue({});
  const [first, second] = [client.ping(), client.ping()];
  expect(ping).not.toHaveBeenCalled();
  await arrive();
  await expect(Promise.all([first, second])).resolves.toEqual([{}, {}]);
  expect(ping.mock.contexts).toEqual([real, real]);
});

test('a place that could not be had is asked for again with the next call', async () => {
  const real = new Client({ name: 'test', version: '1' });
  vi.spyOn(real, 'ping').mockResolvedValue({});
  const seat = vi.fn<() => Promise<Client>>().mockRejectedValue(new Error('the line is closed'));
  const { client } = createStandIn({ heard: () => heard, seat });
  await expect(client.ping()).rejects.toThrow('the line is closed');
  seat.mockResolvedValue(real);
  await expect(client.ping()).resolves.toEqual({});
});

test('what is set in between is set on the client before it hears anything', () => {
  const { client, standIn, real } = open();
  const set = vi.spyOn(real, 'setNotificationHandler');
  const [handler, onclose] = [vi.fn<() => void>(), vi.fn<() => void>()];
  client.setNotificationHandler('notifications/message', handler);
  client.onclose = onclose;
  expect([client.onclose, real.onclose]).toEqual([onclose, undefined]);
  standIn.made(real);
  expect(set).toHaveBeenCalledExactlyOnceWith('notifications/message', handler);
  expect(real.onclose).toBe(onclose);
  const later = vi.fn<() => void>();
  client.onerror = later;
  expect(real.onerror).toBe(later);
});

test('what the client would not take is told by its onerror, and the rest is set all the same', () => {
  const { client, standIn, real } = open();
  const [onerror, onclose] = [vi.fn<() => void>(), vi.fn<() => void>()];
  client.onerror = onerror;
  client.assertCanSetRequestHandler('ping');
  client.onclose = onclose;
  standIn.made(real);
  expect(onerror).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ message: expect.stringContaining('ping') }),
  );
  expect(real.onclose).toBe(onclose);
});

test('what only an unconnected client may do is refused', () => {
  const { client } = open();
  expect(() => client.registerCapabilities({})).toThrow(/comes too late/);
});

test('with its place the client itself is seen', async () => {
  const { client, arrive, real } = open();
  expect([client instanceof Client, 'ping' in client, 'x' in client]).toEqual([false, true, false]);
  // Nobody may take it for a promise.
  expect(await Promise.resolve(client)).toBe(client);
  await arrive();
  expect([client instanceof Client, 'ping' in client, client.constructor === Client]).toEqual([
    true,
    true,
    true,
  ]);
  expect(client.getServerVersion()).toBeUndefined();
  const onclose = vi.fn<() => void>();
  client.onclose = onclose;
  real.onclose?.();
  client.onclose();
  expect(onclose).toHaveBeenCalledTimes(2);
});
