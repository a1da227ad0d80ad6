/** T117: every common way to run code of a project is either part of its approval or named as not being part of it. */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { makeMachine } from '../../tests/support/agent-machine.ts';
import { projectProgram, projectRemote } from '../../tests/support/sample-servers.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { realFiles } from '../platform/files/files.ts';
import { fingerprint, type Fingerprint } from './fingerprint.ts';

let root: string;
let machine: Machine;

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holt-forms-')));
  machine = makeMachine({ projectRoot: root });
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

type Contents = Readonly<Record<string, string>>;

function write(contents: Contents): void {
  for (const [name, text] of Object.entries(contents)) {
    const place = path.join(root, name);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, text);
  }
}

function print(definition: ServerDefinition): Fingerprint {
  return fingerprint(definition, machine, realFiles);
}

const scripts = (map: Contents, more: object = {}): string => JSON.stringify({ ...more, scripts: map });
const manifest = (name: string, script = 'node a.js', at = 'package.json'): readonly [Contents, Contents] => [
  { [at]: scripts({ [name]: script }) },
  { [at]: scripts({ [name]: 'node b.js' }) },
];
/** Files before, and files that are written over them. */
type Change = readonly [before: Contents, after: Contents];
const file = (name: string, more: Contents = {}): Change => [{ ...more, [name]: 'one' }, { [name]: 'two' }];
type Line = readonly [command: string, ...args: readonly string[]];
const sub = { 'sub/keep.txt': '' };
const members = {
  'package.json': JSON.stringify({ workspaces: ['packages/*'] }),
  'packages/b/package.json': scripts({ x: 'node b.js' }, { name: 'b' }),
};
const inMember = manifest('x', 'node a.js', 'packages/a/package.json');
const member: Change = [
  { ...members, 'packages/a/package.json': scripts({ x: 'node a.js' }, { name: '@shop/a' }) },
  { 'packages/a/package.json': scripts({ x: 'node c.js' }, { name: '@shop/a' }) },
];
const pnpmMember: Change = [
  { 'pnpm-workspace.yaml': "packages:\n  - 'packages/**'\n", ...inMember[0] },
  inMember[1],
];
const deno = (task: unknown, name = 'deno.json'): Change => [
  { [name]: JSON.stringify({ tasks: { x: task } }) },
  { [name]: JSON.stringify({ tasks: { x: 'deno run b.ts' } }) },
];
const pyproject = (at = 'pyproject.toml'): Change => [
  { [at]: '[project]\nname = "p"\n\n[project.scripts]\nserve = "pkg.main:run"\n' },
  { [at]: '[project]\nname = "p"\n\n[project.scripts]\nserve = "pkg.evil:run"\n' },
];
const entry = { 'pyproject.toml': '[project.scripts]\nserve = "pkg.main:run"\n' };
const bin = file('node_modules/.bin/tool');
const memberBin = file('packages/a/node_modules/.bin/tool', member[0]);

