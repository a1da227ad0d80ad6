import { describe, expect, test } from 'vitest';

import { makeMachine } from '../../../tests/support/agent-machine.ts';
import { asUsers, projectProgram, projectRemote } from '../../../tests/support/sample-servers.ts';
import type { CredentialRecord } from '../../kernel/credentials.ts';
import { HoltError } from '../../kernel/errors.ts';
import { createCredentialMemory, type NamedStore } from '../../secrets/credential-stores.ts';
import { printCredentials } from '../../secrets/credential-records.ts';
import { loginLookup, type LookUpContext, type LookUpLogin } from './stored-logins.ts';

const url = 'https://shop.example/mcp';
const now = new Date('2026-07-28T12:00:00Z');
const seconds = now.getTime() / 1000;
const definition = asUsers(projectRemote(url));

const context = (text: string | undefined): LookUpContext => ({
  machine: makeMachine(),
  now: () => now,
  readText: (file) => (file === '/home/ada/.holt/credentials.json' ? text : undefined),
});
const lookup = (text: string | undefined): Promise<LookUpLogin> =>
  loginLookup(context(text), 'file', [definition]);
const stored = (records: Readonly<Record<string, CredentialRecord>>): Promise<LookUpLogin> =>
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
])('a login %s', async (_what, tokens, expected) => {
  expect((await stored({ 'mcp:shop': record(tokens) }))(definition)).toEqual(expected);
});

test('the login of another URL under the same name does not belong to this server, one stored beside it does', async () => {
  const other = record({ access: 'a' }, 'https://other.example/');
  expect((await stored({ 'mcp:shop': other }))(definition)).toEqual({ state: 'not_authenticated' });
  expect(
    (await stored({ 'mcp:shop': other, 'mcp:shop#0123abcd': record({ access: 'a' }) }))(definition),
  ).toEqual({
    state: 'authenticated',
  });
});

test('a login that the entry names counts, and no other', async () => {
  const naming = { ...definition, auth: { type: 'oauth', credentialId: 'mcp:work' } } as const;
  expect((await stored({ 'mcp:shop': record({ access: 'a' }) }))(naming)).toEqual({
    state: 'not_authenticated',
  });
  expect((await stored({ 'mcp:work': record({ access: 'a' }) }))(naming)).toEqual({ state: 'authenticated' });
});

test('programs and entries that switch it off have no login; a file that is missing or broken holds none', async () => {
  const look = await stored({ 'mcp:shop': record({ access: 'a' }) });
  expect([look(projectProgram('node')), look(projectRemote(url, { oauth: false }))]).toEqual([
    undefined,
    undefined,
  ]);
  expect([(await lookup(undefined))(definition), (await lookup('{{{'))(definition)]).toEqual([
    { state: 'not_authenticated' },
    { state: 'not_authenticated' },
  ]);
});

describe('with the keychain set', () => {
  const login = record({ access: 'a', expiresAt: seconds + 1 });
  const opened: string[] = [];
  const open = (list: NamedStore['list']) => (kind: string) => {
    opened.push(kind);
    return { ...createCredentialMemory(), list, backendOf: () => kind };
  };
  const inFile = context(
    printCredentials(new Map([['mcp:shop', record({ access: 'a', expiresAt: seconds })]])),
  );

  test('its login counts, and not the one of the file', async () => {
    const look = await loginLookup(
      inFile,
      'keychain',
      [definition],
      open(async () => [{ id: 'mcp:shop', record: login }]),
    );
    expect([look(definition), opened]).toEqual([
      { state: 'authenticated', expiresAt: seconds + 1 },
      ['keychain'],
    ]);
  });

  test('the store is not opened if all servers are local programs', async () => {
    opened.length = 0;
    const program = projectProgram('node');
    const look = await loginLookup(
      inFile,
      'keychain',
      [program],
      open(() => Promise.reject(new Error())),
    );
    expect([look(program), opened]).toEqual([undefined, []]);
  });

  test('a store that does not respond is reported', async () => {
    const details = { store: 'keychain', reason: 'it is locked' };
    const error = new HoltError('credentials-unavailable', 'It is locked', details, { remedy: 'Unlock it.' });
    const look = await loginLookup(
      inFile,
      'keychain',
      [definition],
      open(() => Promise.reject(error)),
    );
    expect(look(definition)).toEqual({ state: 'unknown', reason: 'It is locked', remedy: 'Unlock it.' });
  });
});

test('with logins in memory, only the running host knows them', async () => {
  const inFile = context(printCredentials(new Map([['mcp:shop', record({ access: 'a' })]])));
  expect((await loginLookup(inFile, 'memory', [definition]))(definition)).toEqual({
    state: 'not_authenticated',
  });
  const login = { id: 'mcp:shop', server: 'shop', url, scopes: [], backend: 'memory' };
  const sharedHost = {
    logins: () => Promise.resolve([{ ...login, status: 'expired', expiresAt: seconds } as const]),
  };
  expect((await loginLookup({ ...inFile, sharedHost }, 'memory', [definition]))(definition)).toEqual({
    state: 'expired',
    expiresAt: seconds,
  });
});
