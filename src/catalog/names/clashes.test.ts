/** What is said about names that several want, what those get instead, and how names are cut. */

import { createHash } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { listsOf } from '../../../tests/support/tool-lists.ts';
import { createNameTable, type ToolPair } from '../public-names.ts';

function hashOf({ server, tool }: ToolPair): string {
  return createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8);
}

describe('a server that calls its tools as another’s would be called', () => {
  test.each([64, 16])('leaves that one a name, however often it does so (limit %d)', (maxLength) => {
    const naming = { profile: 'bare', maxLength } as const;
    const victim = { server: 'fs', tool: 'read' };
    const table = createNameTable(naming);
    const all = [victim];
    const seen: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      table.update(listsOf(all));
      const name = table.nameOf(victim) ?? '';
      seen.push(name);
      all.push({ server: 'evil', tool: name });
    }
    table.update(listsOf(all));
    const names = all.map((pair) => table.nameOf(pair) ?? '');
    expect(seen.slice(0, 2)).toEqual(['read', `read_${hashOf(victim)}`]);
    expect(new Set(seen).size).toBe(6);
    expect(seen.map((name) => table.pairOf(name))).toEqual(seen.map(() => victim));
    expect(names.every((name) => name !== '' && name.length <= maxLength)).toBe(true);
    const atOnce = createNameTable(naming);
    atOnce.update(listsOf(all.toReversed()));
    expect(all.map((pair) => atOnce.nameOf(pair))).toEqual(names);
    expect(new Set(names).size).toBe(all.length);
  });
});

describe('clashes', () => {
  test('are told by name, each with its pairs in order, whatever the order of arrival', () => {
    const pairs = [
      { server: 'b', tool: 'two' },
      { server: 'c', tool: 'one' },
      { server: 'a', tool: 'two' },
      { server: 'b', tool: 'one' },
      { server: 'a', tool: 'one' },
      { server: 'b', tool: 'Two' },
      { server: 'b', tool: 'zero' },
      { server: 'a', tool: 'zero' },
    ];
    const expected = [
      {
        name: 'Two',
        pairs: [
          { server: 'a', tool: 'two' },
          { server: 'b', tool: 'Two' },
          { server: 'b', tool: 'two' },
        ],
      },
      {
        name: 'one',
        pairs: [
          { server: 'a', tool: 'one' },
          { server: 'b', tool: 'one' },
          { server: 'c', tool: 'one' },
        ],
      },
      {
        name: 'zero',
        pairs: [
          { server: 'a', tool: 'zero' },
          { server: 'b', tool: 'zero' },
        ],
      },
    ];
    for (const order of [pairs, pairs.toReversed()]) {
      const table = createNameTable({ profile: 'bare', maxLength: 64 });
      expect(table.update(listsOf(order)).clashes).toEqual(expected);
    }
  });

  test('with a name that is reserved have the tool that wanted it, and say which of holt’s own has it', () => {
    const auth = { server: 'fs', tool: 'mcp_auth' };
    const table = createNameTable({ profile: 'bare', maxLength: 64 });
    expect(table.update(listsOf([auth])).clashes).toEqual([
      { name: 'mcp_auth', pairs: [auth], reserved: 'mcp_auth' },
    ]);
  });

  test('of names that look alike are told once, under the one they look like', () => {
    const both = [
      { server: 'fs', tool: 'read' },
      { server: 'fs', tool: 'reád' },
    ];
    const table = createNameTable({ profile: 'bare', maxLength: 64 });
    expect(table.update(listsOf(both)).clashes).toEqual([{ name: 'read', pairs: both }]);
  });

  test('of names that are too long are told under what both would be called', () => {
    const [one, other] = ['x'.repeat(70), 'X'.repeat(70)].map((tool) => ({ server: 'fs', tool }));
    const table = createNameTable({ profile: 'bare', maxLength: 64 });
    expect(table.update(listsOf([one, other].flatMap((pair) => pair ?? []))).clashes).toEqual([
      { name: 'x'.repeat(70), pairs: [other, one] },
    ]);
  });
});

describe('a name leads to its pair', () => {
  test('only as it is written', () => {
    const pair = { server: 'fs', tool: 'Read' };
    const table = createNameTable({ profile: 'double', maxLength: 64 });
    table.update(listsOf([pair]));
    const asked = ['mcp__fs__Read', 'mcp__fs__read', 'MCP__FS__READ', 'mcp__fs__other', 'mcp_auth', ''];
    expect(asked.map((name) => table.pairOf(name))).toEqual([pair, ...asked.slice(1).map(() => undefined)]);
  });
});

describe('the limit', () => {
  test.each(['x', '.'])('lets a name through that is just as long, and cuts the next (%s)', (last) => {
    const pairs = [54, 55].map((length) => ({ server: 'fs', tool: `${'x'.repeat(length)}${last}` }));
    const safe = last === '.' ? '_' : last;
    const table = createNameTable({ profile: 'double', maxLength: 64 });
    table.update(listsOf(pairs));
    expect(pairs.map((pair) => table.nameOf(pair))).toEqual([
      `mcp__fs__${'x'.repeat(54)}${safe}`,
      ...pairs.slice(1).map((pair) => `mcp__fs__${'x'.repeat(46)}_${hashOf(pair)}`),
    ]);
  });

  test('never leaves half a character, and cuts out none that is whole', () => {
    const pairs = [`🦦${'x'.repeat(52)}🦦${'x'.repeat(20)}`, `🦦${'x'.repeat(51)}🦦${'x'.repeat(20)}`].map(
      (tool) => ({ server: 'fs', tool }),
    );
    const table = createNameTable({ profile: 'bare', maxLength: 64 });
    table.update(listsOf(pairs));
    const heads = [`🦦${'x'.repeat(52)}`, `🦦${'x'.repeat(51)}🦦`];
    expect(pairs.map((pair) => table.nameOf(pair))).toEqual(
      pairs.map((pair, index) => `${heads[index]}_${hashOf(pair)}`),
    );
  });
});
