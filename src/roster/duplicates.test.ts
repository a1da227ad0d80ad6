import { expect, test } from 'vitest';

import { plainDefinition } from '../../tests/support/plain-definition.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import { findDuplicates } from './roster-problems.ts';
import type { RosterEntry } from './rank.ts';

interface Sample {
  readonly agent?: AgentId;
  readonly command?: string;
  readonly enabled?: boolean;
  /** Other agents that have the same entry, each with its state. */
  readonly alsoIn?: Partial<Record<AgentId, 'on' | 'off'>>;
}

function server(
  name: string,
  { agent = 'cursor', command = 'gh-mcp', enabled = true, alsoIn = {} }: Sample = {},
): RosterEntry {
  const plain = plainDefinition('claude', { kind: 'stdio', command, args: [], env: {}, envFrom: {} });
  const place = (of: AgentId) => ({ ...plain.origin, agent: of, file: `/${of}` });
  const copies = Object.entries(alsoIn) as readonly (readonly [AgentId, 'on' | 'off'])[]; // the type of the sample
  const definition = {
    ...plain,
    name,
    enabled,
    origin: place(agent),
    alsoIn: copies.map(([of, state]) => ({ ...place(of), enabled: state === 'on' })),
  };
  return { ref: name, definition, trust: 'open', shadows: [], scopes: ['user'] };
}

const messages = (...servers: readonly RosterEntry[]): readonly string[] =>
  findDuplicates(servers).map(({ message }) => message);

test('a server under two names of one agent is one problem, reported at the second', () => {
  expect(findDuplicates([server('a'), server('b'), server('c', { command: 'other' })])).toEqual([
    {
      severity: 'warning',
      code: 'server-duplicate',
      file: '/cursor',
      line: 1,
      column: 1,
      server: 'b',
      message: '"a" and "b" are the same server under two names',
      remedy: 'Remove or disable one of them.',
    },
  ]);
});

test('a server under many names is one problem that lists them all', () => {
  const names = ['a', 'b', 'c', 'd'];
  expect(messages(...names.map((name) => server(name)))).toEqual([
    '"a", "b", "c" and "d" are the same server under 4 names',
  ]);
});

test('two servers under two names each are two problems', () => {
  const other = { command: 'other' };
  expect(messages(server('a'), server('b'), server('c', other), server('d', other))).toEqual([
    '"a" and "b" are the same server under two names',
    '"c" and "d" are the same server under two names',
  ]);
});

test('different names in different agents are not a problem', () => {
  expect(messages(server('a'), server('b', { agent: 'codex' }), server('c', { agent: 'zed' }))).toEqual([]);
});

test('only names of the same agent are listed', () => {
  expect(messages(server('a'), server('b', { agent: 'codex' }), server('c'))).toEqual([
    '"a" and "c" are the same server under two names',
  ]);
});

test('copies count for the agents that have them enabled', () => {
  const first = server('a', { alsoIn: { codex: 'on' } });
  expect(messages(first, server('b', { agent: 'codex' }))).toHaveLength(1);
  const off = server('a', { alsoIn: { codex: 'off' } });
  expect(messages(off, server('b', { agent: 'codex' }))).toEqual([]);
});

test('disabled servers are not duplicates', () => {
  expect(messages(server('a'), server('b', { enabled: false }))).toEqual([]);
});
