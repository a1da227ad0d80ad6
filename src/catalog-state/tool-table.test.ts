import { expect, test } from 'vitest';

import { createNameTable } from '../catalog/public-names.ts';
import type { Connection } from '../connection/connection.ts';
import type { Policy } from '../policy/policy.ts';
import { createToolTable, type KnownServer } from './tool-table.ts';

test('servers that come up one by one cost one look at each tool, whenever somebody looks', () => {
  const asked: string[] = [];
  const decideFor: Policy['decideFor'] = ({ server }, tool) => {
    asked.push(`${server}.${tool}`);
    return { decision: 'allow', reason: '' };
  };
  const policy: Policy = {
    decide: (question) => decideFor(question, question.tool),
    decideFor,
    decideBuiltIn: () => ({ decision: 'ask', reason: '' }),
    problems: [],
  };
  const table = createToolTable(createNameTable({ profile: 'double', maxLength: 64 }), () => undefined);
  const servers = ['a', 'b', 'c'].map((ref) => serverOf(ref));
  for (const count of [1, 2, 3]) table.update(servers.slice(0, count), policy);
  expect(asked).toEqual([]);

  const names = table.list().map(({ name }) => name);
  expect(names).toEqual(['mcp__a__echo', 'mcp__b__echo', 'mcp__c__echo']);
  expect(table.list()).toBe(table.list());
  expect(asked).toEqual(['a.echo', 'b.echo', 'c.echo']);

  table.update(servers.slice(0, 2), policy);
  expect(table.list()).toHaveLength(2);
  expect(table.find('mcp__c__echo')).toBeUndefined();
});

test.each([
  [
    ['a', 'b'],
    'echo',
    '"echo" of "a" and "echo" of "b" would both be called echo: each has a longer name now',
  ],
  [
    ['a', 'b', 'c'],
    'echo',
    '"echo" of "a" and "echo" of "b" and "echo" of "c" would all be called echo: each has a longer name now',
  ],
  [
    ['a'],
    'search_tools',
    '"search_tools" of "a" and holt\'s own "search_tools" would both be called search_tools: each but holt\'s own has a longer name now',
  ],
  [
    ['a', 'b'],
    'search_tools',
    '"search_tools" of "a" and "search_tools" of "b" and holt\'s own "search_tools" would all be called search_tools: each but holt\'s own has a longer name now',
  ],
])('tools of %j that are called %s are told with all who want the name', (refs, name, message) => {
  const told: unknown[] = [];
  const table = createToolTable(createNameTable({ profile: 'bare', maxLength: 64 }), (event, facts) =>
    told.push([event, facts]),
  );
  table.update(
    refs.map((ref) => serverOf(ref, name)),
    allowing,
  );
  expect(told).toEqual([['mcp.warning', { server: 'a', code: 'name-clash', message }]]);
});

const allowing: Policy = {
  decide: () => ({ decision: 'allow', reason: '' }),
  decideFor: () => ({ decision: 'allow', reason: '' }),
  decideBuiltIn: () => ({ decision: 'ask', reason: '' }),
  problems: [],
};

function serverOf(ref: string, name = 'echo'): KnownServer {
  const entry = { ref, trust: 'approved', definition: { name: ref, origin: { agent: 'holt' } } };
  const tool = { name, inputSchema: { type: 'object' as const } };
  return {
    connection: { entry } as Connection, // all that the table looks at
    known: {
      source: [tool],
      tools: [{ name, digest: '', tool }],
      withheld: [],
      refused: [],
      instructionsChanged: [],
    },
  };
}
