import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { clientInfoOf, holtApp } from './app-identity.ts';

test('servers receive the version of the package', () => {
  const text = readFileSync(path.join(import.meta.dirname, '..', '..', 'package.json'), 'utf8');
  const { name, version } = JSON.parse(text) as { readonly name: string; readonly version: string }; // our own file
  expect(clientInfoOf(holtApp)).toEqual({ name, version });
});
