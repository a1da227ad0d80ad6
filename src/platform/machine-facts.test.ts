import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, expect, test, vi } from 'vitest';

import { readMachine } from './machine-facts.ts';

afterEach(() => vi.unstubAllEnvs());

test.each(['', 'relative', './.'])('a HOME of %j makes nobody’s project the home', async (home) => {
  const cwd = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'holt-home-')));
  vi.stubEnv('HOME', home);
  const { homeDir, holtHome } = readMachine({ cwd });
  const account = await fs.realpath(os.userInfo().homedir);
  expect({ homeDir, holtHome }).toEqual({ homeDir: account, holtHome: path.join(account, '.holt') });
  expect(readMachine({ cwd, home: '' }).homeDir).toBe(account);
  await fs.rm(cwd, { recursive: true });
});
