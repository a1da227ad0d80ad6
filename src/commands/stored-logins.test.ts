import { expect, test } from 'vitest';

import { makeMachine } from '../../tests/support/agent-machine.ts';
import { asUsers, projectProgram, projectRemote } from '../../tests/support/sample-servers.ts';
import type { CredentialRecord } from '../kernel/credentials.ts';
import { printCredentials } from '../secrets/credential-records.ts';
import { loginLookup, type LookUpLogin } from './stored-logins.ts';

const url = 'https://shop.example/mcp';
const now = new Date('2026-07-28T12:00:00Z');
const seconds = now.getTime() / 1000;
const definition = asUsers(projectRemote(url));

const lookup = (text: string | undefined): LookUpLogin =>
  loginLookup({
    machine: makeMachine(),
    now: () => now,
    readText: (file) => (file === '/home/ada/.holt/credentials.json' ? text : undefined),
  });
const stored = (records: Readonly<Record<string, CredentialRecord>>): LookUpLogin =>
  lookup(printCredentials(new Map(Object.entries(records))));
const record = (tokens: CredentialRecord['tokens'], serverUrl = url): CredentialRecord => ({
  serverUrl,
  ...(tokens === undefined ? {} : { tokens }),
});

test.each([
  ['that lasts', { access: 'a', expiresAt: seconds + 1 }, { state: 'authenticated', expiresAt: seconds + 1 }],
  ['without an end', { access: 'a' }, { state: 'authenticated' }],
  ['that is over', { access: 'a', expiresAt: seconds }, { state: 'expired', expiresAt: seconds }],
  [
    'that is over and can be renewed',
    { access: 'a', refresh: 'r', expiresAt: seconds - 9 },
    { state: 'authenticated', expiresAt: seconds - 9 },
  ],
  ['without tokens', undefined, { state: 'not_authenticated' }],
])('a login %s', (_what, tokens, expected) => {
  expect(stored({ 'mcp:shop': record(tokens) })(definition)).toEqual(expected);
});

test('the login of another URL under the same name is not this server’s, one kept beside it is', () => {
  const other = record({ access: 'a' }, 'https://other.example/');
  expect(stored({ 'mcp:shop': other })(definition)).toEqual({ state: 'not_authenticated' });
  expect(stored({ 'mcp:shop': other, 'mcp:shop#0123abcd': record({ access: 'a' }) })(definition)).toEqual({
    state: 'authenticated',
  });
});

test('a login that the entry names counts, and no other', () => {
  const naming = { ...definition, auth: { type: 'oauth', credentialId: 'mcp:work' } } as const;
  expect(stored({ 'mcp:shop': record({ access: 'a' }) })(naming)).toEqual({ state: 'not_authenticated' });
  expect(stored({ 'mcp:work': record({ access: 'a' }) })(naming)).toEqual({ state: 'authenticated' });
});

test('programs and entries that switch it off have no login; a file that is missing or broken holds none', () => {
  const look = stored({ 'mcp:shop': record({ access: 'a' }) });
  expect([look(projectProgram('node')), look(projectRemote(url, { oauth: false }))]).toEqual([
    undefined,
    undefined,
  ]);
  expect([lookup(undefined)(definition), lookup('{{{')(definition)]).toEqual([
    { state: 'not_authenticated' },
    { state: 'not_authenticated' },
  ]);
});
