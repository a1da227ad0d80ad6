import { describe, expect, test } from 'vitest';

import { makeMachine } from '../../tests/support/agent-machine.ts';
import { asUsers, projectProgram } from '../../tests/support/sample-servers.ts';
import { locateProgram, startFolder } from './programs.ts';

const machine = makeMachine();

describe('T28: a program starts', () => {
  test.each([
    ['in the project', asUsers(projectProgram('node')), '/srv/shop'],
    [
      'in the home folder when the user configured a package runner',
      asUsers(projectProgram('npx', ['-y', 'x'])),
      '/home/ada',
    ],
    [
      'in the home folder when the user configured a module of Python',
      asUsers(projectProgram('python3', ['-m', 'x'])),
      '/home/ada',
    ],
    [
      'in the home folder when a runner stands behind a shell',
      asUsers(projectProgram('sh', ['-c', 'exec npx -y x'])),
      '/home/ada',
    ],
    ['in the project when the project brought the runner', projectProgram('npx', ['-y', 'x']), '/srv/shop'],
    [
      'in the project when it is no runner after all',
      asUsers(projectProgram('pnpm', ['start'])),
      '/srv/shop',
    ],
    [
      'in the project when a program handed it over',
      {
        ...asUsers(projectProgram('npx')),
        origin: { ...projectProgram('npx').origin, scope: 'runtime' as const },
      },
      '/srv/shop',
    ],
  ])('%s', (_where, definition, folder) => {
    expect(startFolder(definition, undefined, machine)).toBe(folder);
  });

  test('in the folder that it names, from the project’s root', () => {
    expect([
      startFolder(projectProgram('x'), 'sub', machine),
      startFolder(asUsers(projectProgram('npx')), '/abs', machine),
    ]).toEqual(['/srv/shop/sub', '/abs']);
  });
});

describe('a program that is not there', () => {
  const locate = (command: string): string =>
    locateProgram(projectProgram(command), command, { cwd: '/', env: {}, machine });

  test('is named, with how to get it', () => {
    expect(() => locate('uvx')).toThrow(
      expect.objectContaining({
        code: 'program-missing',
        message: 'Server "shop" cannot start: command not found: uvx',
        details: { server: 'shop', command: 'uvx' },
        remedy: 'It comes with uv: see docs.astral.sh/uv.',
      }),
    );
    expect(() => locate('/opt/NPX.cmd')).toThrow(
      expect.objectContaining({ remedy: 'It comes with Node.js.' }),
    );
    expect(() => locate('__proto__')).toThrow(
      expect.objectContaining({ remedy: 'Install it, or write its full path.' }),
    );
  });
});
