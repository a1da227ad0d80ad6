import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import { createReceiveBudget, type ReceiveAccount, type ReceiveBudget } from './receive-budget.ts';

const mebibyte = 1 << 20;

/** A source whose pauses are written down. */
function openSource(account: ReceiveAccount) {
  const source = account.openSource();
  const seen: string[] = [];
  source.attach({ pause: () => seen.push('pause'), resume: () => seen.push('resume') });
  return { source, seen };
}

function open(limit = 64 * mebibyte): ReceiveBudget {
  return createReceiveBudget(() => limit);
}

const message = (bytes: number) => ({ bytes, nodes: 0 });

describe('what is received and not delivered', () => {
  test('T122: a message counts until the turn after it came, and for as long as it is kept', async () => {
    const budget = open();
    const receipt = budget.openAccount().receive(message(mebibyte));
    const leave = receipt.keep();
    await nextTurn();
    expect(budget.heldBytes).toBe(mebibyte);
    leave();
    leave();
    expect(budget.heldBytes).toBe(mebibyte);
    await nextTurn();
    expect(budget.heldBytes).toBe(0);
  });

  test('T122: a message of much structure counts as what it takes in memory', () => {
    const budget = open();
    budget.openAccount().receive({ bytes: 100_000, nodes: 90_000 });
    expect(budget.heldBytes).toBe(16 * 90_000);
  });

  test('T122: over the limit a server that holds much is stopped until enough of it is taken', async () => {
    const budget = open();
    const account = budget.openAccount();
    const { source, seen } = openSource(account);
    const leave = account.receive(message(60 * mebibyte)).keep();
    source.hold(3 * mebibyte);
    await nextTurn();
    expect([seen, source.isPaused]).toEqual([[], false]);
    source.hold(5 * mebibyte);
    expect([seen, source.isPaused]).toEqual([['pause'], true]);
    leave();
    await nextTurn();
    await nextTurn();
    expect([seen, source.isPaused, budget.heldBytes]).toEqual([['pause', 'resume'], false, 5 * mebibyte]);
  });

  test('T122: a server that holds little goes on meanwhile', () => {
    const budget = open();
    const hog = budget.openAccount();
    hog.receive(message(70 * mebibyte)).keep();
    const small = openSource(budget.openAccount());
    const large = openSource(hog);
    small.source.hold(mebibyte);
    large.source.hold(1);
    expect([small.seen, large.seen]).toEqual([[], ['pause']]);
  });

  test('T122: when only halves of messages are held, one goes on at a time until each is complete', async () => {
    const budget = open(16 * mebibyte);
    const account = budget.openAccount();
    const sources = [1, 2, 3].map(() => openSource(account));
    const leaving: (() => void)[] = [];
    for (const { source } of sources) source.hold(6 * mebibyte);
    const reading = (): readonly number[] =>
      sources.flatMap(({ source }, index) => (source.isPaused ? [] : [index]));
    const order: (readonly number[])[] = [];
    for (const [index, { source }] of sources.entries()) {
      await nextTurn();
      await nextTurn();
      order.push(reading());
      expect(source.isPaused).toBe(false);
      source.hold(8 * mebibyte);
      // It is complete, and somebody is slow to take it.
      source.end();
      leaving.push(account.receive(message(8 * mebibyte)).keep());
      await nextTurn();
      if (index === 0) expect(sources.map((each) => each.source.isPaused)).toEqual([false, true, true]);
      leaving.pop()?.();
      await nextTurn();
    }
    expect(order[0]).toEqual([0]);
    await nextTurn();
    expect(budget.heldBytes).toBe(0);
  });

  test('T122: of halves of messages, that of the server which holds least goes on', () => {
    const budget = open(16 * mebibyte);
    const hog = budget.openAccount();
    const first = openSource(hog);
    const second = openSource(hog);
    const other = openSource(budget.openAccount());
    first.source.hold(8 * mebibyte);
    second.source.hold(6 * mebibyte);
    other.source.hold(3 * mebibyte);
    expect([first, second, other].map(({ source }) => source.isPaused)).toEqual([true, true, false]);
    other.source.hold(15 * mebibyte);
    expect(other.source.isPaused).toBe(false);
  });

  test('T122: a source that ends is counted no longer, and may begin again', async () => {
    const budget = open(16 * mebibyte);
    const { source, seen } = openSource(budget.openAccount());
    const waiting = budget
      .openAccount()
      .receive(message(15 * mebibyte))
      .keep();
    source.hold(4 * mebibyte);
    expect(seen).toEqual(['pause']);
    source.end();
    expect([source.isPaused, budget.heldBytes]).toEqual([false, 15 * mebibyte]);
    source.attach({ pause: () => seen.push('again'), resume: () => undefined });
    source.hold(4 * mebibyte);
    expect(seen).toEqual(['pause', 'again']);
    waiting();
    await nextTurn();
    await nextTurn();
    expect([source.isPaused, budget.heldBytes]).toEqual([false, 4 * mebibyte]);
  });
});
