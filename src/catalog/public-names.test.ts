/** Adversarial sets of servers and tools: every name is one pair's, whatever the order, and stays so. */

import { createHash } from 'node:crypto';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { NamingProfile } from '../settings/settings.ts';
import { listsOf } from '../../tests/support/tool-lists.ts';
import { createNameTable, type NameTable, type ToolPair } from './public-names.ts';

const profiles: readonly NamingProfile[] = ['double', 'single', 'plain', 'bare'];
const maxLength = 64;

function hashOf(server: string, tool: string): string {
  return createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8);
}

function pair(server: string, tool: string): ToolPair {
  return { server, tool };
}

function tableOf(pairs: readonly ToolPair[], profile: NamingProfile = 'double'): NameTable {
  const table = createNameTable({ profile, maxLength });
  table.update(listsOf(pairs));
  return table;
}

/** Names that others could be mistaken for: separators, case, width, accents, invisible and foreign letters, great length. */
const part = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'A',
    'a_',
    '_a',
    'a__b',
    'b__c',
    '__',
    '_',
    '',
    'a_b',
    'a-b',
    'a.b',
    'a b',
    'a/b',
  ),
  fc.constantFrom(
    'git',
    'Git',
    'ｇit',
    'g\u200bit',
    'gìt',
    'gіt',
    'git_',
    'git_git',
    'git\u0000',
    '\ud800',
    '\ud801',
  ),
  fc.constantFrom(
    '文件',
    '数据',
    'mcp',
    'mcp__a',
    '__proto__',
    'constructor',
    'mcp_auth',
    'search_tools',
    '🦦🦦',
  ),
  fc.constantFrom(
    'x'.repeat(200),
    `${'x'.repeat(199)}y`,
    'X'.repeat(200),
    `${'x'.repeat(60)}🦦${'y'.repeat(90)}`,
  ),
  fc.string({ unit: fc.constantFrom('a', 'A', '_', '-', '.', '\u200d', 'é', 'а', '0'), maxLength: 5 }),
);
/** Some tools are called as the hashed name of another would end. */
const pairs = fc
  .array(fc.tuple(part, part, fc.boolean()), { maxLength: 24 })
  .map((rows) =>
    rows.flatMap(([server, tool, twin]) => [
      pair(server, tool),
      ...(twin ? [pair(server, `${tool}_${hashOf(server, tool)}`)] : []),
    ]),
  );
const profile = fc.constantFrom(...profiles);

function distinct(list: readonly ToolPair[]): readonly ToolPair[] {
  return [...new Map(list.map((one) => [JSON.stringify([one.server, one.tool]), one])).values()];
}

function namesIn(table: NameTable, list: readonly ToolPair[]): readonly (string | undefined)[] {
  return list.map((one) => table.nameOf(one));
}

