import { expect, test } from 'vitest';

import { loadRoster } from '../roster/load-roster.ts';
import { loadApprovals } from '../trust/load-approvals.ts';
import { createTrustStore } from '../trust/trust-store.ts';
import { makeMachine, memoryFiles, type AgentCase } from '../../tests/support/agent-machine.ts';
import { loadPolicy } from './load-policy.ts';
import { createPolicy } from './policy.ts';
import type { PolicyRules } from './policy-rule.ts';

interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  /** A file that exists and cannot be read. */
  readonly unreadable?: string;
  /** The server is a project's, and approved. */
  readonly approved?: boolean;
}

async function wordFor(
  tool: string,
  files: AgentCase['files'],
  given?: PolicyRules,
  { env = {}, unreadable = '', approved = false }: Circumstances = {},
): Promise<string> {
  const machine = makeMachine({ env });
  const inMemory = memoryFiles(machine, {
    '~/.claude.json': '{"mcpServers": {"fs": {"command": "run"}}}',
    ...files,
  });
  const memory: typeof inMemory = {
    ...inMemory,
    load: (place, maxBytes) =>
      unreadable !== '' && place.endsWith(unreadable)
        ? { kind: 'not-regular', what: 'a folder' }
        : inMemory.load(place, maxBytes),
  };
  const store = createTrustStore(machine, memory);
  const approvals = loadApprovals(machine, memory, { store });
  const parts = { machine, files: memory, identity: undefined, approvals, store, given };
  const roster = await loadRoster({}, parts);
  const [entry] = roster.servers;
  if (entry === undefined) throw new Error('the server is missing');
  const { definition } = entry;
  const own = approved
    ? { ...entry, trust: 'approved' as const, definition: { ...definition, guarded: true } }
    : entry;
  const policy = createPolicy(await loadPolicy({ ...roster, servers: [own] }, parts));
  return policy.decide({ server: 'fs', tool, definition: own.definition, approved }).decision;
}

const claudes = {
  '~/.claude/settings.json': '{"permissions": {"allow": ["mcp__fs"], "deny": ["mcp__fs__rm"]}}',
};
const managed = (permissions: object): AgentCase['files'] => ({
  '/etc/holt/managed.json': JSON.stringify({ settings: { permissions } }),
});

test('where an administrator says what is allowed, nobody else’s allow rules count, and all that deny do', async () => {
  const locked = { ...claudes, ...managed({ allow: ['mcp__fs__read'] }) };
  expect(await wordFor('read', locked)).toBe('allow');
  expect(await wordFor('list', locked)).toBe('ask');
  expect(await wordFor('list', locked, { allow: ['mcp__fs'] })).toBe('ask');
  expect(await wordFor('rm', locked)).toBe('deny');
});

test('an administrator who only denies takes nothing else away', async () => {
  const files = { ...claudes, ...managed({ deny: ['mcp__fs__drop'] }) };
  expect(await wordFor('list', files)).toBe('allow');
  expect(await wordFor('drop', files)).toBe('deny');
});

test('rules of an agent whose servers are left out still hold things back', async () => {
  const files = {
    ...claudes,
    '~/.holt/config.json': '{"agents": ["!opencode"]}',
    '~/.config/opencode/opencode.json': '{"tools": {"fs_x": false}}',
  };
  expect(await wordFor('x', files)).toBe('deny');
});

test('a key that is written twice holds back by both, and allows by the last', async () => {
  const twice = {
    '~/.claude/settings.json':
      '{"permissions": {"deny": ["mcp__fs__a"], "deny": ["mcp__fs__b"], "allow": ["mcp__fs__c"], "allow": ["mcp__fs__d"]}}',
  };
  const words = await Promise.all(['a', 'b', 'c', 'd'].map((tool) => wordFor(tool, twice)));
  expect(words).toEqual(['deny', 'deny', 'ask', 'allow']);
});

test('a default that is none of the three words is ask', async () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a program without types may say
  expect(await wordFor('x', {}, { default: 'yes' as 'allow' })).toBe('ask');
});

test('the rules of a file that cannot be used are unknown, so everything that they could deny is asked', async () => {
  const broken = { '~/.claude/settings.json': '{"permissions": ' };
  expect(await wordFor('x', broken, { allow: ['mcp__fs'] })).toBe('ask');
  const files = { '~/.claude/settings.json': '{}' };
  expect(await wordFor('x', files, { allow: ['mcp__fs'] }, { unreadable: 'settings.json' })).toBe('ask');
});

test('a broken file of an agent that is left out is noticed as well', async () => {
  const files = {
    '~/.holt/config.json': '{"agents": ["!opencode"]}',
    '~/.config/opencode/opencode.json': '{"tools": ',
  };
  expect(await wordFor('x', files, { allow: ['mcp__fs'] })).toBe('ask');
});

test('rules in the environment count like those of a file', async () => {
  const env = { OPENCODE_CONFIG_CONTENT: '{"tools": {"fs_x": false}}' };
  expect(await wordFor('x', {}, {}, { env })).toBe('deny');
});

test('an approved server of a project has no remembered answers before one was given', async () => {
  expect(await wordFor('x', {}, {}, { approved: true })).toBe('ask');
});
