/** Which servers are started after an answer from memory: nobody may be asked for their sake, and none before its turn. */

import { expect, test } from 'vitest';

import { plainDefinition } from '../../tests/support/plain-definition.ts';
import type { Connection } from '../connection/connection.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { createBackgroundStarts } from './list-wait.ts';

const program = { kind: 'stdio', command: 'x', args: [], env: {}, envFrom: {} } as const;
const remote = { kind: 'http', url: 'https://example.test/mcp', headers: {}, headersFrom: {} } as const;

const definitions: Readonly<Record<string, ServerDefinition>> = {
  program: plainDefinition('vscode', program),
  remote: plainDefinition('vscode', remote),
  secret: plainDefinition('vscode', { ...program, env: { KEY: '${input:key}' } }),
  theirs: { ...plainDefinition('vscode', program), guarded: true },
  'their remote': { ...plainDefinition('vscode', remote), guarded: true },
};

interface Starts {
  readonly ask: (server?: string) => void;
  readonly started: string[];
  /** Lets the next turn come, and gives how many timers were set. */
  readonly turn: () => number;
  readonly close: () => void;
}

function startsOf({ firstHand = '', busy = '' } = {}): Starts {
  const started: string[] = [];
  const timers: (() => void)[] = [];
  const closing = new AbortController();
  const all = Object.entries(definitions).map(
    ([ref, definition]) =>
      ({
        entry: { ref, definition, trust: 'approved' },
        status: () => (ref === busy ? { status: 'disabled' } : { status: 'idle' }),
        connect: () => {
          started.push(ref);
          return Promise.resolve({ status: 'connected' });
        },
      }) as Connection, // all that is looked at here
  );
  const start = createBackgroundStarts({
    clock: { now: () => 0, setTimer: (_ms, fire) => (timers.push(fire), () => undefined) },
    closing: closing.signal,
    connections: () => all,
    isFirstHand: ({ entry }) => entry.ref === firstHand,
  });
  return {
    ask: (server) => start(server),
    started,
    turn: () => timers.splice(0).map((fire) => fire()).length,
    close: () => closing.abort(),
  };
}

test('all are, on a later turn and once, but those that might ask somebody', () => {
  const { ask, started, turn } = startsOf();
  ask();
  ask('program');
  expect(started).toEqual([]);
  expect(turn()).toBe(1);
  expect(started).toEqual(['program', 'remote', 'theirs']);
  ask();
  turn();
  expect(started).toHaveLength(3);
});

test('only those of the servers that somebody asked for, and none that has spoken, is not idle or is too late', () => {
  const { ask, started, turn, close } = startsOf({ firstHand: 'remote', busy: 'theirs' });
  for (const name of ['remote', 'theirs', 'secret']) ask(name);
  turn();
  expect(started).toEqual([]);
  ask();
  close();
  turn();
  expect(started).toEqual([]);
});
