/** Which clock a call runs by, and what becomes of it when that runs out. */

import { afterEach, expect, test } from 'vitest';

import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { connectTo } from '../../tests/support/fake-connection.ts';
import {
  createFakeServer,
  fakeTool,
  statefulServer,
  type FakeServer,
} from '../../tests/support/fake-server.ts';
import { CallDeadline } from './call-timers.ts';
import type { CallOptions } from './run-call.ts';

const open: { disconnect(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.disconnect()));
});

/** Its calls have this much time. */
async function connected(server: FakeServer, ms: number) {
  const clock = createFakeClock();
  const { connection, wake } = connectTo(server, { clock });
  open.push(connection);
  await connection.connect();
  const call = (options: CallOptions = {}): Promise<unknown> =>
    connection
      .use((session, request) => session.call('tools/call', { name: 'a', arguments: {} }, request), {
        ...options,
        deadline: new CallDeadline({ ms, tool: 'a', server: () => 'fake' }, wake),
      })
      .catch((error: unknown) => error);
  return { clock, call };
}

const stateful = statefulServer(() => ({ tools: [fakeTool('a')] }));
const timedOut = { code: 'call-timeout', details: { server: 'fake', limit: 'total', afterMs: 1500 } };

test('the time of a call ends also while a connection that may be dead is looked at', async () => {
  const server = createFakeServer((asked, transport) =>
    ['tools/call', 'ping'].includes(asked.method) ? 'silence' : stateful(asked, transport),
  );
  const { clock, call } = await connected(server, 1500);
  const hung = call();
  await clock.advance(1500);
  expect(await hung).toMatchObject(timedOut);
  const next = call();
  await clock.advance(1500);
  expect(await next).toMatchObject(timedOut);
  expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(1);
});

test('a call that is made once more has no more time than it had', async () => {
  const server = createFakeServer((asked, transport) => {
    if (asked.method !== 'tools/call') return stateful(asked, transport);
    return asked.start === 1 ? 'exit' : 'silence';
  });
  const { clock, call } = await connected(server, 1500);
  const safe = call({ isSafe: true });
  await clock.advance(500);
  expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(2);
  await clock.advance(1000);
  expect(await safe).toMatchObject(timedOut);
});
