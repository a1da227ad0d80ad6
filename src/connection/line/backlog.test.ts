/** Tests of the backlog: what nobody could hear yet is kept in order, and not for ever. */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import { openAccount } from '../../../tests/support/receive-accounts.ts';
import { withReceipt } from '../../transports/server-transport.ts';
import { createBacklog } from './backlog.ts';

const message = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'ping' });
const heard = (backlog: ReturnType<typeof createBacklog>): readonly unknown[] => {
  const all: unknown[] = [];
  backlog.empty((one) => all.push(one));
  return all;
};

test('keeps what came in its order, and hands it out once', () => {
  const backlog = createBacklog();
  backlog.keep(message(1), undefined);
  backlog.keep(message(2), undefined);
  expect([heard(backlog), heard(backlog)]).toEqual([[message(1), message(2)], []]);
});

test('tells once that something came, at once when it is there already', () => {
  const told: string[] = [];
  const early = createBacklog();
  early.keep(message(1), undefined);
  early.when(() => told.push('early'));
  const late = createBacklog();
  late.when(() => told.push('late'));
  late.keep(message(1), undefined);
  late.keep(message(2), undefined);
  expect(told).toEqual(['early', 'late']);
});

test('does not grow without end', () => {
  const backlog = createBacklog();
  for (let id = 0; id < 1500; id += 1) backlog.keep(message(id), undefined);
  expect(heard(backlog)).toHaveLength(1000);
});

test('T122: keeps no more than 16 MiB of messages', () => {
  const backlog = createBacklog();
  const extra = withReceipt(openAccount().receive({ bytes: 5 << 20, nodes: 0 }));
  for (let id = 0; id < 10; id += 1) backlog.keep(message(id), extra);
  backlog.keep(message(10), undefined);
  expect(heard(backlog)).toEqual([0, 1, 2, 10].map(message));
});
