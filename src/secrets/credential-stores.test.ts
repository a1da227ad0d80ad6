import { expect, test } from 'vitest';

import { HoltError } from '../kernel/errors.ts';
import { createCredentialMemory, withMemory } from './credential-stores.ts';

const full = new HoltError('config-unwritable', 'Could not write credentials.json (ENOSPC)', {
  file: 'f',
  reason: 'ENOSPC',
});
const record = { serverUrl: 'https://a.test', tokens: { access: 'a' } };

test('F24, F25: a login that cannot be written is held in memory, reported once, and written later', async () => {
  const inner = createCredentialMemory();
  await inner.set('mcp:old', record);
  let isFull = true;
  const told: string[] = [];
  const store = withMemory(
    { ...inner, set: (id, given) => (isFull ? Promise.reject(full) : inner.set(id, given)) },
    'file',
    (text) => told.push(text),
  );
  await store.set('mcp:a', record);
  await store.set('mcp:b', record);
  expect([await store.get('mcp:a'), store.backendOf('mcp:a'), store.backendOf('mcp:old')]).toEqual([
    record,
    'memory',
    'file',
  ]);
  expect((await store.list()).map(({ id }) => id)).toEqual(['mcp:a', 'mcp:b', 'mcp:old']);
  expect(told).toEqual([
    'Logins cannot be stored and last only as long as this program: Could not write credentials.json (ENOSPC)',
  ]);
  isFull = false;
  await store.set('mcp:a', record);
  expect([store.backendOf('mcp:a'), await inner.get('mcp:a')]).toEqual(['file', record]);
});

test('any other failure is not hidden', async () => {
  const inner = createCredentialMemory();
  const store = withMemory(
    { ...inner, set: () => Promise.reject(new Error('odd')) },
    'file',
    () => undefined,
  );
  await expect(store.set('x', record)).rejects.toThrow('odd');
});

test('F28: an unreadable store is not listed as empty, unless memory holds logins instead', async () => {
  const inner = createCredentialMemory();
  const broken = { ...inner, get: () => Promise.reject(full), list: () => Promise.reject(full) };
  const store = withMemory({ ...broken, set: () => Promise.reject(full) }, 'file', () => undefined);
  await expect(store.list()).rejects.toThrow(full);
  expect(await store.get('mcp:a')).toBeUndefined();
  await store.set('mcp:a', record);
  expect(await store.list()).toEqual([{ id: 'mcp:a', record }]);
});
