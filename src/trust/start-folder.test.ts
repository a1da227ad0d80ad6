import { describe, expect, test } from 'vitest';

import { makeMachine } from '../../tests/support/agent-machine.ts';
import { asUsers, projectProgram } from '../../tests/support/sample-servers.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import {
  plainProjectField,
  plainStart,
  startFolder,
  type FolderTrust,
  type StartIn,
} from './start-folder.ts';

const machine = makeMachine();
const home = '/home/ada';
const project = '/srv/shop';

const usersProgram = (
  args: readonly string[] = [],
  launch: Parameters<typeof projectProgram>[2] = {},
  more: Partial<ServerDefinition> = {},
): ServerDefinition => asUsers(projectProgram('node', args, launch, more));

const start = (
  definition: ServerDefinition,
  trust: FolderTrust,
  choice?: 'home' | 'project',
): StartIn | undefined => plainStart(definition, { machine, folderTrust: () => trust, choice });

describe('T114: a user’s server starts', () => {
  test.each<[string, FolderTrust, StartIn]>([
    [
      'in the home folder while nothing was said of the folder',
      'unknown',
      { folder: home, why: 'untrusted' },
    ],
    ['in the home folder after the user declined', 'declined', { folder: home, why: 'untrusted' }],
    ['in a project that the user trusts', 'trusted', { folder: project, why: 'trusted' }],
    ['in a project that the agent is trusted with', 'agent', { folder: project, why: 'agent' }],
  ])('%s', (_where, trust, expected) => {
    expect(start(usersProgram(), trust)).toEqual(expected);
    const plugin = { ...usersProgram(), origin: { ...usersProgram().origin, scope: 'plugin' as const } };
    const managed = { ...usersProgram(), origin: { ...usersProgram().origin, scope: 'managed' as const } };
    expect([start(plugin, trust), start(managed, trust)]).toEqual([expected, expected]);
  });

  test('in the absolute folder of its entry, trusted or not', () => {
    const own = usersProgram([], { cwd: '/opt/tool' });
    expect([start(own, 'unknown'), start(own, 'trusted', 'home')]).toEqual([
      { folder: '/opt/tool', why: 'cwd' },
      { folder: '/opt/tool', why: 'cwd' },
    ]);
  });

  test('where the user’s setting or the entry says; the setting takes precedence', () => {
    const chosen = usersProgram([], {}, { startIn: 'project' });
    expect([
      start(usersProgram(), 'unknown', 'project'),
      start(usersProgram(), 'trusted', 'home'),
      start(chosen, 'unknown'),
      start(chosen, 'trusted', 'home'),
    ]).toEqual([
      { folder: project, why: 'setting' },
      { folder: home, why: 'setting' },
      { folder: project, why: 'setting' },
      { folder: home, why: 'setting' },
    ]);
  });

  test.each(['sub', './sub', '${workspaceFolder}', '${workspaceFolder}/sub'])(
    'with the cwd %s only in a trusted project',
    (cwd) => {
      const definition = usersProgram([], { cwd }, { dialect: 'vscode' });
      const folder = cwd.endsWith('sub') ? `${project}/sub` : project;
      expect(start(definition, 'trusted')).toEqual({ folder, why: 'trusted' });
      expect(start(definition, 'unknown')).toEqual({ folder: home, why: 'untrusted' });
      expect(plainProjectField(definition, start(definition, 'unknown'), machine)).toBe('"cwd"');
    },
  );

  test('not in the project when only a variable points there', () => {
    const definition = usersProgram([], { cwd: '${PWD}' });
    const parts = { machine, folderTrust: () => 'unknown' as const };
    expect([
      startFolder(definition, `${project}/sub`, parts),
      startFolder(definition, '/opt/tool', parts),
    ]).toEqual([
      { folder: home, why: 'untrusted' },
      { folder: '/opt/tool', why: 'cwd' },
    ]);
  });

  test('in the home folder when that is the working folder', () => {
    const atHome = makeMachine({ projectRoot: home });
    expect(plainStart(usersProgram(['.']), { machine: atHome, folderTrust: () => 'trusted' })).toEqual({
      folder: home,
      why: 'trusted',
    });
  });
});

test('T114: servers from the project and from the calling program start in the project', () => {
  const runtime = { ...usersProgram(), origin: { ...usersProgram().origin, scope: 'runtime' as const } };
  expect([
    start(projectProgram('npx'), 'unknown', 'home'),
    start(runtime, 'unknown', 'home'),
    start(projectProgram('npx', [], { cwd: 'sub' }), 'unknown'),
  ]).toEqual([
    { folder: project, why: 'cwd' },
    { folder: project, why: 'cwd' },
    { folder: `${project}/sub`, why: 'cwd' },
  ]);
});

describe('T114: a program that would start in the home folder is rejected for', () => {
  const fieldOf = (definition: ServerDefinition): string | undefined =>
    plainProjectField(definition, start(definition, 'unknown'), machine);

  test.each([
    ['.'],
    ['..'],
    ['./x'],
    ['../x'],
    ['--root=.'],
    ['--root=./x'],
    ['--mount=type=bind,source=../x,target=/y'],
    ['.:/data'],
    ['-C.'],
    ['-I../x'],
    ['cd . && npx x'],
    ['sh -c "exec ./x"'],
    ['{"root":"."}'],
    ['.\\x'],
  ])('the argument %s', (argument) => {
    expect(fieldOf(usersProgram(['-y', argument]))).toBe('argument 2');
  });

  test.each([
    ['x'],
    ['data/x'],
    ['/abs/./x'],
    ['https://example.com/../x'],
    ['.hidden'],
    ['..x'],
    ['...'],
    ['1.5'],
    ['-'],
    ['--x=.y'],
    ['@scope/server@1.2.3'],
    ['A sentence. And another.'],
  ])('nothing in the argument %s', (argument) => {
    expect(fieldOf(usersProgram([argument]))).toBeUndefined();
  });

  test('a command in the project', () => {
    expect([
      fieldOf(asUsers(projectProgram('./server'))),
      fieldOf(asUsers(projectProgram('bin/server'))),
      fieldOf(asUsers(projectProgram('${workspaceFolder}/server', [], {}, { dialect: 'vscode' }))),
      fieldOf(asUsers(projectProgram('server'))),
      fieldOf(asUsers(projectProgram('/opt/server'))),
    ]).toEqual(['command', 'command', 'command', undefined, undefined]);
  });

  test('a variable of its own that is a relative path', () => {
    expect([
      fieldOf(usersProgram([], { env: { ROOT: '.' } })),
      fieldOf(usersProgram([], { env: { NOTE: 'see ./x' } })),
    ]).toEqual(['variable ROOT', undefined]);
  });

  test('none of these when the user chose the folder', () => {
    const definition = usersProgram(['.']);
    expect(
      (['home', 'project'] as const).map((choice) =>
        plainProjectField(definition, start(definition, 'unknown', choice), machine),
      ),
    ).toEqual([undefined, undefined]);
  });
});
