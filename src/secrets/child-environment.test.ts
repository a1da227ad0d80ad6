import { describe, expect, test } from 'vitest';

import { makeMachine } from '../../tests/support/agent-machine.ts';
import { asUsers, projectProgram, projectRemote } from '../../tests/support/sample-servers.ts';
import { inheritanceOf, inheritedEnvironment, isPlainVariable } from './child-environment.ts';

const canaries = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [`CANARY_${index}`, `secret-${index}`]),
);
const safe = {
  HOME: '/home/ada',
  PATH: '/usr/bin',
  USER: 'ada',
  SHELL: '/bin/sh',
  LANG: 'C',
  LC_ALL: 'C',
  TZ: 'UTC',
  TMPDIR: '/tmp',
  TERM: 'xterm',
  https_proxy: 'http://p.test',
  NO_PROXY: '*',
  SSL_CERT_FILE: '/ca.pem',
  NODE_EXTRA_CA_CERTS: '/ca.pem',
};
const machine = makeMachine({
  env: { ...safe, ...canaries, TOKEN: 't', NPM_TOKEN: 'n', home: 'x', lang: 'x' },
});

describe('T22: the inherited environment', () => {
  test('of a project’s server is the safe list and the variables it names', () => {
    const definition = projectProgram('x', ['${TOKEN}'], {
      envFrom: { A: { variable: 'CANARY_7', prefix: '', suffix: '' } },
    });
    expect(inheritedEnvironment(definition, machine)).toEqual({ ...safe, TOKEN: 't', CANARY_7: 'secret-7' });
  });

  test('of a user’s server is everything', () => {
    expect(inheritedEnvironment(asUsers(projectProgram('x')), machine)).toEqual(machine.env);
  });

  test('follows the definition’s rule', () => {
    const rules = (['all', 'safe', ['TOKEN']] as const).map((inheritEnv) =>
      inheritedEnvironment(projectProgram('x', [], { inheritEnv }), machine),
    );
    expect(rules).toEqual([machine.env, safe, { ...safe, TOKEN: 't' }]);
    expect(inheritedEnvironment(asUsers(projectProgram('x', [], { inheritEnv: 'safe' })), machine)).toEqual(
      safe,
    );
  });

  test('depends on the origin of a definition without a rule', () => {
    const entry = projectProgram('x');
    expect([
      inheritanceOf(entry),
      inheritanceOf(asUsers(entry)),
      inheritanceOf(projectRemote('https://x.test')),
    ]).toEqual(['safe', 'all', 'safe']);
    const plugin = { ...asUsers(entry), origin: { ...entry.origin, scope: 'plugin' } } as const;
    expect(inheritanceOf(plugin)).toBe('all');
  });

  test('on Windows ignores case, and includes variables that every program needs', () => {
    const windows = makeMachine({
      os: 'windows',
      env: { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', ComSpec: 'cmd', Token: 't', X: 'x' },
    });
    expect(inheritedEnvironment(projectProgram('x', ['${TOKEN}']), windows)).toEqual({
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
      ComSpec: 'cmd',
      Token: 't',
    });
  });
});

describe('T28: PATH of a project’s server', () => {
  const pathFor = (PATH: string, definition = projectProgram('x')): unknown =>
    inheritedEnvironment(definition, makeMachine({ env: { PATH } }));

  test('has no empty or relative entries', () => {
    expect(pathFor('.:/usr/bin::bin:../x:/bin:')).toEqual({ PATH: '/usr/bin:/bin' });
  });

  test('is omitted when nothing is left: an empty one would mean the current folder', () => {
    expect(pathFor('.:')).toEqual({});
  });

  test('is unchanged for a user’s server', () => {
    expect(pathFor('.:/usr/bin', asUsers(projectProgram('x')))).toEqual({ PATH: '.:/usr/bin' });
  });
});

test('names of places are plain, proxies and tokens are not', () => {
  expect(
    ['HOME', 'LC_TIME', 'PATH', 'HTTPS_PROXY', 'TOKEN', 'home'].filter((name) =>
      isPlainVariable(name, machine),
    ),
  ).toEqual(['HOME', 'LC_TIME', 'PATH']);
});
