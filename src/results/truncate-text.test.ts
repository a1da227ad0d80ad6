import { expect, test } from 'vitest';

import { cutText } from './make-result.ts';

const spill = async (): Promise<string> => '/tmp/all.txt';

test('a text is cut by bytes, between characters', async () => {
  expect(cutText('abcd', { maxBytes: 4, spill })).toBe('abcd');
  expect(await cutText('abcde', { maxBytes: 4, spill })).toBe(
    'abcd\n\n[1 of 5 bytes are left out here; the whole text is in /tmp/all.txt]',
  );
  expect(await cutText('a😀😀', { maxBytes: 6, spill })).toBe(
    'a😀\n\n[4 of 9 bytes are left out here; the whole text is in /tmp/all.txt]',
  );
});

test('a file that cannot be written costs the rest, not the result', async () => {
  const parts = { maxBytes: 4, spill: () => Promise.reject(new Error('full')) };
  expect(await cutText('abcdef', parts)).toBe(
    'abcd\n\n[2 of 6 bytes are left out here; they could not be written to a file]',
  );
});