const covered: readonly (readonly [Line, Change])[] = [
  // Scripts of package.json
  [['npm', 'run', 'x'], manifest('x')],
  [['npm', 'run-script', 'x'], manifest('x')],
  [['npm', 'rum', 'x', '--', '--port', '1'], manifest('x')],
  [['npm', '--silent', 'run', 'x'], manifest('x')],
  [['npm', 'start'], manifest('start')],
  [['npm', 'test'], manifest('test')],
  [['npm', 't'], manifest('test')],
  [['npm', 'restart'], manifest('start')],
  [['npm', 'start'], file('server.js', { 'package.json': '{}' })],
  [
    ['npm', 'run', 'x'],
    [
      { 'package.json': scripts({ x: 'node a.js', prex: 'a' }) },
      { 'package.json': scripts({ x: 'node a.js', prex: 'b' }) },
    ],
  ],
  [
    ['npm', 'run', 'x'],
    [
      { 'package.json': scripts({ x: 'node a.js', postx: 'a' }) },
      { 'package.json': scripts({ x: 'node a.js', postx: 'b' }) },
    ],
  ],
  [['npm', 'run', 'x'], file('a.js', manifest('x')[0])],
  [['npm', 'run', 'x'], file('lib/a.js', manifest('x', 'cd lib && node a.js')[0])],
  [
    ['npm', 'run', 'x'],
    [
      { 'package.json': scripts({ x: 'npm run y', y: 'a' }) },
      { 'package.json': scripts({ x: 'npm run y', y: 'b' }) },
    ],
  ],
  [
    ['npm', 'run', 'x'],
    [
      { 'package.json': scripts({ x: 'run-s y:*', 'y:1': 'a' }) },
      { 'package.json': scripts({ x: 'run-s y:*', 'y:1': 'b' }) },
    ],
  ],
  [['npm', 'run', 'x'], file('node_modules/.bin/tool', manifest('x', 'tool serve')[0])],
  [['npm', 'run', 'x'], file('.npmrc', manifest('x')[0])],
  [['npm', 'run', '${SCRIPT}'], manifest('x')],
  [['npm', '--prefix', 'sub', 'run', 'x'], manifest('x', 'node a.js', 'sub/package.json')],
  [['npm', '--prefix=sub', 'run', 'x'], file('sub/a.js', manifest('x', 'node a.js', 'sub/package.json')[0])],
  [['npm', '-C', 'sub', 'start'], file('sub/a.js', manifest('start', 'node a.js', 'sub/package.json')[0])],
  [['npm', 'run', 'x', '-w', '@shop/a'], member],
  [['npm', 'run', 'x', '--workspace=@shop/a'], member],
  [['npm', 'run', 'x', '-w', 'packages/a'], member],
  [['npm', 'run', 'x', '--workspaces'], member],
  [['npm', 'install'], manifest('postinstall')],
  [['yarn', 'run', 'x'], manifest('x')],
  [['yarn', 'x'], manifest('x')],
  [['yarn', '--cwd', 'sub', 'x'], file('sub/a.js', manifest('x', 'node a.js', 'sub/package.json')[0])],
  [['yarn', 'workspace', '@shop/a', 'x'], member],
  [['yarn', 'tool'], bin],
  [['yarn', 'x'], file('.yarn/yarn.cjs', { ...manifest('x')[0], '.yarnrc.yml': 'yarnPath: .yarn/yarn.cjs' })],
  [['pnpm', 'run', 'x'], manifest('x')],
  [['pnpm', 'x'], manifest('x')],
  [['pnpm', 'start'], manifest('start')],
  [['pnpm', '--dir', 'sub', 'x'], file('sub/a.js', manifest('x', 'node a.js', 'sub/package.json')[0])],
  [['pnpm', '-C', 'sub', 'run', 'x'], file('sub/a.js', manifest('x', 'node a.js', 'sub/package.json')[0])],
  [['pnpm', '--filter', 'a', 'run', 'x'], pnpmMember],
  [['pnpm', 'exec', 'tool'], bin],
  [['bun', 'run', 'x'], manifest('x')],
  [['bun', 'x'], manifest('x')],
  [['bun', '--cwd=sub', 'run', 'x'], file('sub/a.js', manifest('x', 'node a.js', 'sub/package.json')[0])],
  [['bun', 'run', 'x'], file('pre.ts', { ...manifest('x')[0], 'bunfig.toml': 'preload = ["./pre.ts"]' })],
  [['node', '--run', 'x'], manifest('x')],
  [['node', '--run=x'], manifest('x')],
  [['npm-run-all', 'x', 'y'], manifest('x')],
  // Local programs
  [['npx', 'tool'], bin],
  [['npx', '-y', 'tool', '--port', '1'], bin],
  [['npx', 'tool@1.2.3'], bin],
  [['npx', '-c', 'tool serve'], bin],
  [
    ['npx', '@shop/tool'],
    file('node_modules/@shop/tool/cli.js', { 'node_modules/@shop/tool/package.json': '{"bin":"cli.js"}' }),
  ],
  [['npx', '.'], file('cli.js', { 'package.json': '{"bin":{"a":"cli.js"}}' })],
  [
    ['npx', 'tool'],
    file('node_modules/tool/cli.js', {
      'node_modules/.bin/tool': 'exec node "$basedir/../tool/cli.js" "$@"',
    }),
  ],
  [['npm', 'exec', 'tool'], bin],
  [['npx', 'tool'], file('.npmrc', bin[0])],
  [['npx', '-y', '@shop/server@1.2.3'], file('.npmrc')],
  [['npx', '-y', 'tool'], file('preload.js', { '.npmrc': 'node-options=--require=./preload.js' })],
  [['bun', 'srv.ts'], file('bunfig.toml', { 'srv.ts': '' })],
  [['npx', '-w', '@shop/a', 'tool'], memberBin],
  [['npm', 'exec', '--workspace=@shop/a', '--', 'tool'], memberBin],
  [['npx', 'file:sub'], file('sub/cli.js', { 'sub/package.json': '{"bin":"cli.js"}' })],
  [['nlx', 'tool'], bin],
  [['nr', 'x'], manifest('x')],
  [['concurrently', 'npm:x'], manifest('x')],
  [['tsx', 'x.ts'], file('tsconfig.json', { 'x.ts': '' })],
  [['ts-node', '-P', 'etc/ts.json', 'x.ts'], file('etc/ts.json', { 'x.ts': '' })],
  [['bunx', 'tool'], bin],
  // Task files
  [['make', 'x'], file('Makefile')],
  [['make'], file('GNUmakefile')],
  [['make', '-C', 'sub', 'x'], file('sub/Makefile')],
  [['make', '-f', 'tool.mk'], file('tool.mk')],
  [['make', 'x'], file('more.mk', { Makefile: 'include more.mk\n' })],
  [['just', 'x'], file('justfile')],
  [['just', 'x'], file('.justfile')],
  [['just', '--justfile', 'tasks/Justfile', 'x'], file('tasks/Justfile')],
  [['just', '-f', 'tasks.just', 'x'], file('more.just', { 'tasks.just': "import 'more.just'\n" })],
  [['task', 'x'], file('Taskfile.yml')],
  [['task', 'x'], file('docs/tasks.yml', { 'Taskfile.yml': 'includes:\n  docs: ./docs/tasks.yml\n' })],
  [['task', 'x'], file('lib/Taskfile.yml', { 'Taskfile.yml': 'includes:\n  lib:\n    taskfile: ./lib\n' })],
  [['rake', 'x'], file('Rakefile')],
  [['deno', 'task', 'x'], deno('deno run a.ts')],
  [['deno', 'task', 'x'], deno('deno run a.ts', 'deno.jsonc')],
  [['deno', 'task', 'x'], deno({ command: 'deno run a.ts' })],
  [['deno', 'task', 'x'], file('a.ts', deno('deno run a.ts')[0])],
  [['deno', 'run', 'x'], deno('deno run a.ts')],
  [['deno', 'x'], deno('deno run a.ts')],
  [
    ['deno', 'run', '-A', 'main.ts'],
    [
      { 'main.ts': '', 'deno.json': '{"imports":{"lib":"jsr:@lib/lib@1"}}' },
      { 'deno.json': '{"imports":{"lib":"./evil.ts"}}' },
    ],
  ],
  [['bmake', 'x'], file('Makefile')],
  [['just', 'sub/x'], file('sub/justfile')],
  [['deno', 'task', '--config', 'etc/deno.json', 'x'], deno('deno run a.ts', 'etc/deno.json')],
  // Containers
  [['docker', 'compose', 'up'], file('compose.yaml')],
  [['docker', 'compose', 'run', 'srv'], file('docker-compose.yml')],
  [['docker', 'compose', 'up'], file('compose.override.yml', { 'compose.yml': 'services: {}' })],
  [['docker', 'compose', '-f', 'etc/c.yaml', 'up'], file('etc/c.yaml')],
  [
    ['docker', 'compose', '--file=etc/c.yaml', 'up'],
    file('etc/srv.js', { 'etc/c.yaml': 'volumes:\n  - ./srv.js:/srv.js\n' }),
  ],
  [['docker', 'buildx', 'bake'], file('docker-bake.hcl')],
  [['docker-compose', 'up'], file('docker-compose.yaml')],
  [['docker', 'compose', 'up'], file('Dockerfile', { 'compose.yaml': 'services:\n  a:\n    build: .\n' })],
  [['docker', 'run', '-v', './srv.js:/srv.js', 'node'], file('srv.js')],
  [['docker', 'run', '-v', '${PWD}/srv.js:/srv.js', 'node'], file('srv.js')],
  [['podman', 'run', '--mount', 'type=bind,source=./srv.js,target=/srv.js', 'node'], file('srv.js')],
  [['docker', 'run', '--volume=./srv.js:/srv.js:ro', 'node'], file('srv.js')],
  // Python
  [['python', '-m', 'pkg'], file('pkg/__init__.py')],
  [['python3.12', '-m', 'pkg'], file('pkg/__main__.py')],
  [['python', '-m', 'pkg'], file('pkg.py')],
  [['python', '-m', 'pkg.mod'], file('pkg/__init__.py', { 'pkg/mod.py': '' })],
  [['python', '-c', 'from pkg import main; main()'], file('pkg/__init__.py')],
  [['python3', '-uc', 'import os, srv'], file('srv.py')],
  [['pipenv', 'run', 'x'], file('Pipfile')],
  [['hatch', 'run', 'x'], file('hatch.toml')],
  [['uv', 'run', 'serve'], pyproject()],
  [['uv', 'run', 'serve'], file('pkg/main.py', entry)],
  [['uv', 'run', 'serve'], file('src/pkg/__init__.py', entry)],
  [['uv', 'run', '--directory', 'sub', 'serve'], pyproject('sub/pyproject.toml')],
  [['uv', 'run', 'srv.py'], file('srv.py')],
  [['uv', 'run', '-m', 'pkg'], file('pkg/__init__.py')],
  [['poetry', 'run', 'serve'], pyproject()],
  // Preloaded modules
  [['node', '-r', './pre', 'x.js'], file('pre.js')],
  [['node', '-r', './pre.js', 'x.js'], file('pre.js')],
  [['node', '--require=./pre.cjs', 'x.js'], file('pre.cjs')],
  [['node', '--import', './pre.mjs', 'x.js'], file('pre.mjs')],
  [['ruby', '-r./pre', 'x.rb'], file('pre.rb')],
  [['deno', 'task', 'x'], manifest('x')],
  [['npx', '-y', 'pnpm@9', 'run', 'x'], manifest('x')],
  [['node', '/usr/lib/node_modules/npm/bin/npm-cli.js', 'run', 'x'], manifest('x')],
  // Wrappers
  [['env', 'A=1', 'npm', 'run', 'x'], manifest('x')],
  [
    ['env', '-C', 'sub', 'npm', 'run', 'x'],
    file('sub/a.js', manifest('x', 'node a.js', 'sub/package.json')[0]),
  ],
  [
    ['sh', '-c', 'cd sub && exec npm run x'],
    file('sub/a.js', manifest('x', 'node a.js', 'sub/package.json')[0]),
  ],
  [['sh', '-c', 'npm run x 2>/dev/null'], manifest('x')],
  [['cmd', '/c', 'npm.cmd', 'run', 'x'], manifest('x')],
  [['nice', '-n', '5', 'make', 'x'], file('Makefile')],
  [['timeout', '60', 'just', 'x'], file('justfile')],
  [['cross-env', 'A=1', 'deno', 'task', 'x'], deno('deno run a.ts')],
  [['flock', 'lock', 'npx', 'tool'], bin],
];

