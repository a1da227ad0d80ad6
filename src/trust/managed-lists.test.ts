import { describe, expect, test } from 'vitest';

import { makeMachine, memoryFiles } from '../../tests/support/agent-machine.ts';
import { asUsers, projectProgram, projectRemote } from '../../tests/support/sample-servers.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { loadManagedLists, verdictOfLists } from './managed-lists.ts';

const machine = makeMachine();
const verdict = (lists: unknown, definition: ServerDefinition): 'allowed' | 'blocked' => {
  const text = typeof lists === 'string' ? lists : JSON.stringify(lists);
  return verdictOfLists(
    definition,
    loadManagedLists(machine, memoryFiles(machine, { '/etc/holt/managed.json': text })),
  );
};

const npx = asUsers(projectProgram('npx', ['-y', 'evil']));
const web = asUsers(projectRemote('https://mcp.good.test/v1'));

test('without a file, or without lists, everything is allowed', () => {
  expect(verdictOfLists(npx, loadManagedLists(machine, memoryFiles(machine, {})))).toBe('allowed');
  expect([verdict({}, npx), verdict({ mcpServers: {} }, web)]).toEqual(['allowed', 'allowed']);
});

describe('a deny-list', () => {
  test.each([
    ['by name', { name: 'shop' }, npx],
    ['by name in capitals', { name: 'SHOP' }, npx],
    ['by command', { command: ['npx', '-y', 'evil'] }, npx],
    ['by the beginning of a command', { command: 'npx' }, npx],
    [
      'by command under any path',
      { command: ['npx', '-y'] },
      asUsers(projectProgram('/opt/bin/npx', ['-y', 'x'])),
    ],
    ['by URL', { url: 'https://mcp.good.test/*' }, web],
    [
      'by URL in any spelling',
      { url: 'https://mcp.good.test/*' },
      asUsers(projectRemote('HTTPS://user:pw@MCP.Good.Test/v1')),
    ],
    ['by every URL', { url: '*' }, web],
  ])('blocks %s', (_how, item, definition) => {
    expect(verdict({ deniedServers: [item] }, definition)).toBe('blocked');
  });

  test.each([
    ['another name', { name: 'shopping' }, npx],
    ['another command', { command: ['npx', 'evil'] }, npx],
    ['a longer command', { command: ['npx', '-y', 'evil', 'more'] }, npx],
    ['another host', { url: 'https://*.evil.test/*' }, web],
    ['another scheme', { url: 'http://mcp.good.test/*' }, web],
    ['a command list for URLs', { command: 'npx' }, web],
  ])('lets %s through', (_how, item, definition) => {
    expect(verdict({ deniedServers: [item] }, definition)).toBe('allowed');
  });
});

describe('an allow-list', () => {
  test('allows what it names and nothing else', () => {
    const lists = { allowedServers: [{ command: ['npx', '-y'] }, { url: 'https://*.good.test/*' }] };
    expect(verdict(lists, npx)).toBe('allowed');
    expect(verdict(lists, web)).toBe('allowed');
    expect(verdict(lists, asUsers(projectProgram('uvx', ['x'])))).toBe('blocked');
    expect(verdict({ allowedServers: [] }, npx)).toBe('blocked');
  });

  test.each([
    'https://evil.test/?x=.good.test/',
    'https://evil.test/.good.test/',
    'https://evil.test\\.good.test/',
    'https://a.good.test@evil.test/',
    'https://a.good.test:x@evil.test/',
    'https://evil.test#.good.test/',
    'http://a.good.test/',
    'https://good.test.evil.test/',
    'https://${HOST}.good.test.evil/',
  ])('is not deceived by %s', (url) => {
    expect(verdict({ allowedServers: [{ url: 'https://*.good.test/*' }] }, asUsers(projectRemote(url)))).toBe(
      'blocked',
    );
  });

  test('is exact about programs and names', () => {
    expect(verdict({ allowedServers: [{ command: 'npx' }] }, asUsers(projectProgram('./npx')))).toBe(
      'blocked',
    );
    expect(verdict({ allowedServers: [{ name: 'Shop' }] }, npx)).toBe('blocked');
  });

  test('a URL without a path means that server’s root, or any path after a star', () => {
    const root = asUsers(projectRemote('https://good.test'));
    expect(verdict({ allowedServers: [{ url: 'https://good.test' }] }, root)).toBe('allowed');
    expect(verdict({ allowedServers: [{ url: 'https://mcp.good.test' }] }, web)).toBe('blocked');
    expect(verdict({ allowedServers: [{ url: 'https://mcp.good.te*' }] }, web)).toBe('allowed');
    expect(verdict({ allowedServers: [{ url: 'https://mcp.good.test/v*1' }] }, web)).toBe('allowed');
  });
});

describe('an invalid rule blocks', () => {
  test.each([
    ['text that is no JSON', '{'],
    ['something else than an object', '[]'],
    ['a deny-list that is no list', { deniedServers: { name: 'x' } }],
    ['an item that names nothing', { deniedServers: [{}] }],
    ['an item that names two things', { deniedServers: [{ name: 'x', url: 'https://y.test' }] }],
    ['a command with a number in it', { deniedServers: [{ command: ['npx', 5] }] }],
    ['an empty command', { deniedServers: [{ command: [] }] }],
    ['an empty name', { deniedServers: [{ name: '' }] }],
    ['an allow-list that is no list', { allowedServers: 'npx' }],
    ['an allowed command with a number in it', { allowedServers: [{ command: ['npx', 5] }] }],
    ['an allowed command that is empty', { allowedServers: [{ command: [] }] }],
  ])('%s', (_what, lists) => {
    expect([verdict(lists, npx), verdict(lists, web)]).toEqual(['blocked', 'blocked']);
  });

  test('an unreadable file blocks', () => {
    const files = {
      ...memoryFiles(machine, {}),
      load: () => ({ kind: 'unreadable', reason: 'permission denied' }) as const,
    };
    expect(verdictOfLists(npx, loadManagedLists(machine, files))).toBe('blocked');
  });

  test('the administrator’s own servers are never blocked', () => {
    const managed = { ...npx, origin: { ...npx.origin, scope: 'managed' } } as const;
    expect([verdict('{', managed), verdict({ deniedServers: [{ name: 'shop' }] }, managed)]).toEqual([
      'allowed',
      'allowed',
    ]);
  });
});
