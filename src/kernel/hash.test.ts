import { expect, test } from 'vitest';

import { sha256 } from './hash.ts';

test('a hash is SHA-256 in hexadecimal', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('several parts hash as if they were one', () => {
  expect(sha256('a', new TextEncoder().encode('bc'))).toBe(sha256('abc'));
});
