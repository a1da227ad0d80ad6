import { expect, test } from 'vitest';

import { readCallback } from './callback-text.ts';

test.each([
  ['http://127.0.0.1:1/cb?code=c&state=s&iss=i', { code: 'c', state: 's', iss: 'i' }],
  ['  http://127.0.0.1:1/cb?code=c \n', { code: 'c' }],
  ['?code=c&state=s', { code: 'c', state: 's' }],
  ['state=s&code=c', { code: 'c', state: 's' }],
  ['4/0AX4XfWh-bare.code', { code: '4/0AX4XfWh-bare.code' }],
])('%s is an answer', (text, answer) => {
  expect(readCallback(text)).toEqual({ kind: 'answer', answer });
});

test.each([
  '',
  '  ',
  `?code=${'c'.repeat(20_000)}`,
  'http://127.0.0.1:1/cb',
  'http://127.0.0.1:1/cb?state=s',
  'what is this',
])('"%s" is not an answer', (text) => {
  expect(readCallback(text)).toEqual({ kind: 'unreadable' });
});

test('a refusal is escaped and shortened', () => {
  const text = 'http://127.0.0.1:1/cb?error=access_denied&error_description=no%1b[2J&state=s';
  const read = readCallback(text);
  expect(read).toMatchObject({
    kind: 'refused',
    refusal: { state: 's', words: expect.stringContaining('(access_denied)') },
  });
  expect(JSON.stringify(read)).not.toContain('\\u001b[');
});
