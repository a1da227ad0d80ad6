import { expect, test } from 'vitest';

import { requireDigests } from './trust-digests.ts';

const digest = `sha256:${'0a'.repeat(32)}`;

test('digests are taken as they are', () => {
  expect(requireDigests([digest, digest])).toEqual([digest, digest]);
});

test.each([
  '',
  'sha256:',
  '0a'.repeat(32),
  digest.slice(0, -1),
  `${digest}0`,
  digest.toUpperCase(),
  ` ${digest}`,
  `${digest}\n`,
])('%j is refused as no digest', (word) => {
  expect(() => requireDigests([digest, word])).toThrow(
    expect.objectContaining({ code: 'usage-invalid', details: { given: word } }),
  );
});
