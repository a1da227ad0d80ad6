import { expect, test } from 'vitest';

import { createNameTable } from '../../catalog/public-names.ts';
import type { Connection } from '../../connection/connection.ts';
import type { Policy } from '../../policy/policy.ts';
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
  const servers = ['a', 'b', 'c'].map(serverOf);
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

function serverOf(ref: string): KnownServer {
  const entry = { ref, trust: 'approved', definition: { name: ref, origin: { agent: 'holt' } } };
  const tool = { name: 'echo', inputSchema: { type: 'object' as const } };
  return {
    connection: { entry } as Connection, // all that the table looks at
    known: {
      source: [tool],
      tools: [{ name: 'echo', digest: '', tool }],
      withheld: [],
      instructionsChanged: [],
    },
  };
}
