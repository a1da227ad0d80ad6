import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { CredentialRecord } from '../kernel/credentials.ts';
import { printCredentials, readCredentials } from './credential-records.ts';

const full: CredentialRecord = {
  serverUrl: 'https://x.test/mcp',
  issuer: 'https://as.test',
  resource: 'https://x.test',
  tokens: { access: 'a', refresh: 'r', expiresAt: 1, scope: 's' },
  client: { id: 'c', secret: 's', issuedAt: 1, secretExpiresAt: 2, grants: ['g'] },
  pending: { codeVerifier: 'v', state: 's' },
};
const plain: CredentialRecord = { serverUrl: 'https://y.test' };
const three = new Map([
  ['a', plain],
  ['b', full],
  ['c', plain],
]);

test('printed records are read again, one login per line', () => {
  const text = printCredentials(three);
  expect(readCredentials(text)).toEqual({ credentials: three, damaged: false });
  expect(JSON.parse(text)).toEqual({ version: 1, credentials: Object.fromEntries(three) });
  expect(text.split('\n')).toHaveLength(6);
  expect(readCredentials(printCredentials(new Map()))).toEqual({ credentials: new Map(), damaged: false });
});

test('T80: an id may be any string', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.oneof(
          fc.string(),
          fc.constantFrom('__proto__', 'constructor', '../../x', 'a\nb', '\0', '"', 'CON'),
        ),
      ),
      (ids) => {
        const credentials = new Map(ids.map((id) => [id, plain]));
        expect(readCredentials(printCredentials(credentials))).toEqual({ credentials, damaged: false });
      },
    ),
  );
});

test('F28: cut anywhere, every login on a complete line is read, and none that did not exist', () => {
  const text = printCredentials(three);
  const lines = text.split('\n');
  for (let length = 0; length < text.length - 2; length += 1) {
    const { credentials, damaged } = readCredentials(text.slice(0, length));
    const whole = ['a', 'b', 'c'].filter(
      (_, index) =>
        length >=
        lines
          .slice(0, index + 2)
          .join('\n')
          .replace(/,$/, '').length,
    );
    expect([[...credentials.keys()], damaged]).toEqual([whole, true]);
    for (const [id, record] of credentials) expect(record).toEqual(three.get(id));
  }
});

test.each([
  ['nothing', '', []],
  ['NULs', '\0'.repeat(500), []],
  ['a tail of NULs', `${printCredentials(three).slice(0, -40)}${'\0'.repeat(40)}`, ['a', 'b']],
  ['another file’s text', '# notes\nbuy milk\n', []],
  ['the wrong kind of JSON', '[]', []],
  ['a list of logins', '{"credentials":[]}', []],
  [
    'a login that is none',
    '{"credentials":{"a":{"serverUrl":"x"},"b":5,"c":{},"d":{"serverUrl":"x","tokens":"t"}}}',
    ['a'],
  ],
  [
    'tokens of the wrong type',
    '{"credentials":{"a":{"serverUrl":"x","tokens":{"access":5}},"b":{"serverUrl":"x","client":{"id":"c","issuedAt":"now"}},"c":{"serverUrl":"x","client":{"id":"c","grants":"all"}}}}',
    [],
  ],
  [
    'two files in one',
    `${printCredentials(new Map([['a', plain]]))}${printCredentials(new Map([['b', plain]]))}`,
    ['a', 'b'],
  ],
])('F28: %s is recognised as damaged, and readable logins remain', (_what, text, kept) => {
  const { credentials, damaged } = readCredentials(text);
  expect([[...credentials.keys()], damaged]).toEqual([kept, true]);
});

test('fields of a later version are preserved', () => {
  const later = { ...plain, colour: 'blue' };
  expect(readCredentials(JSON.stringify({ version: 2, credentials: { a: later } }))).toEqual({
    credentials: new Map([['a', later]]),
    damaged: false,
  });
});