describe('T117: an approval covers what a runner executes', () => {
  test('in at least 74 forms', () => {
    expect(covered.length + notCovered.length).toBeGreaterThanOrEqual(74);
  });

  test.each(covered.map(([line, change]) => ({ line: line.join(' '), form: line, change })))(
    '$line',
    ({ form: [command, ...args], change: [before, after] }) => {
      write({ ...sub, ...before });
      const definition = projectProgram(command, args);
      const approved = print(definition);
      expect(print(definition).digest).toBe(approved.digest);
      write(after);
      expect(print(definition).digest).not.toBe(approved.digest);
      write(before);
      expect(print(definition).digest).toBe(approved.digest);
      expect(approved.uncertain).toBeUndefined();
    },
  );
});

const notCovered: readonly (readonly [Line, Contents, string])[] = [
  [['cargo', 'run'], {}, 'cargo run'],
  [['cargo', '--quiet', 'r', '--manifest-path', 'sub/Cargo.toml'], {}, 'cargo r'],
  [['cargo', 'an-alias'], {}, 'cargo an-alias'],
  [['make', '-f', '${MAKEFILE}'], {}, 'the file that make is given'],
  [['sh', '-c', 'docker compose -f $FILE up'], {}, 'the compose file that it is given'],
  [['go', 'run', '.'], {}, 'go run'],
  [['go', 'run', './cmd/srv'], {}, 'go run'],
  [['dotnet', 'run', '--project', 'sub'], {}, 'dotnet run'],
  [['timeout', '60', 'cargo', 'run'], {}, 'cargo run'],
  [['sh', '-c', 'cd sub && go run .'], {}, 'go run'],
  [['./gradlew', 'run'], {}, 'gradlew run'],
  [['docker', 'run', '-v', '.:/app', 'node'], {}, 'the mounted folder .'],
  [['docker', 'run', '-v.:/app', 'node'], {}, 'the mounted folder .'],
  [['docker', 'run', '--rm', '-itv', '.:/app', 'node'], {}, 'the mounted folder .'],
  [['docker', 'run', '-v', '..:/app', 'node'], {}, 'the mounted folder .'],
  [['docker', 'run', '-v', '${PWD}:/app', 'node'], {}, 'the mounted folder .'],
  [['sh', '-c', 'docker run -v "$(pwd)":/app node'], {}, 'the mounted folder .'],
  [['sh', '-c', 'docker run -v $PWD/sub:/app node'], {}, 'the mounted folder sub'],
  [['podman', 'run', '--mount', 'type=bind,src=./sub,dst=/app', 'node'], {}, 'the mounted folder sub'],
  [['docker', 'run', '--mount=type=bind,source=sub/,target=/app', 'node'], {}, 'the mounted folder sub'],
  [
    ['docker', 'compose', 'up'],
    { 'compose.yaml': 'services:\n  a:\n    build: .\n' },
    'the folder . that compose.yaml names',
  ],
  [
    ['docker', 'compose', 'up'],
    { 'compose.yaml': 'services:\n  a:\n    volumes:\n      - ./sub:/app\n' },
    'the folder sub that compose.yaml names',
  ],
  [['docker', 'build', '-t', 'x', '.'], {}, 'what docker build copies'],
  [['python', '-m', 'pkg'], { 'pkg/__init__.py': '' }, 'other modules of the Python package pkg'],
  [['uv', 'run', '-m', 'pkg.mod'], { 'pkg/mod.py': '' }, 'other modules of the Python package pkg'],
  [['uv', 'run', 'serve'], entry, 'the Python code that uv run executes'],
  [['uv', 'run', 'other'], entry, 'the Python code that uv run executes'],
  [['uvx', '--from', '.', 'serve'], {}, 'the Python package in .'],
  [['uvx', './sub'], {}, 'the Python package in sub'],
  [['uv', 'run', 'srv.py'], { ...pyproject()[0], 'srv.py': '' }, 'the Python code that uv run executes'],
  [['uvicorn', 'pkg.main:app'], {}, 'uvicorn pkg.main:app'],
  [['ruby', '-Isub', '-rsrv', '-e', 'run'], {}, 'the code in sub'],
  [['java', '-cp', 'lib/*:sub', 'Main'], {}, 'the code in sub'],
  [['composer', 'x'], {}, 'composer x'],
  [['gulp', 'x'], {}, 'gulp x'],
  [['nx', 'serve', 'a'], {}, 'nx serve'],
  [
    ['npm', 'run', 'x'],
    { 'package.json': scripts({ x: 'vite build && node a.js' }) },
    'the programs that scripts.x of package.json calls',
  ],
  [
    ['deno', 'task', 'x'],
    { 'deno.json': '{"tasks":{"x":"vite"}}' },
    'the programs that tasks of deno.json call',
  ],
  [['make', 'x'], { Makefile: 'x:\n\tnode a.js\n' }, 'the programs that Makefile calls'],
  [['just', 'x'], { justfile: 'x:\n  node a.js\n' }, 'the programs that justfile calls'],
];

