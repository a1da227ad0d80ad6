/** What is told of a server's tools: against what was offered before, and against what was kept where nobody had looked. */

import { expect, test } from 'vitest';

import type { Connection } from '../connection/connection.ts';
import { createToolsChangedEvents } from './known-tools.ts';
import type { ListedTool } from './server-tools.ts';
import type { KnownServer } from './tool-table.ts';

const toolOf = (name: string, digest = name): ListedTool => ({
  name,
  digest,
  tool: { name, inputSchema: { type: 'object' } },
});

const connectionOf = (ref: string): Connection => ({ entry: { ref } }) as Connection; // all that is looked at here

const knownOf = (connection: Connection, ...tools: readonly ListedTool[]): KnownServer => ({
  connection,
  known: { source: undefined, tools, withheld: [], refused: [], instructionsChanged: [] },
});

interface Told {
  /** Who is told of when this is what there is. */
  readonly tell: (found: readonly KnownServer[], ...renamed: readonly string[]) => readonly string[];
}

function teller(
  early: readonly Connection[] = [],
  kept = new Map<Connection, readonly ListedTool[]>(),
): Told {
  const told: string[] = [];
  const tell = createToolsChangedEvents({
    emit: (_name, event) => void told.push('server' in event ? event.server : ''),
    serverTools: { takeCached: (connection) => kept.get(connection) },
    early,
  });
  return {
    tell: (found, ...renamed) => {
      tell(found, new Set(renamed));
      return told.splice(0);
    },
  };
}

test('a newcomer is told if it has tools, then each change, and that it is gone', () => {
  const [a, b] = [connectionOf('a'), connectionOf('b')];
  const { tell } = teller();
  expect(tell([knownOf(a, toolOf('x')), knownOf(b)])).toEqual(['a']);
  expect(tell([knownOf(a, toolOf('x')), knownOf(b)])).toEqual([]);
  expect(tell([knownOf(a, toolOf('x', 'other')), knownOf(b, toolOf('y'))])).toEqual(['a', 'b']);
  expect(tell([knownOf(a, toolOf('z', 'other')), knownOf(b, toolOf('y'))])).toEqual(['a']);
  expect(tell([knownOf(a, toolOf('z', 'other')), knownOf(b, toolOf('y'))], 'b')).toEqual(['b']);
  expect(tell([knownOf(b, toolOf('y'))])).toEqual(['a']);
  expect(tell([])).toEqual(['b']);
  expect(tell([])).toEqual([]);
});

test('one that was there from the beginning is compared with what was kept of it, once that is known', () => {
  const [same, other, fails, unseen] = ['same', 'other', 'fails', 'unseen'].map(connectionOf) as [
    Connection,
    Connection,
    Connection,
    Connection,
  ]; // four in, four out
  const kept = new Map([same, other, fails].map((connection) => [connection, [toolOf('x')]]));
  const { tell } = teller([same, other, fails, unseen], kept);
  expect(tell([knownOf(same, toolOf('x')), knownOf(other, toolOf('y'))])).toEqual(['other', 'fails']);
  expect(tell([knownOf(same), knownOf(other, toolOf('y'))])).toEqual(['same']);
  expect(tell([knownOf(same), knownOf(other, toolOf('y')), knownOf(unseen, toolOf('x'))])).toEqual([
    'unseen',
  ]);
});
