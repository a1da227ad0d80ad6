/** Calls that need more than one try, that nobody can check, that hooks look at, and servers that log when they are asked. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import type { ElicitAnswer, ElicitRequest } from '../../src/kernel/interaction.ts';
import { nextEvent, openHostFixture, type HostFixture } from '../support/host-fixture.ts';

/** A graph of references that doubles with every level. */
const bomb = {
  $ref: '#/$defs/n0',
  $defs: Object.fromEntries(
    Array.from({ length: 61 }, (_, at) => [
      `n${at}`,
      at === 60 ? true : { allOf: [{ $ref: `#/$defs/n${at + 1}` }, { $ref: `#/$defs/n${at + 1}` }] },
    ]),
  ),
};

let fixture: HostFixture;
let host: Host;
/** What the hook does with results. */
let change: (text: string) => string | undefined = () => undefined;
const seen: string[] = [];

beforeAll(async () => {
  fixture = await openHostFixture();
  const defuse = { name: 'defuse', inputSchema: { type: 'object', ...bomb } };
  host = await fixture.open({
    policy: { default: 'allow' },
    servers: {
      shop: fixture.program('requires-url-visit', JSON.stringify([defuse])),
      quiet: fixture.program('logs-on-request'),
    },
    hooks: {
      'tool.execute.after': (_, result) => {
        seen.push(result.text);
        const text = change(result.text);
        return text === undefined ? undefined : { ...result, text };
      },
    },
  });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const refused = (key: string): string =>
  `MCP error: the server answered with an error: a visit is needed (-32042). Open https://pay.test/${key}, then call again`;

describe('a call that is refused until a page was visited', () => {
  const asked: ElicitRequest[] = [];
  const pay = (key: string, given: object, action: ElicitAnswer['action'] | 'nobody') =>
    host.call(
      'mcp__shop__pay',
      { key, ...given },
      action === 'nobody'
        ? {}
        : {
            onElicit: (request) => {
              asked.push(request);
              return Promise.resolve({ action });
            },
          },
    );
  const tries = async (key: string) => (await host.call('mcp__shop__tries', { key })).text;

  test('is repeated after the user accepts', async () => {
    expect(await pay('a', { refusals: 1 }, 'accept')).toMatchObject({ ok: true, text: 'paid a' });
    expect(asked).toEqual([{ server: 'shop', mode: 'url', message: 'Pay first', url: 'https://pay.test/a' }]);
    expect(await tries('a')).toBe('2');
  });

  test('is repeated when the server reports that the visit is complete', async () => {
    expect(await pay('b', { refusals: 2, tells: true }, 'accept')).toMatchObject({ text: 'paid b' });
    expect(await tries('b')).toBe('3');
  });

  test.each(['decline', 'cancel', 'nobody'] as const)('is not repeated after: %s', async (action) => {
    const { ok, text } = await pay(action, { refusals: 1 }, action);
    expect([ok, text]).toEqual([false, refused(action)]);
    expect(await tries(action)).toBe('1');
  });

  test('ends with the time that it has', async () => {
    const calling = host.call(
      'mcp__shop__pay',
      { key: 'c', refusals: 9, tells: true },
      { timeoutMs: 150, onElicit: () => Promise.resolve({ action: 'accept' }) },
    );
    expect(await calling).toMatchObject({ ok: false, error: { code: 'call-timeout' } });
    expect(await tries('c')).toBe('2');
  });
});

test('T51: a tool with a schema that cannot be checked is not called', async () => {
  await expect(host.call('mcp__shop__defuse')).rejects.toMatchObject({
    code: 'arguments-invalid',
    message:
      'mcp__shop__defuse is not called, because its arguments cannot be checked: its schema takes too much work to check',
  });
});

describe('a server of the stateless protocol', () => {
  const level = async (meta?: Record<string, unknown>) =>
    (await host.call('mcp__quiet__work', {}, meta === undefined ? {} : { meta })).text;
  const read = async () => (await host.readResource('quiet', 'log://level'))['contents'];

  test('is asked for log messages only while there is a listener', async () => {
    expect(await level()).toBe('undefined');
    const logged = nextEvent(host, 'mcp.log');
    expect(await level()).toBe('info');
    expect(await logged).toMatchObject({ server: 'quiet', level: 'info', data: 'working' });
    expect(await read()).toMatchObject([{ text: 'undefined' }]);
    const stop = host.on('mcp.log', () => undefined);
    expect(await read()).toMatchObject([{ text: 'info' }]);
    expect(await level({ 'io.modelcontextprotocol/logLevel': 'debug' })).toBe('debug');
    stop();
    expect(await level()).toBe('undefined');
  });
});

describe('the server’s own answer', () => {
  const raw = async () => {
    seen.length = 0;
    return host.callRaw('mcp__shop__tries', { key: 'never' });
  };

  test('passes through the hooks, and stays unchanged where they change nothing', async () => {
    expect(await raw()).toEqual({
      content: [{ type: 'text', text: '0' }],
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    });
    expect(seen).toEqual(['0']);
  });

  test('has the hook’s changes, and no longer what the hook removed', async () => {
    change = (text) => text.replace('0', 'none');
    expect(await raw()).toMatchObject({ content: [{ type: 'text', text: 'none' }] });
    change = () => undefined;
  });

  test('that is an error is seen by the hooks, too', async () => {
    seen.length = 0;
    await expect(host.callRaw('mcp__shop__pay', { key: 'd', refusals: 1 })).rejects.toMatchObject({
      code: 'request-failed',
    });
    expect(seen).toEqual([refused('d')]);
  });
});
