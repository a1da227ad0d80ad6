/** A connection whose name was another one's, which is not gone yet. */

import { expect, test } from 'vitest';

import { connectTo } from '../../tests/support/fake-connection.ts';
import { createFakeServer, fakeTool, statefulServer } from '../../tests/support/fake-server.ts';
import { HoltError } from '../kernel/errors.ts';
import type { TrustedServer } from '../trust/trust-gate.ts';
import { createSupervisor } from './supervisor.ts';

function succeed() {
  let admitted = 0;
  let leave: (() => void) | undefined;
  const closing = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const admit = ({ definition }: { readonly definition: object }): Promise<TrustedServer> => {
    admitted += 1;
    return Promise.resolve(definition as TrustedServer); // nothing to ask about here
  };
  const server = createFakeServer(statefulServer(() => ({ tools: [fakeTool('a')] })));
  const { connection } = connectTo(server, { closing, parts: { admit } });
  return { connection, server, admitted: () => admitted, leave: () => leave?.() };
}

test('nobody is asked about it, and nothing started, before the other one is gone', async () => {
  const { connection, server, admitted, leave } = succeed();
  const connecting = connection.connect();
  const calling = connection.use((session) => Promise.resolve(session.lists.tools.length));
  await new Promise(setImmediate);
  expect([connection.status(), admitted(), server.transports.length]).toEqual([
    { status: 'connecting', phase: 'disconnected' },
    0,
    0,
  ]);
  leave();
  expect([await connecting, await calling, admitted()]).toEqual([{ status: 'connected' }, 1, 1]);
  await connection.disconnect();
});

test('disconnected meanwhile it is never started, and is gone when the other one is', async () => {
  const { connection, server, admitted, leave } = succeed();
  const connecting = connection.connect();
  let isOver = false;
  const disconnecting = connection.disconnect().then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect([isOver, connection.status()]).toEqual([false, { status: 'idle' }]);
  leave();
  await disconnecting;
  expect([await connecting, admitted(), server.transports.length]).toEqual([{ status: 'idle' }, 0, 0]);
});

test('whoever closes all waits for those that had to go before as well', async () => {
  const server = createFakeServer(statefulServer(() => ({ tools: [fakeTool('a')] })));
  const { parts, entry } = connectTo(server);
  const supervisor = createSupervisor(parts);
  await supervisor.add(entry).connect();
  const [transport] = server.transports;
  let leave: (() => void) | undefined;
  if (transport !== undefined)
    transport.close = () =>
      new Promise((resolve) => {
        leave = resolve;
      });
  const why = new HoltError('host-closed', 'The host is closed', { reason: 'close() was called' });
  const removing = supervisor.remove('fake', why);
  let isOver = false;
  const closing = supervisor.close(why).then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect([supervisor.connections.size, isOver]).toEqual([0, false]);
  leave?.();
  await Promise.all([removing, closing]);
});
