import { describe, expect, test } from 'vitest';

import type { ServerEntry } from '../connection/supervisor.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { diffEntries, isNothing } from './reload.ts';

function entry(
  ref: string,
  change: Partial<ServerDefinition> = {},
  trust: ServerEntry['trust'] = 'open',
): ServerEntry {
  const origin = { agent: 'holt', scope: 'user', file: '/f', line: 1, column: 1 } as const;
  return {
    ref,
    trust,
    definition: {
      name: ref,
      launch: { kind: 'stdio', command: 'x', args: [], env: {}, envFrom: {} },
      enabled: true,
      timeouts: {},
      dialect: 'holt',
      origin,
      guarded: false,
      parts: [origin],
      alsoIn: [],
      ...change,
    },
  };
}

const refs = (entries: readonly ServerEntry[]) => entries.map(({ ref }) => ref);

describe('after a new reading', () => {
  test('what is the same is left alone', () => {
    const change = diffEntries([entry('a'), entry('b')], [entry('b'), entry('a')]);
    expect([change, isNothing(change)]).toEqual([
      { added: [], removed: [], restarted: [], adjusted: [], moved: [] },
      true,
    ]);
  });

  test('what came and what went is known by name', () => {
    const change = diffEntries([entry('a'), entry('b')], [entry('b'), entry('c')]);
    expect([refs(change.added), change.removed, isNothing(change)]).toEqual([['c'], ['a'], false]);
  });

  const stdio = { kind: 'stdio', command: 'x', args: [], env: {}, envFrom: {} } as const;
  test.each([
    ['another command', { launch: { ...stdio, command: 'y' } }],
    ['another argument', { launch: { ...stdio, args: ['-v'] } }],
    ['another variable', { launch: { ...stdio, env: { A: '1' } } }],
    ['another address', { launch: { kind: 'http', url: 'https://x.test', headers: {}, headersFrom: {} } }],
    ['another login', { auth: { type: 'oauth', credentialId: 'c' } }],
    ['another file', { origin: { agent: 'holt', scope: 'user', file: '/g', line: 1, column: 1 } }],
    ['a switch', { enabled: false }],
  ] as const)('%s means a restart', (_, changed) => {
    const change = diffEntries([entry('a'), entry('b')], [entry('a', changed), entry('b')]);
    expect([refs(change.restarted), refs(change.adjusted)]).toEqual([['a'], []]);
  });

  test('an approval that was taken back means a restart, a new reason for the same answer does not', () => {
    expect(refs(diffEntries([entry('a', {}, 'approved')], [entry('a', {}, 'changed')]).restarted)).toEqual([
      'a',
    ]);
    expect(refs(diffEntries([entry('a', {}, 'approved')], [entry('a', {}, 'open')]).restarted)).toEqual([]);
  });

  test('what may not run yet starts anew when it is switched off, and waits on when it is switched on', () => {
    const on = entry('a', {}, 'untrusted');
    const off = entry('a', { enabled: false }, 'untrusted');
    expect(refs(diffEntries([on], [off]).restarted)).toEqual(['a']);
    expect(refs(diffEntries([off], [on]).adjusted)).toEqual(['a']);
  });

  test.each([
    ['limits', { timeouts: { idleMs: 1 } }],
    ['filters', { tools: { exclude: ['x'] } }],
  ] as const)('%s change while it runs', (_, changed) => {
    const change = diffEntries([entry('a')], [entry('a', changed)]);
    expect([refs(change.restarted), refs(change.adjusted)]).toEqual([[], ['a']]);
  });

  test('another line in its file, and of whatever else has a part in it, is no news', () => {
    const elsewhere = { agent: 'holt', scope: 'user', file: '/f', line: 9, column: 3 } as const;
    const after = entry('a', { origin: elsewhere, parts: [elsewhere] });
    const change = diffEntries([entry('a')], [after]);
    expect([change, isNothing(change)]).toEqual([
      { added: [], removed: [], restarted: [], adjusted: [], moved: [after] },
      true,
    ]);
    const more = entry('a', {
      origin: elsewhere,
      parts: [elsewhere],
      alsoIn: [{ ...elsewhere, enabled: true }],
    });
    expect(diffEntries([entry('a')], [more]).adjusted).toEqual([more]);
  });
});
