/** Why a file was not written, in words that people can act on. */

import { expect, test } from 'vitest';

import { plainReason, refuseWrite } from './refusals.ts';

test('a full disk is told as that, and not as a question of rights', () => {
  expect(refuseWrite('/a.json', 'ENOSPC')).toMatchObject({
    message: '/a.json was not written: the disk is full',
    remedy: 'Make room on the disk and try again.',
  });
  expect(refuseWrite('/a.json', 'EACCES').remedy).toBeUndefined();
});

test('codes of the system have words', () => {
  expect(['EACCES', 'EROFS', 'ENOSPC', 'EWHAT'].map(plainReason)).toEqual([
    'permission denied',
    'the disk is read-only',
    'the disk is full',
    undefined,
  ]);
});
