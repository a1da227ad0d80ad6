import { expect, test } from 'vitest';

import { describeSshTarget } from './machine-facts.ts';

const here = { hostName: 'build-7', userName: 'ada' };

test.each([
  ['the name of the machine', {}, here, { login: 'ada@build-7' }],
  [
    'the address the person came in by',
    { SSH_CONNECTION: '198.51.100.4 51324 192.0.2.7 22' },
    here,
    { login: 'ada@192.0.2.7' },
  ],
  [
    'the port, where it is not the usual one',
    { SSH_CONNECTION: '::1 5 ::1 2222' },
    here,
    { login: 'ada@::1', port: 2222 },
  ],
  [
    'what a person fills in for a name nobody has',
    {},
    { hostName: 'h', userName: undefined },
    { login: 'USER@h' },
  ],
  [
    'nothing that a shell would run',
    { SSH_CONNECTION: 'a b $(id) 99999' },
    { hostName: 'h;id', userName: 'a b' },
    { login: 'USER@HOST' },
  ],
])('the target of a tunnel has %s', (_what, env, facts, expected) => {
  expect(describeSshTarget({ ...facts, env })).toEqual(expected);
});
