/** Calls that wait while their host closes, their server is switched off or their tool changes: none runs, none hangs. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Host, HostOptions } from '../../src/host/host.ts';
import { createDeferred } from '../../src/platform/waits.ts';
import { nextEvent, openHostFixture, type HostFixture } from '../support/host-fixture.ts';

const allowed = { policy: { default: 'allow' } } as const;

/** What became of a call, in a word. */
const fate = (
  call: Promise<{ readonly ok: boolean; readonly error?: { readonly code: string } }>,
): Promise<unknown> =>
  call.then(
    ({ ok, error }) => error?.code ?? ok,
    (error: Error & { readonly code?: unknown }) => error.code ?? error.message,
  );

interface Asking {
  readonly interaction: NonNullable<HostOptions['interaction']>;
  /** Resolves when somebody is asked. */
  readonly asked: Promise<void>;
  readonly answer: (answer: 'once') => void;
}

function createAsking(): Asking {
  const asked = createDeferred<void>();
  const answered = createDeferred<'once'>();
  const askPermission = (): Promise<'once'> => {
    asked.resolve();
    return answered.promise;
  };
  return { interaction: { askPermission }, asked: asked.promise, answer: answered.resolve };
}

const ends: readonly (readonly [string, (host: Host) => Promise<unknown>, string])[] = [
  ['its host closes', (host) => host.close(), 'host-closed'],
  ['its server is switched off', (host) => host.disable('s'), 'server-disabled'],
  ['its server is removed', (host) => host.remove('s'), 'connection-lost'],
];

describe.each(ends)('a call that waits when %s', (_what, end, code) => {
  const running = async (fixture: HostFixture, options: HostOptions): Promise<Host> => {
    const host = await fixture.open(options);
    await host.connect();
    return host;
  };

  test('in the queue is not sent, and starts no server', async () => {
    await using fixture = await openHostFixture();
    const host = await running(fixture, { ...allowed, servers: { s: fixture.program('slow-call') } });
    await host.tools();
    const calls = Array.from({ length: 66 }, () => fate(host.call('mcp__s__wait', { ms: 100_000 })));
    await end(host);
    expect((await Promise.all(calls)).slice(64)).toEqual([code, code]);
    expect(fixture.running()).toBe(0);
  });

  test('for a permission is not sent, whatever the later reply', async () => {
    await using fixture = await openHostFixture();
    const { interaction, asked, answer } = createAsking();
    const host = await running(fixture, { interaction, servers: { s: fixture.program('echo') } });
    const call = fate(host.call('mcp__s__pid'));
    await asked;
    await end(host);
    expect(await call).toBe(code);
    answer('once');
    expect(fixture.running()).toBe(0);
  });

  test('for a hook is not sent', async () => {
    await using fixture = await openHostFixture();
    const reached = createDeferred<void>();
    const host = await running(fixture, {
      ...allowed,
      servers: { s: fixture.program('echo') },
      hooks: {
        'tool.execute.before': () => {
          reached.resolve();
          return new Promise(() => undefined);
        },
      },
    });
    const call = fate(host.call('mcp__s__pid'));
    await reached.promise;
    await end(host);
    expect([await call, fixture.running()]).toEqual([code, 0]);
  });

  test.each(['stateful', 'stateless'])('for an answer to a %s server does not hang', async (era) => {
    await using fixture = await openHostFixture();
    const reached = createDeferred<void>();
    const host = await running(fixture, {
      ...allowed,
      servers: { s: fixture.program('asks-questions', era) },
    });
    const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    const onElicit = (): Promise<never> => {
      reached.resolve();
      return new Promise(() => undefined);
    };
    const call = fate(host.call('mcp__s__ask', { method: 'elicitation/create', params }, { onElicit }));
    await reached.promise;
    await end(host);
    expect([code, 'connection-lost']).toContain(await call);
  });
});

test('a tool that changes while its permission is pending is not called', async () => {
  await using fixture = await openHostFixture();
  const { interaction, asked, answer } = createAsking();
  const version = path.join(fixture.home, 'version');
  const host = await fixture.open({
    policy: { allow: ['mcp__c__read'] },
    pinning: 'withhold',
    interaction,
    servers: { c: fixture.program('changes-tool-descriptions', path.join(fixture.home, 'started'), version) },
  });
  await host.connect();
  const call = fate(host.call('mcp__c__write'));
  await asked;
  await writeFile(version, 'evil');
  const withheld = nextEvent(host, 'mcp.tools.changed');
  await host.call('mcp__c__read', { announce: true });
  await withheld;
  await expect.poll(() => host.withheld().length).toBe(1);
  answer('once');
  expect(await call).toBe('tool-changed');
});

test.each([undefined, null, false, true, 'no', 'DENY', '', 'reject', {}])(
  'an answer that is none, %j, allows nothing',
  async (odd) => {
    await using fixture = await openHostFixture();
    const askPermission = async (): Promise<never> => odd as never; // as a program without types would
    const host = await fixture.open({
      interaction: { askPermission },
      servers: { s: fixture.program('echo') },
    });
    expect(await fate(host.call('mcp__s__pid'))).toBe('call-denied');
  },
);

test('without a handler nothing is allowed, and the error does not claim a refusal', async () => {
  await using fixture = await openHostFixture();
  const cause = new Error('no screen');
  const askPermission = (): Promise<never> => Promise.reject(cause);
  const host = await fixture.open({
    interaction: { askPermission },
    servers: { s: fixture.program('echo') },
  });
  await expect(host.call('mcp__s__pid')).rejects.toMatchObject({
    code: 'call-denied',
    message: 'mcp__s__pid has to be asked for, and asking failed',
    cause,
  });
});

test.each([
  [
    'throws',
    () => {
      throw new Error('boom');
    },
  ],
  ['rejects', () => Promise.reject(new Error('boom'))],
])('a progress function that %s hurts neither its own call nor another', async (_what, onProgress) => {
  await using fixture = await openHostFixture();
  const warnings: string[] = [];
  const logger = { debug: () => undefined, warn: (message: string) => warnings.push(message) };
  const host = await fixture.open({ ...allowed, logger, servers: { s: fixture.program('slow-call') } });
  const other = fate(host.call('mcp__s__wait', { ms: 300 }));
  expect(await fate(host.call('mcp__s__wait', { ms: 100 }, { onProgress }))).toBe(true);
  expect([await other, warnings.length > 0 && warnings.every((message) => message.includes('boom'))]).toEqual(
    [true, true],
  );
});
