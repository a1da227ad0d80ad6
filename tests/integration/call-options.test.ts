/** What a caller hands over with a call: arguments, time, a signal. What is wrong with it is the caller's to know, and hurts nobody else. */

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Host, HostCallOptions } from '../../src/host/host.ts';
import { clientOf, openHostFixture, type HostFixture } from '../support/host-fixture.ts';
import { until } from '../support/processes.ts';

let fixture: HostFixture;
let host: Host;
const phases = new Map<string, string>();
beforeAll(async () => {
  fixture = await openHostFixture();
  host = await fixture.open({
    policy: { default: 'allow' },
    servers: { ex: fixture.program('echo'), busy: fixture.program('gated-start') },
  });
  host.on('mcp.phase', ({ server, to }) => phases.set(server, to));
  await host.connect();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const echo = (args: Record<string, unknown>, options?: HostCallOptions) =>
  host.call('mcp__ex__echo', args, options);
const hold = (key: string, options: HostCallOptions) => host.call('mcp__busy__hold', { key }, options);
const seen = async (): Promise<string> => (await host.call('mcp__busy__seen')).text;

test('arguments that JSON cannot represent throw an error with their path, and nothing is sent', async () => {
  const circle: Record<string, unknown> = { text: 'a' };
  circle['self'] = circle;
  const steps: string[] = [];
  const stop = host.on('mcp.phase', ({ to }) => steps.push(to));
  const wrong = async (args: Record<string, unknown>, options?: HostCallOptions): Promise<unknown> =>
    echo(args, options).catch((error: unknown) => error);
  expect([
    await wrong(circle),
    await wrong({ text: 'a', extra: [1n] }),
    await wrong({ text: 'a', extra: Number.NaN }),
    await wrong({ text: 'a' }, { meta: { size: 1n } }),
  ]).toMatchObject([
    {
      code: 'arguments-invalid',
      message:
        'The arguments of mcp__ex__echo do not fit: self: expected a value that does not contain itself',
    },
    { code: 'arguments-invalid', details: { errors: [{ path: 'extra[0]', expected: 'number or string' }] } },
    { code: 'arguments-invalid', details: { errors: [{ path: 'extra', expected: 'a finite number' }] } },
    {
      code: 'arguments-invalid',
      message: 'The call of mcp__ex__echo cannot be sent: meta.size: expected number or string',
    },
  ]);
  stop();
  expect(steps).toEqual([]);
});

test('a request that cannot be written also ends for the server', async () => {
  const request = { method: 'tools/call' as const, params: { name: 'echo', arguments: { text: 1n } } };
  await expect((await clientOf(host, 'ex')).request(request)).rejects.toThrow('BigInt');
  expect(phases.get('ex')).toBe('ready');
  expect((await echo({ text: 'still' })).ok).toBe(true);
  expect(phases.get('ex')).toBe('ready');
});

test('a timeout of 0 disables the limit, and an invalid timeout is refused before anything is sent', async () => {
  expect((await echo({ text: 'a' }, { timeoutMs: 0 })).text).toBe('a');
  const given: readonly unknown[] = [-1, Number.NaN, '5'];
  const answers = given.map((timeoutMs) =>
    echo({ text: 'a' }, { timeoutMs: timeoutMs as number }).catch((error: unknown) => error),
  );
  const expected = ['-1', 'NaN', 'a string'].map((found) => ({
    code: 'usage-invalid',
    message: `timeoutMs must be a number of milliseconds, 0 for no limit of its own, but is ${found}`,
  }));
  expect(await Promise.all(answers)).toMatchObject(expected);
  await expect(host.callRaw('mcp__ex__echo', {}, { timeoutMs: -1 })).rejects.toMatchObject(expected[0] ?? {});
  await expect(host.findTool('ex.echo', { timeoutMs: -1 })).rejects.toMatchObject(expected[0] ?? {});
});

test('any number of calls adds one listener to a shared signal, which is removed afterwards', async () => {
  const user = new AbortController();
  const { signal } = user;
  let listeners = 0;
  let most = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
    most = Math.max(most, (listeners += 1));
    addEventListener.apply(signal, given);
  };
  signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
    listeners -= 1;
    removeEventListener.apply(signal, given);
  };
  await Promise.all(Array.from({ length: 12 }, () => echo({ text: 'a' }, { signal, timeoutMs: 60_000 })));
  await echo({ text: 'a' }, { signal });
  expect([most, listeners]).toEqual([1, 0]);

  // More than a server takes at a time: some of them still wait for their turn.
  const keys = Array.from({ length: 70 }, (_, at) => `k${at}`);
  const answers = keys.map((key) => hold(key, { signal }).catch((error: unknown) => error));
  await until(() => phases.get('busy') === 'executing', 2000);
  user.abort('enough');
  const codes = (await Promise.all(answers)).map((error) => (error as { readonly code: string }).code);
  expect([new Set(codes), most]).toEqual([new Set(['call-aborted']), 1]);
  expect(await seen()).not.toContain('k69');
});
