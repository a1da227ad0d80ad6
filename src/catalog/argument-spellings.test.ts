import { describe, expect, test } from 'vitest';

import { HoltError } from '../kernel/errors.ts';
import { normalizeCallText, normalizeWords } from './argument-spellings.ts';

const schema = {
  type: 'object',
  properties: {
    limit: { type: 'integer' },
    query: { type: 'string' },
    maxDepth: { type: 'integer' },
    deep: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['query'],
};
const failure = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return HoltError.is(error) ? [error.code, error.message] : error;
  }
};

describe('words', () => {
  test.each([
    [
      ['query=a', 'limit:=3'],
      ['query=a', 'limit:=3'],
    ],
    [
      ['query:a', 'limit:3'],
      ['query=a', 'limit=3'],
    ],
    [['query:', 'a b'], ['query=a b']],
    [['query:http://x.test?a=b'], ['query=http://x.test?a=b']],
    [
      ['--query', 'a', '--limit=3'],
      ['query=a', 'limit=3'],
    ],
    [['--query', '--deep'], ['query=--deep']],
    [
      ['--deep', '--max-depth', '2'],
      ['deep=true', 'maxDepth=2'],
    ],
    [['--deep', 'false'], ['deep=false']],
    [['--no-deep'], ['deep=false']],
    [['a b'], ['query=a b']],
    [
      ['note: hello', 'limit=3'],
      ['limit=3', 'query=note: hello'],
    ],
    [['http://x.test/'], ['query=http://x.test/']],
  ])('%j are the arguments %j', (words, normal) => {
    expect(normalizeWords(words, schema)).toEqual(normal);
  });

  test.each([
    [['a', 'b'], '"a" is not an argument: put the text in quotes, as one word'],
    [
      ['--limt', '3'],
      '"--limt" is neither an option of holt call nor an argument of this tool; did you mean limit?',
    ],
    [
      ['--no-query'],
      '"--no-query" is neither an option of holt call nor an argument of this tool; did you mean query?',
    ],
    [['--query'], '--query needs a value'],
  ])('%j are refused', (words, message) => {
    expect(failure(() => normalizeWords(words, schema))).toEqual(['usage-invalid', message]);
  });

  test('a bare value means nothing to a tool with two texts, with none, or without arguments', () => {
    const text = { type: 'string' };
    const refused = ['usage-invalid', '"a" is not an argument'];
    expect(
      [{ a: text, b: text }, { a: { type: 'integer' } }, {}].map((properties) =>
        failure(() => normalizeWords(['a'], { type: 'object', properties })),
      ),
    ).toEqual([refused, refused, refused]);
  });
});

describe('what is between parentheses', () => {
  test.each([
    ['', []],
    ['query: "a, b", limit: 3', ['query:="a, b"', 'limit=3']],
    ['query=\'it\\\'s\', tags: ["a", "b"],', ['query:="it\'s"', 'tags:=["a", "b"]']],
    ['"query": "a"', ['query:="a"']],
    ['"http://x.test", 3', ['query:="http://x.test"', 'limit=3']],
    ['http://x.test', ['query=http://x.test']],
  ])('%s', (text, words) => {
    expect(normalizeCallText(text, schema)).toEqual(words);
  });

  test.each([['quer: "a"'], ['1, 2, 3, 4, 5, 6']])('%s is refused', (text) => {
    expect(failure(() => normalizeCallText(text, schema))).toEqual([
      'usage-invalid',
      expect.stringContaining('is not an argument'),
    ]);
  });
});