describe('public names over adversarial sets', () => {
  test('are unique even without case, at most 64 characters long, and route to their own pair', () => {
    fc.assert(
      fc.property(pairs, profile, (list, chosen) => {
        const table = tableOf(list, chosen);
        const all = distinct(list);
        const names = namesIn(table, all);
        expect(names.every((name) => name !== undefined && name !== '' && name.length <= maxLength)).toBe(
          true,
        );
        expect(new Set(names.map((name) => name?.toLowerCase())).size).toBe(all.length);
        expect(names.map((name) => table.pairOf(name ?? ''))).toEqual(all);
        if (chosen !== 'bare') expect(names.every((name) => /^[A-Za-z0-9_-]+$/.test(name ?? ''))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('do not depend on the order of arrival, nor on whether pairs come at once or one by one', () => {
    fc.assert(
      fc.property(pairs, profile, fc.infiniteStream(fc.nat()), (list, chosen, random) => {
        const shuffled = list
          .map((one) => ({ one, at: random.next().value as number })) // an infinite stream has no end value
          .toSorted((left, right) => left.at - right.at)
          .map(({ one }) => one);
        const step = createNameTable({ profile: chosen, maxLength });
        for (let count = 1; count <= shuffled.length; count += 1)
          step.update(listsOf(shuffled.slice(0, count)));
        expect(namesIn(step, list)).toEqual(namesIn(tableOf(list, chosen), list));
      }),
      { numRuns: 300 },
    );
  });

  test('change through a new server only where its own names clash', () => {
    fc.assert(
      fc.property(pairs, pairs, profile, (list, others, chosen) => {
        const added = others.map(({ tool }) => pair('newcomer', tool));
        const before = tableOf(list, chosen);
        const after = createNameTable({ profile: chosen, maxLength });
        after.update(listsOf(list));
        const { clashes } = after.update(listsOf([...list, ...added]));
        const clashing = new Set(clashes.flatMap((clash) => clash.pairs).map((one) => JSON.stringify(one)));
        const renamed = list.filter((one) => after.nameOf(one) !== before.nameOf(one));
        expect(renamed.filter((one) => !clashing.has(JSON.stringify(one)))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('never come to mean another pair, whoever comes and goes', () => {
    fc.assert(
      fc.property(fc.array(pairs, { maxLength: 5 }), profile, (rounds, chosen) => {
        const table = createNameTable({ profile: chosen, maxLength });
        const seen = new Map<string, ToolPair>();
        for (const list of rounds) {
          table.update(listsOf(list));
          for (const one of list) seen.set(table.nameOf(one) ?? '', seen.get(table.nameOf(one) ?? '') ?? one);
          for (const [name, one] of seen) expect(table.pairOf(name)).toEqual(one);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('names of two pairs that meet', () => {
  test('both end in their own hash, and the clash names both once', () => {
    const table = createNameTable({ profile: 'double', maxLength });
    const [one, other] = [pair('a', 'b__c'), pair('a__b', 'c')];
    expect(table.update(listsOf([one, other])).clashes).toEqual([
      { name: 'mcp__a__b__c', pairs: [one, other] },
    ]);
    expect(namesIn(table, [one, other])).toEqual([
      `mcp__a__b__c_${hashOf('a', 'b__c')}`,
      `mcp__a__b__c_${hashOf('a__b', 'c')}`,
    ]);
    expect(table.pairOf('mcp__a__b__c')).toBeUndefined();
    const { clashes, named } = table.update(listsOf([one, other]));
    expect(clashes).toEqual([]);
    expect(named.flatMap((list) => list.names())).toEqual(namesIn(table, [one, other]));
  });

  test('leave the old name with the pair that had it, also after that pair is gone', () => {
    const table = createNameTable({ profile: 'double', maxLength });
    const [first, second] = [pair('my.fs', 'read'), pair('my fs', 'read')];
    table.update(listsOf([first]));
    expect(table.nameOf(first)).toBe('mcp__my_fs__read');
    table.update(listsOf([second]));
    expect(table.nameOf(second)).toBe(`mcp__my_fs__read_${hashOf('my fs', 'read')}`);
    expect(table.pairOf('mcp__my_fs__read')).toEqual(first);
    expect(table.pairOf(`mcp__my_fs__read_${hashOf('my.fs', 'read')}`)).toEqual(first);
  });

  test.each([
    ['case', 'GitHub'],
    ['width', 'ｇithub'],
    ['an invisible character', 'git\u200bhub'],
    ['an accent', 'gìthub'],
    ['a letter of another script', 'gіthub'],
  ])('T64: differing only in %s clash', (_difference, twin) => {
    const list = [pair('github', 'search'), pair(twin, 'search')];
    const table = createNameTable({ profile: 'double', maxLength });
    expect(table.update(listsOf(list)).clashes.map(({ pairs: both }) => both)).toEqual([
      expect.arrayContaining(list) as unknown,
    ]);
    expect(namesIn(table, list).map((name) => name?.slice(-9))).toEqual(
      list.map(({ server, tool }) => `_${hashOf(server, tool)}`),
    );
  });

  test('T65: long names that share their beginning differ in their hash', () => {
    const list = [pair('fs', `${'x'.repeat(90)}1`), pair('fs', `${'x'.repeat(90)}2`)];
    const head = `mcp__fs__${'x'.repeat(46)}`;
    expect(namesIn(tableOf(list), list)).toEqual(
      list.map(({ server, tool }) => `${head}_${hashOf(server, tool)}`),
    );
  });

  test('a tool that calls itself as another’s hashed name gets neither that name nor takes it away', () => {
    const [first, second] = [pair('fs', 'read'), pair('FS', 'read')];
    const squatter = pair('fs', `read_${hashOf('fs', 'read')}`);
    const table = createNameTable({ profile: 'double', maxLength });
    table.update(listsOf([squatter]));
    const squatted = table.nameOf(squatter) ?? '';
    expect(squatted).toBe(`mcp__fs__read_${hashOf('fs', 'read')}`);
    table.update(listsOf([first, second, squatter]));
    expect(table.pairOf(squatted)).toEqual(squatter);
    expect(new Set(namesIn(table, [first, second, squatter])).size).toBe(3);
    expect(namesIn(table, [first, second, squatter])).not.toContain(squatted);
  });

  test('pairs with the same hash are told apart by a longer one', () => {
    const list = [pair('a\0b', 'c'), pair('a', 'b\0c')];
    const names = namesIn(tableOf(list, 'bare'), [...list, pair('x', 'c')]);
    expect(new Set(namesIn(tableOf(list, 'plain'), list)).size).toBe(2);
    expect(names.slice(0, 2)).toEqual(['c', 'b\0c']);
  });

  test('names of holt’s own tools are given to no server, in any case', () => {
    const list = [
      'list_mcp_resources',
      'read_mcp_resource',
      'mcp_auth',
      'search_tools',
      'describe_tool',
      'Call_Tool',
    ].map((tool) => pair('fs', tool));
    const table = createNameTable({ profile: 'bare', maxLength });
    expect(table.update(listsOf(list)).clashes).toHaveLength(list.length);
    expect(namesIn(table, list)).toEqual(list.map(({ server, tool }) => `${tool}_${hashOf(server, tool)}`));
    expect(namesIn(tableOf([pair('mcp', 'auth')], 'plain'), [pair('mcp', 'auth')])).toEqual([
      `mcp_auth_${hashOf('mcp', 'auth')}`,
    ]);
  });

  test('T62: all pairs of sixty adversarial names keep distinct names', () => {
    const words = ['a', 'b', 'a__b', 'b__c', 'a_', '_a', '__', 'A', 'a-b', 'a.b', 'x'.repeat(70), 'á'];
    const parts = words.flatMap((word) => [
      word,
      `${word}__`,
      `__${word}`,
      `${word}_${word}`,
      word.toUpperCase(),
    ]);
    const list = distinct(parts.flatMap((server) => parts.map((tool) => pair(server, tool))));
    const table = tableOf(list);
    expect(new Set(namesIn(table, list)).size).toBe(list.length);
    expect(namesIn(table, list).map((name) => table.pairOf(name ?? ''))).toEqual(list);
  });

  test('twenty thousand tools that all want one name get theirs in linear time', () => {
    const list = Array.from({ length: 20_000 }, (_, index) =>
      pair('fs', `\u4e00${String.fromCodePoint(0x4e00 + index)}`),
    );
    const table = tableOf(list);
    expect(new Set(namesIn(table, list)).size).toBe(list.length);
  });
});

describe('naming profiles', () => {
  test.each<readonly [NamingProfile, string, string, string]>([
    ['double', 'filesystem', 'read_file', 'mcp__filesystem__read_file'],
    ['double', 'playwright', 'browser_navigate', 'mcp__playwright__browser_navigate'],
    ['double', 'my server', 'get.user/name', 'mcp__my_server__get_user_name'],
    ['double', 'my-server', 'Read-File', 'mcp__my-server__Read-File'],
    ['double', 'fs@cursor', 'read', 'mcp__fs_cursor__read'],
    ['double', 'büro', '文件', 'mcp__b_ro____'],
    ['double', 'otter', '🦦', 'mcp__otter___'],
    ['single', 'filesystem', 'read_file', 'mcp_filesystem_read_file'],
    ['single', 'GitHub', 'Create-Issue', 'mcp_github_create_issue'],
    ['single', 'github', 'github_search', 'mcp_github_search'],
    ['single', 'github', 'github_github_search', 'mcp_github_github_search'],
    ['single', 'github', 'github', 'mcp_github_github'],
    ['single', 'github', 'github_', 'mcp_github_github_'],
    ['single', 'github', 'githubsearch', 'mcp_github_githubsearch'],
    ['single', 'my-server', 'my.server_go', 'mcp_my_server_go'],
    ['single', 'my.server', 'a--b..c', 'mcp_my_server_a_b_c'],
    ['single', 'my--server', 'my_server_go', 'mcp_my_server_go'],
    ['single', '_my', 'go', 'mcp_my_go'],
    ['single', 'context7', 'context7_get-docs', 'mcp_context_get_docs'],
    ['single', 'puppeteer', 'puppeteer_screenshot', 'mcp_puppeteer_screenshot'],
    ['single', 'fs', 'read2', 'mcp_fs_read_'],
    ['plain', 'filesystem', 'read_file', 'filesystem_read_file'],
    ['plain', 'remote-api', 'get.user', 'remote-api_get_user'],
    ['plain', 'remote_api', 'get_user', 'remote_api_get_user'],
    ['plain', 'a b', 'C:d', 'a_b_C_d'],
    ['bare', 'fs', 'read_file', 'read_file'],
    ['bare', 'fs', 'get.user/name', 'get.user/name'],
  ])('%s calls %s and %s %s', (chosen, server, tool, name) => {
    const one = pair(server, tool);
    const table = tableOf([one], chosen);
    expect(table.nameOf(one)).toBe(name);
    expect(table.pairOf(name)).toEqual(one);
  });

  test('my-server and my.server meet in the single profile and both keep a name', () => {
    const list = [pair('my-server', 'go'), pair('my.server', 'go')];
    expect(namesIn(tableOf(list, 'single'), list)).toEqual(
      list.map(({ server, tool }) => `mcp_my_server_go_${hashOf(server, tool)}`),
    );
  });

  test('two servers with one tool name in the bare profile both get the hash', () => {
    const list = [pair('a', 'read'), pair('b', 'read')];
    expect(namesIn(tableOf(list, 'bare'), list)).toEqual([
      `read_${hashOf('a', 'read')}`,
      `read_${hashOf('b', 'read')}`,
    ]);
  });

  test('a shorter limit holds as well', () => {
    const table = createNameTable({ profile: 'double', maxLength: 16 });
    const one = pair('filesystem', 'read_file');
    table.update(listsOf([one]));
    expect(table.nameOf(one)).toBe(`mcp__fi_${hashOf('filesystem', 'read_file')}`);
  });
});

test.each(profiles)(
  'T63: of two servers with forty tools of the same names all are reachable and none are swapped (%s)',
  (chosen) => {
    const names = Array.from({ length: 40 }, (_, at) => `tool_${at}`);
    const first = names.map((tool) => pair('a', tool));
    const second = names.map((tool) => pair('a_', tool));
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const table = createNameTable({ profile: chosen, maxLength });
      const seen: ToolPair[] = [];
      for (const arriving of order) {
        seen.push(...arriving);
        table.update(listsOf(seen));
      }
      const given = seen.map((one) => table.nameOf(one) ?? '');
      expect(new Set(given).size).toBe(80);
      expect(given.map((name) => table.pairOf(name))).toEqual(seen);
    }
  },
);
