import { describe, expect, test } from 'vitest';

import { goesAround, readNoProxy } from './no-proxy.ts';

const rows: readonly [entries: string, url: string, around: boolean][] = [
  ['', 'https://a.test', false],
  ['*', 'https://a.test', true],
  ['a.test', 'https://a.test', true],
  ['A.Test', 'https://a.TEST', true],
  ['a.test', 'https://sub.a.test', true],
  ['.a.test', 'https://sub.a.test', true],
  ['.a.test', 'https://a.test', true],
  ['*.a.test', 'https://sub.a.test', true],
  ['a.test', 'https://nota.test', false],
  ['a.test.', 'https://a.test./mcp', true],
  ['b.test, a.test', 'https://a.test', true],
  ['b.test a.test', 'https://a.test', true],
  ['a.test:8443', 'https://a.test:8443', true],
  ['a.test:8443', 'https://a.test', false],
  ['a.test:443', 'https://a.test', true],
  ['a.test:80', 'ws://a.test', true],
  ['a.test:443', 'wss://a.test', true],
  ['127.0.0.1', 'http://127.0.0.1:3000', true],
  ['127.0.0.1:3000', 'http://127.0.0.1:3000', true],
  ['127.0.0.1:3001', 'http://127.0.0.1:3000', false],
  ['0.0.1', 'http://127.0.0.1:3000', false],
  ['10.0.0.0/8', 'http://10.20.30.40', true],
  ['10.0.0.0/8', 'http://11.20.30.40', false],
  ['10.0.0.0/99', 'http://10.0.0.1', false],
  ['10.0.0.0/8', 'http://ten.test', false],
  ['::1', 'http://[::1]:3000', true],
  ['[::1]', 'http://[::1]:3000', true],
  ['[::1]:3000', 'http://[::1]:3000', true],
  ['[::1]:3001', 'http://[::1]:3000', false],
  ['0:0:0:0:0:0:0:1', 'http://[::1]', true],
  ['fd00::/8', 'http://[fd12::1]', true],
  ['.', 'http://a.test', false],
];

describe('F41: NO_PROXY', () => {
  test.each(rows)('%j and %s: goes around is %s', (entries, url, around) => {
    expect(goesAround(new URL(url), readNoProxy(entries))).toBe(around);
  });
});
