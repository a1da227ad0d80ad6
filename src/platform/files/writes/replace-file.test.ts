import { expect, test } from 'vitest';

import { replaceFile } from './replace-file.ts';

/** A rename that fails with these codes, one each time, and then works. */
function createRename(...codes: readonly string[]) {
  const calls: string[] = [];
  const rename = async (from: string, to: string): Promise<void> => {
    const code = codes[calls.length];
    calls.push(`${from} -> ${to}`);
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  return { calls, rename };
}

test('on Windows a file that somebody has open for a moment is replaced after it', async () => {
  const { calls, rename } = createRename('EPERM', 'EACCES', 'EBUSY');
  await replaceFile('temp', 'file', { os: 'windows', rename });

  expect(calls).toEqual(Array.from({ length: 4 }, () => 'temp -> file'));
});

test('patience has an end, and the last error comes through', async () => {
  const { calls, rename } = createRename(...Array.from({ length: 20 }, () => 'EPERM'));

  await expect(replaceFile('temp', 'file', { os: 'windows', rename })).rejects.toMatchObject({
    code: 'EPERM',
  });
  expect(calls).toHaveLength(8);
});

test.each([
  ['windows', 'ENOENT'],
  ['linux', 'EPERM'],
  ['macos', 'EACCES'],
] as const)('on %s %s is final', async (os, code) => {
  const { calls, rename } = createRename(code);

  await expect(replaceFile('temp', 'file', { os, rename })).rejects.toMatchObject({ code });
  expect(calls).toHaveLength(1);
});
