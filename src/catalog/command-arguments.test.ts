import { describe, expect, test } from 'vitest';
import { HoltError } from '../kernel/errors.ts';
import { readArguments } from './command-arguments.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    head: { type: 'integer' },
    ratio: { type: ['number', 'null'] },
    all: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    ids: { type: 'array', items: { type: 'integer' } },
    filter: { type: 'object', properties: { since: { type: 'integer' }, deep: { $ref: '#/$defs/deep' } } },
    'a.b': { type: 'integer' },
    either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    level: { enum: [1, 2, 3] },
    anything: {},
  },
  $defs: { deep: { type: 'object', properties: { on: { type: 'boolean' } } } },
};
const files: Record<string, string> = { 'note.txt': 'two\nlines', 'filter.json': '{"since": 3}' };
const read = (...words: string[]): object =>
  readArguments(words, schema, (path) => {
    const text = files[path];
    if (text === undefined) throw new Error(`no such file: ${path}`);
    return text;
  });
const failure = (...words: string[]): unknown => {
  try {
    return read(...words);
  } catch (error) {
    return HoltError.is(error) ? [error.code, error.message] : error;
  }
};

describe('a word', () => {
  test.each([
    [['path=5'], { path: '5' }],
    [['path='], { path: '' }],
    [['path=a=b:=c'], { path: 'a=b:=c' }],
    [['head=5'], { head: 5 }],
    [['ratio=0.5'], { ratio: 0.5 }],
    [['ratio=null'], { ratio: null }],
    [['all=true'], { all: true }],
    [['level=2'], { level: 2 }],
    [['either=5'], { either: '5' }],
    [['either:=5'], { either: 5 }],
    [['anything=5'], { anything: '5' }],
    [['unknown=5'], { unknown: '5' }],
    [['unknown:={"a":[1]}'], { unknown: { a: [1] } }],
    [['path=@note.txt'], { path: 'two\nlines' }],
    [['filter=@filter.json'], { filter: { since: 3 } }],
    [['filter:=@filter.json'], { filter: { since: 3 } }],
    [['path=@'], { path: '@' }],
    [['filter={"since":1}'], { filter: { since: 1 } }],
    [['filter.since=1', 'filter.deep.on=true'], { filter: { since: 1, deep: { on: true } } }],
    [['filter.x.y=1'], { filter: { 'x.y': '1' } }],
    [['filter={"a":1}', 'filter.since=2'], { filter: { a: 1, since: 2 } }],
    [['a.b=1'], { 'a.b': 1 }],
    [['other.c=1'], { 'other.c': '1' }],
    [['tags=a'], { tags: ['a'] }],
    [['tags=a', 'tags=b'], { tags: ['a', 'b'] }],
    [['tags=["a","b"]', 'tags=c'], { tags: ['a', 'b', 'c'] }],
    [['ids:=[1,2]'], { ids: [1, 2] }],
  ])('%j is read as %j', (words, expected) => {
    expect(read(...words)).toEqual(expected);
  });

  test.each([
    [['path'], ['usage-invalid', '"path" is not an argument']],
    [['=5'], ['usage-invalid', '"=5" is not an argument']],
    [[':=5'], ['usage-invalid', '":=5" is not an argument']],
    [
      ['head=x', 'all=1'],
      ['arguments-invalid', 'head: expected integer; all: expected boolean'],
    ],
    [['filter=x'], ['arguments-invalid', 'filter: expected object']],
    [
      ['path=a', 'path=b'],
      ['usage-invalid', 'path is given twice'],
    ],
    [
      ['filter.since=1', 'filter.since=2'],
      ['usage-invalid', 'filter.since is given twice'],
    ],
    [['path=@missing'], ['usage-invalid', 'The file for path cannot be read: no such file: missing']],
  ])('%j is refused', (words, expected) => {
    expect(failure(...words)).toEqual(expected);
  });

  test('that is not the JSON it says it is is refused', () => {
    expect(failure('head:={')).toEqual(['usage-invalid', expect.stringMatching(/^head is not JSON: /)]);
  });

  test('named __proto__ becomes an ordinary field', () => {
    expect(JSON.stringify(read('__proto__:={"x":1}'))).toBe('{"__proto__":{"x":1}}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

test("an item of a list is read in the type of the list's items", () => {
  expect(read('ids=1', 'ids=2')).toEqual({ ids: [1, 2] });
  expect(failure('ids=x')).toEqual(['arguments-invalid', 'ids: expected integer[]']);
});
