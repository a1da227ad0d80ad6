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

describe('T22: what is inherited', () => {
  test('by a project’s program is the safe list and the variables it names', () => {
    const definition = projectProgram('x', ['${TOKEN}'], {
      envFrom: { A: { variable: 'CANARY_7', prefix: '', suffix: '' } },
    });
    expect(inheritedEnvironment(definition, machine)).toEqual({ ...safe, TOKEN: 't', CANARY_7: 'secret-7' });
  });

  test('by a user’s program is everything', () => {
    expect(inheritedEnvironment(asUsers(projectProgram('x')), machine)).toEqual(machine.env);
  });

  test('is what the definition says', () => {
    const rules = (['all', 'safe', ['TOKEN']] as const).map((inheritEnv) =>
      inheritedEnvironment(projectProgram('x', [], { inheritEnv }), machine),
    );
    expect(rules).toEqual([machine.env, safe, { ...safe, TOKEN: 't' }]);
    expect(inheritedEnvironment(asUsers(projectProgram('x', [], { inheritEnv: 'safe' })), machine)).toEqual(
      safe,
    );
  });

  test('goes by where the definition stands when it says nothing', () => {
    const entry = projectProgram('x');
    expect([
      inheritanceOf(entry),
      inheritanceOf(asUsers(entry)),
      inheritanceOf(projectRemote('https://x.test')),
    ]).toEqual(['safe', 'all', 'safe']);
    const plugin = { ...asUsers(entry), origin: { ...entry.origin, scope: 'plugin' } } as const;
    expect(inheritanceOf(plugin)).toBe('all');
  });

  test('on Windows is told apart without regard to capitals, with what nothing starts without', () => {
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

describe('T28: PATH of a project’s program', () => {
  const pathFor = (PATH: string, definition = projectProgram('x')): unknown =>
    inheritedEnvironment(definition, makeMachine({ env: { PATH } }));

  test('has no entries that are empty or relative', () => {
    expect(pathFor('.:/usr/bin::bin:../x:/bin:')).toEqual({ PATH: '/usr/bin:/bin' });
  });

  test('is not there at all when nothing is left: an empty one would mean the folder itself', () => {
    expect(pathFor('.:')).toEqual({});
  });

  test('is a user’s own business', () => {
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