describe('T117: code that an approval cannot cover is reported', () => {
  test.each(notCovered.map(([line, contents, gap]) => ({ line: line.join(' '), form: line, contents, gap })))(
    '$line: $gap',
    ({ form: [command, ...args], contents, gap }) => {
      write({ ...sub, ...contents });
      expect(print(projectProgram(command, args)).notCovered).toContain(gap);
    },
  );
});

describe('T117: an approval stays valid', () => {
  const changes: readonly (readonly [string, Line, Change])[] = [
    [
      'when package.json gets another version',
      ['npm', 'run', 'x'],
      [
        { 'package.json': scripts({ x: 'node a.js' }, { version: '1.0.0' }) },
        { 'package.json': scripts({ x: 'node a.js' }, { version: '1.0.1' }) },
      ],
    ],
    [
      'when another script changes',
      ['npm', 'run', 'x'],
      [
        { 'package.json': scripts({ x: 'node a.js', y: 'a' }) },
        { 'package.json': scripts({ x: 'node a.js', y: 'b' }) },
      ],
    ],
    [
      'when another task changes',
      ['deno', 'task', 'x'],
      [
        { 'deno.json': '{"tasks":{"x":"deno run a.ts","y":"a"}}' },
        { 'deno.json': '{"tasks":{"x":"deno run a.ts","y":"b"}}' },
      ],
    ],
    [
      'when pyproject.toml gets another version',
      ['uv', 'run', 'serve'],
      [
        { 'pyproject.toml': `version = "1"\n${entry['pyproject.toml']}` },
        { 'pyproject.toml': `version = "2"\n${entry['pyproject.toml']}` },
      ],
    ],
    ['when a Makefile changes that nothing runs', ['node', 'a.js'], file('Makefile')],
    [
      'when a secret in .env changes',
      ['docker', 'compose', 'up'],
      [{ 'compose.yaml': '', '.env': 'TOKEN=a' }, { '.env': 'TOKEN=b' }],
    ],
    [
      'when another program of node_modules changes',
      ['npx', 'tool'],
      [{ 'node_modules/.bin/tool': 'a', 'node_modules/.bin/other': 'a' }, { 'node_modules/.bin/other': 'b' }],
    ],
  ];
  test.each(changes)('%s', (_what, [command, ...args], [before, after]) => {
    write(before);
    const definition = projectProgram(command, args);
    const approved = print(definition).digest;
    write(after);
    expect(print(definition).digest).toBe(approved);
  });

  test('entries without a runner get no note', () => {
    write({
      'server.js': '',
      'pkg/__init__.py': '',
      'Cargo.toml': '',
      Makefile: '',
      'package.json': scripts({ x: 'vite' }),
    });
    const plain: readonly Line[] = [
      ['node', 'server.js'],
      ['python', 'server.py'],
      ['npx', '-y', '@shop/server@1.2.3', '.'],
      ['uvx', 'mcp-server-git', '--repository', '.'],
      ['uvx', '--python', '3.12', 'mcp-server-git', './sub'],
      ['npx', '-y', '@shop/server', '--agent', 'flask', '--mode', 'nix'],
      ['docker', 'run', '-i', '--rm', '-v', 'data:/data', 'image'],
      ['docker', 'run', '-i', '--rm', '-v', '/var/run/x.sock:/x.sock', 'image'],
      ['uv', 'run', 'server.py'],
    ];
    expect(plain.map(([command, ...args]) => print(projectProgram(command, args)).notCovered)).toEqual(
      plain.map(() => undefined),
    );
  });
});

