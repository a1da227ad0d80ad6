/** Names that are not claimed one by one are the same names: whoever comes, and whoever asks in between. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { NamingProfile } from '../../settings/settings.ts';
import { createNameTable, type NamedList, type ToolList } from '../public-names.ts';
import { PlainLists } from './candidates.ts';

const maxLength = 64;
const profile = fc.constantFrom<NamingProfile>('double', 'single', 'plain', 'bare');
const server = fc.constantFrom('a', 'A', 'a_', 'a__b', 'b', 'fs', 'my fs', 'my.fs', 'mcp', 'x'.repeat(58));
const tool = fc.constantFrom(
  'a',
  'b',
  'b__c',
  'B',
  'c',
  'read',
  'Read',
  'auth',
  'r\u00e9ad',
  'two words',
  '',
);
const lists = fc.array(fc.record({ server, tools: fc.uniqueArray(tool, { maxLength: 4 }) }), {
  maxLength: 6,
});

interface Given {
  readonly names: readonly (readonly (string | undefined)[])[];
  readonly clashes: readonly string[];
}

/** One turn for each list; `asks` says after which of them somebody asks for a name, which claims all there are. */
function publish(chosen: NamingProfile, all: readonly ToolList[], asks: (turn: number) => boolean): Given {
  const table = createNameTable({ profile: chosen, maxLength });
  const named: NamedList[] = [];
  const clashes: string[] = [];
  if (asks(-1)) table.pairOf('');
  all.forEach((list, turn) => {
    const found = table.update([list]);
    named.push(...found.named);
    clashes.push(JSON.stringify(found.clashes));
    if (asks(turn)) table.pairOf('');
  });
  return { names: named.map((list) => list.names()), clashes };
}

describe('names', () => {
  test('are the same whether they are claimed at once or when it is needed', () => {
    fc.assert(
      fc.property(lists, profile, fc.nat({ max: 6 }), (all, chosen, at) => {
        const atOnce = publish(chosen, all, (turn) => turn === -1);
        expect(publish(chosen, all, () => false)).toEqual(atOnce);
        expect(publish(chosen, all, (turn) => turn === at)).toEqual(atOnce);
      }),
      { numRuns: 500 },
    );
  });

  test('that were published before anything was claimed keep their meaning when a twin comes', () => {
    const table = createNameTable({ profile: 'double', maxLength });
    const { named } = table.update([{ server: 'fs', tools: ['read', 'write'] }]);
    expect(named[0]?.names()).toEqual(['mcp__fs__read', 'mcp__fs__write']);
    table.publishAll();
    const { clashes } = table.update([{ server: 'FS', tools: ['read'] }]);
    expect(clashes.map(({ name }) => name)).toEqual(['mcp__FS__read']);
    expect(named[0]?.names()).toEqual([
      expect.stringMatching(/^mcp__fs__read_[0-9a-f]{8}$/),
      'mcp__fs__write',
    ]);
    expect(table.pairOf('mcp__fs__read')).toEqual({ server: 'fs', tool: 'read' });
  });
});

describe('a list is plain', () => {
  const plain = (chosen: NamingProfile, ...all: readonly ToolList[]): readonly boolean[] => {
    const found = new PlainLists({ profile: chosen, maxLength });
    return all.map((list) => found.add(list, 1) !== undefined);
  };
  const of = (owner: string, ...tools: readonly string[]): ToolList => ({ server: owner, tools });

  test('when its names are simple and its own, also without any', () => {
    expect(plain('double', of('fs', 'read', 'write-all'), of('git', 'read'), of('empty'))).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('the second time as well, as long as it has the same tools', () => {
    const all = [of('fs', 'read'), of('fs', 'read'), of('fs', 'write'), of('fs', 'read', 'write')];
    expect(plain('double', ...all)).toEqual([true, true, false, false]);
  });

  test.each<readonly [string, NamingProfile, readonly ToolList[]]>([
    ['whose tools differ in case only', 'double', [of('fs', 'read', 'Read')]],
    ['that names a tool twice', 'double', [of('fs', 'read', 'read')]],
    ['with a tool that has no name', 'double', [of('fs', 'read', '')]],
    ['with signs that have to be replaced', 'double', [of('fs', 'read', 'a.b')]],
    ['with a name that is too long', 'double', [of('fs', 'read', 'x'.repeat(56))]],
    ['of a server that has to be written otherwise', 'double', [of('my fs', 'read')]],
    ['where nothing comes before the name', 'bare', [of('fs', 'read')]],
    ['where names are shortened', 'single', [of('fs', 'read')]],
    ['where holt has a tool that begins the same way', 'plain', [of('mcp', 'read')]],
  ])('but not one %s', (_which, chosen, all) => {
    expect(plain(chosen, ...all)).toEqual([false]);
  });

  test('but not one that begins as another does, whichever comes first', () => {
    expect(plain('double', of('a', 'b__c'), of('a__b', 'c'))).toEqual([true, false]);
    expect(plain('double', of('a__b', 'c'), of('a', 'b__c'))).toEqual([true, false]);
    expect(plain('double', of('a', 'c'), of('A', 'c'))).toEqual([true, false]);
  });
});
