import { expect, test } from 'vitest';

import { createStyle } from '../../terminal/style.ts';
import { authJson, authLines, type AuthData } from './auth-lines.ts';

const style = createStyle({ isTerminal: false, env: {} });
const login = {
  id: 'mcp:secured',
  server: 'secured',
  url: 'https://secured.example/mcp',
  issuer: 'https://issuer.example',
  status: 'authenticated',
  expiresAt: 1_785_240_000,
  scopes: ['read', 'write'],
  backend: 'file',
} as const;
const connected = { status: { status: 'connected' }, ms: 12.4, phases: {} } as const;
const failed = { status: { status: 'failed', error: 'no\u001b[2J route' }, ms: 0, phases: {} } as const;

const cases: readonly (readonly [string, AuthData, readonly string[], object])[] = [
  [
    'logins',
    { kind: 'list', logins: [login] },
    [
      'ID           STATUS         EXPIRES               SCOPES      URL                          STORE',
      'mcp:secured  authenticated  2026-07-28T12:00:00Z  read write  https://secured.example/mcp  file',
    ],
    { credentials: [login] },
  ],
  [
    'no logins',
    { kind: 'list', logins: [] },
    ['No logins are stored. holt auth NAME makes one.'],
    { credentials: [] },
  ],
  [
    'one login',
    { kind: 'status', server: 'secured', state: 'expired', login: { ...login, status: 'expired' } },
    [
      'secured  the login has expired',
      '  id       mcp:secured',
      '  url      https://secured.example/mcp',
      '  issuer   https://issuer.example',
      '  expires  2026-07-28T12:00:00Z',
      '  scopes   read write',
      '  store    file',
    ],
    { server: 'secured', status: 'expired', credential: { ...login, status: 'expired' } },
  ],
  [
    'none',
    { kind: 'status', server: 'secured', state: 'not_authenticated', login: undefined },
    ['secured  not logged in'],
    { server: 'secured', status: 'not_authenticated' },
  ],
  [
    'a login that was made',
    { kind: 'login', server: 'secured', login, report: connected },
    ['saved credential for mcp:secured to credential store.'],
    { server: 'secured', credential: login, status: 'connected', ms: 12, phases: {} },
  ],
  [
    'a login that did not help',
    { kind: 'login', server: 'secured', login, report: failed },
    [
      'saved credential for mcp:secured to credential store.',
      'secured  failed',
      String.raw`  no\x1b[2J route`,
    ],
    { server: 'secured', credential: login, status: 'failed', error: 'no\u001b[2J route', ms: 0, phases: {} },
  ],
  [
    'a login that stays',
    { kind: 'unchanged', server: 'secured' },
    ['not replaced'],
    { server: 'secured', replaced: false },
  ],
  [
    'the end of a login',
    { kind: 'logout', server: 'secured', removed: true, revoked: true, login },
    ['Logged out of "secured", and the provider has revoked it.'],
    { server: 'secured', removed: true, revoked: true },
  ],
  [
    'the end of a login that only we forget',
    { kind: 'logout', server: 'secured', removed: true, revoked: false, login },
    [
      'Logged out of "secured". The provider did not revoke the token: it stays valid until 2026-07-28T12:00:00Z.',
    ],
    { server: 'secured', removed: true, revoked: false },
  ],
  [
    'the end of a login without an end, that only we forget',
    { kind: 'logout', server: 'secured', removed: true, revoked: false, login: undefined },
    ['Logged out of "secured". The provider did not revoke the token: it stays valid until it expires.'],
    { server: 'secured', removed: true, revoked: false },
  ],
  [
    'the end of a login that has expired',
    {
      kind: 'logout',
      server: 'secured',
      removed: true,
      revoked: false,
      login: { ...login, status: 'expired' },
    },
    ['Logged out of "secured".'],
    { server: 'secured', removed: true, revoked: false },
  ],
  [
    'nothing to end',
    { kind: 'logout', server: 'secured', removed: false, revoked: false, login: undefined },
    ['"secured" was not logged in.'],
    { server: 'secured', removed: false, revoked: false },
  ],
];

test.each(cases)('%s', (_what, data, lines, document) => {
  expect([authLines(data, style), authJson(data)]).toEqual([lines, document]);
});

test('a provider’s scopes and a store’s own fields do not get through', () => {
  const more = { ...login, scopes: ['a\u001b[2J'], access: 'canary' };
  const data = { kind: 'list', logins: [more] } as const;
  expect(authLines(data, style)[1]).toContain(String.raw`a\x1b[2J`);
  expect(JSON.stringify(authJson(data))).not.toContain('canary');
});