describe('T117: the search', () => {
  test('follows the link in node_modules/.bin to its target', () => {
    write({ 'node_modules/tool/cli.js': 'one', 'node_modules/.bin/keep': '' });
    fs.symlinkSync('../tool/cli.js', path.join(root, 'node_modules/.bin/tool'));
    const definition = projectProgram('npx', ['tool']);
    const approved = print(definition).digest;
    write({ 'node_modules/tool/cli.js': 'two' });
    expect(print(definition).digest).not.toBe(approved);
  });

  test('starts from the target of a link to a folder', () => {
    write({ 'a/b/keep.txt': '', 'a/package.json': scripts({ x: 'node a.js' }) });
    fs.symlinkSync('a/b', path.join(root, 'link'));
    const definition = projectProgram('npm', ['run', 'x'], { cwd: 'link' });
    const approved = print(definition).digest;
    write({ 'a/package.json': scripts({ x: 'node b.js' }) });
    expect(print(definition).digest).not.toBe(approved);
  });

  test('does not refuse an entry because of large data that a compose file names', () => {
    write({ 'compose.yaml': 'volumes:\n  - ./data.db:/data.db\n' });
    fs.writeFileSync(path.join(root, 'data.db'), '');
    fs.truncateSync(path.join(root, 'data.db'), 128 << 20);
    const { uncertain, notCovered: gaps } = print(projectProgram('docker', ['compose', 'up']));
    expect([uncertain, gaps]).toEqual([undefined, ['the file data.db']]);
  });

  test('finds files of the folders above the start folder, and none above the project', () => {
    write({ 'a/b/keep.txt': '', 'a/package.json': scripts({ x: 'node a.js' }), 'a/a.js': 'one' });
    const definition = projectProgram('npm', ['run', 'x'], { cwd: 'a/b' });
    const opened: string[] = [];
    const watched = {
      ...realFiles,
      load: (place: string, max: number) => (opened.push(place), realFiles.load(place, max)),
    };
    const { fields } = fingerprint(definition, machine, watched);
    const named = new Set(fields.flatMap(({ file: name }) => name ?? []));
    expect([...named]).toEqual(['/srv/shop/.mcp.json', 'a/a.js', 'a/package.json']);
    expect(opened.filter((place) => !place.startsWith(root))).toEqual([]);
  });

  test('shows the text of a script before and after a change', () => {
    write({ 'package.json': scripts({ x: 'node a.js --token=ghp_abcdefghijklmnopqrstuvwxyz0123456789' }) });
    const shown = print(projectProgram('npm', ['run', 'x'])).fields.find(
      ({ path: name }) => name === 'scripts.x of package.json',
    );
    expect(shown).toMatchObject({ file: 'package.json' });
    expect(shown?.shown).toContain('node a.js');
    expect(shown?.shown).not.toContain('ghp_abcdef');
  });

  test('stops at limits in scripts that call each other and in very many scripts', () => {
    write({ 'package.json': scripts({ x: 'npm run y', y: 'npm run x' }) });
    expect(print(projectProgram('npm', ['run', 'x'])).notCovered).toBeUndefined();
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`s${at}`, `npm run s${at + 1}`]));
    write({ 'package.json': scripts(many) });
    expect(print(projectProgram('npm', ['run', 's0'])).notCovered).toEqual([
      'some of the scripts that call each other',
    ]);
  });

  test('refuses a package.json whose parts cannot be read', () => {
    fs.mkdirSync(path.join(root, 'sub'));
    write({ 'package.json': '{' });
    const definition = projectProgram('npm', ['run', 'x']);
    const approved = print(definition).digest;
    write({ 'package.json': '{ ' });
    expect(print(definition).digest).not.toBe(approved);
  });

  test('ignores a declaration inside a string', () => {
    const decoy = (module: string): string =>
      `[project.scripts]\na = """\nserve = "pkg.ok:run"\n[x]\n"""\nserve = "${module}:run"\n`;
    write({ 'pyproject.toml': decoy('pkg.ok') });
    const definition = projectProgram('uv', ['run', 'serve']);
    const approved = print(definition).digest;
    write({ 'pyproject.toml': decoy('pkg.evil') });
    expect(print(definition).digest).not.toBe(approved);
  });

  test('includes a headers helper', () => {
    write(manifest('x')[0]);
    const definition = projectRemote('https://x.test', { headersHelper: 'npm run x' });
    const approved = print(definition).digest;
    write(manifest('x')[1]);
    expect(print(definition).digest).not.toBe(approved);
  });
});
