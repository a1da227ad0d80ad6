/** The table of tools keeps in step with servers that come up and rules that change while it is made. */

import { expect, test } from 'vitest';

import type { Connection } from '../connection/connection.ts';
import { createPolicy, type Policy } from '../policy/policy.ts';
import type { CurrentPolicy } from './current-policy.ts';
import { KnownTools } from './known-tools.ts';
import type { ServerTools, ServerToolsStore } from './server-tools.ts';
import type { ToolTable } from './tool-table.ts';

const makePolicy = (): Policy => createPolicy({ rules: [], default: 'ask', servers: [], locked: false });

/** A table that only remembers what it was made from. */
function tableInto(update: (...given: Parameters<ToolTable['update']>) => void): ToolTable {
  return {
    update: (servers, policy) => {
      update(servers, policy);
      return new Set();
    },
    list: () => [],
    find: () => undefined,
    at: () => undefined,
    pairOf: () => undefined,
    give: () => undefined,
    isGiven: () => false,
    byUsualName: () => [],
    wantedBy: () => [],
    mayBeOf: () => false,
  };
}

const noServerTools: ServerToolsStore = {
  current: () => undefined,
  latest: () => undefined,
  refresh: () => Promise.resolve(undefined),
  recheck: () => Promise.resolve(false),
  carryOver: () => undefined,
  takeCached: () => undefined,
  forget: () => undefined,
};

const rulesOf = (read: () => Promise<Policy>): CurrentPolicy => ({
  read,
  current: () => undefined,
  problems: () => [],
  remember: () => Promise.resolve(),
});

test('rules that were read again while it looked are those that decide', async () => {
  const [before, after] = [makePolicy(), makePolicy()];
  const reads = [before, after];
  const updates: Policy[] = [];
  const known = new KnownTools({
    serverTools: noServerTools,
    table: tableInto((_, policy) => void updates.push(policy)),
    supervisor: { connections: new Map() },
    emitChanges: () => undefined,
    policy: rulesOf(() => Promise.resolve(reads.shift() ?? after)),
  });
  await known.refresh();
  expect(updates).toEqual([after]);
  expect(updates[0]).toBe(after);
});

interface Looks {
  readonly known: KnownTools;
  /** What the table was made from, one after the other. */
  readonly updates: (readonly string[])[];
  readonly looked: string[];
  /** Lets the look at this server end. */
  readonly end: (name: string) => void;
  readonly at: (name: string) => Connection;
}

/** Servers that are up and stay unknown until a look at them has ended. */
function looksAt(...names: readonly string[]): Looks {
  const policy = makePolicy();
  const found = new Map<Connection, ServerTools>();
  const ends = new Map<string, () => void>();
  const [looked, updates]: [string[], (readonly string[])[]] = [[], []];
  const all = new Map(names.map((name) => [name, upAs(name)]));
  const look = async (connection: Connection): Promise<ServerTools> => {
    const { ref } = connection.entry;
    looked.push(ref);
    await new Promise<void>((resolve) => ends.set(ref, resolve));
    const tools: ServerTools = { source: [], tools: [], withheld: [], refused: [], instructionsChanged: [] };
    found.set(connection, tools);
    return tools;
  };
  const get = (connection: Connection): ServerTools | undefined => found.get(connection);
  const table = tableInto((servers) => {
    updates.push(servers.map(({ connection }) => connection.entry.ref));
  });
  return {
    known: new KnownTools({
      serverTools: { ...noServerTools, current: get, latest: get, refresh: look },
      table,
      supervisor: { connections: all },
      emitChanges: () => undefined,
      policy: rulesOf(() => Promise.resolve(policy)),
    }),
    updates,
    looked,
    end: (name) => ends.get(name)?.(),
    at: (name) => all.get(name) ?? upAs(name),
  };
}

const upAs = (ref: string): Connection =>
  ({ entry: { ref }, status: () => ({ status: 'connected' }) }) as Connection; // all that is looked at here

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a server that comes up is looked at alone, and those that are known stay in the table', async () => {
  const { known, updates, looked, end, at } = looksAt('a', 'b', 'c');
  for (const name of ['a', 'c', 'a']) {
    const refreshed = known.refresh(at(name));
    await turn();
    end(name);
    await refreshed;
  }
  expect({ looked, updates }).toEqual({ looked: ['a', 'c'], updates: [['a'], ['a', 'c'], ['a', 'c']] });
});

test('what began earlier and ends later does not undo what began later', async () => {
  const { known, updates, end, at } = looksAt('a', 'b');
  const early = known.refresh(at('a'));
  const late = known.refresh(at('b'));
  await turn();
  end('b');
  await late;
  end('a');
  await early;
  expect(updates).toEqual([['b'], ['a', 'b']]);
});
