/** A name is somebody's once it was published; before that, one that two want is nobody's, whoever came first. */

import { describe, expect, test } from 'vitest';

import type { NamingProfile } from '../../settings/settings.ts';
import { createNameTable, type NameTable, type ToolPair } from '../public-names.ts';
import { mayBeOf } from './candidates.ts';

const shared = 'mcp__a__b__c';
const one: ToolPair = { server: 'a', tool: 'b__c' };
const other: ToolPair = { server: 'a__b', tool: 'c' };

function come(table: NameTable, ...pairs: readonly ToolPair[]): ReadonlySet<string> {
  return table.update(pairs.map(({ server, tool }) => ({ server, tools: [tool] }))).renamed;
}

function tableOf(profile: NamingProfile = 'double'): NameTable {
  return createNameTable({ profile, maxLength: 64 });
}

describe('a name that two want', () => {
  test.each([[one, other] as const, [other, one] as const])(
    'is nobody’s when %j came before %j and nobody had asked',
    (first, second) => {
      const table = tableOf();
      come(table, first);
      expect(table.isPublished(shared)).toBe(false);
      expect(come(table, second)).toEqual(new Set());
      expect([table.pairOf(shared), table.isPublished(shared)]).toEqual([undefined, false]);
      expect(table.claimantsOf(shared)).toEqual([one, other]);
    },
  );

  test.each<readonly [string, (table: NameTable) => unknown]>([
    ['all names', (table) => table.publishAll()],
    ['just this one', (table) => table.publish(shared)],
    ['the name of the tool', (table) => table.nameOf(one)],
  ])('stays with the first when somebody was given %s', (_what, publish) => {
    const table = tableOf();
    come(table, one);
    publish(table);
    expect(table.isPublished(shared)).toBe(true);
    expect(come(table, other)).toEqual(new Set(['a']));
    expect([table.pairOf(shared), table.isPublished(shared)]).toEqual([one, true]);
    expect(come(table, other)).toEqual(new Set());
  });

  test('stays with the first only if it was that one that was given', () => {
    const table = tableOf();
    come(table, one, { server: 'z', tool: 'x' });
    table.publish('mcp__z__x');
    table.publish('mcp__nobody__x');
    come(table, other);
    expect([table.pairOf(shared), table.isPublished('mcp__z__x')]).toEqual([undefined, true]);
  });
});

describe('whoever wants a name', () => {
  test('is known also when it alone wants it, or had to give it up for one that looks alike', () => {
    const table = tableOf();
    const [plain, alike] = [
      { server: 'fs', tool: 'read' },
      { server: 'fs', tool: 'reád' },
    ];
    come(table, plain);
    expect(table.claimantsOf('mcp__fs__read')).toEqual([plain]);
    come(table, alike);
    expect(table.claimantsOf('mcp__fs__re_d')).toEqual([alike]);
    expect([table.claimantsOf('mcp__FS__read'), table.claimantsOf('mcp__fs__write')]).toEqual([[], []]);
  });

  test('is a server, never holt itself', () => {
    const table = tableOf('bare');
    expect(table.claimantsOf('mcp_auth')).toEqual([]);
    const auth = { server: 'fs', tool: 'mcp_auth' };
    come(table, auth);
    expect(table.claimantsOf('mcp_auth')).toEqual([auth]);
  });
});

test.each<readonly [NamingProfile, string, string, boolean]>([
  ['double', 'a', 'mcp__a__b__c', true],
  ['double', 'a__b', 'mcp__A__b__c', true],
  ['double', 'a-b', 'mcp__a__b__c', false],
  ['double', 'gіt', 'mcp__git__log', true],
  ['single', 'My-Server', 'mcp_my_server_go', true],
  ['plain', 'fs', 'fs_read', true],
  ['plain', 'fs', 'gs_read', false],
  ['bare', 'fs', 'read', false],
])('in the profile %s, a tool of %s may be called %s: %s', (profile, server, name, expected) => {
  expect(tableOf(profile).mayBeOf(name, server)).toBe(expected);
  expect(mayBeOf({ profile, maxLength: 64 }, server, name)).toBe(expected);
});
