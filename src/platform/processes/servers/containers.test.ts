import { expect, test } from 'vitest';

import { labelContainer } from './containers.ts';

const added = ['--rm', '--init', '--label', 'holt.run=abc'];
const label = (program: string, line: string): readonly string[] | undefined =>
  labelContainer(program, line.split(' '), 'abc');

test.each([
  ['/usr/bin/docker', 'run -i --rm mcp/fetch', ['run', ...added, '-i', '--rm', 'mcp/fetch']],
  ['/usr/bin/podman', 'run -i image run', ['run', ...added, '-i', 'image', 'run']],
  ['C:\\Docker\\docker.exe', 'run image', ['run', ...added, 'image']],
  ['docker', 'container run image', ['container', 'run', ...added, 'image']],
  ['docker', '--context run run image', ['--context', 'run', 'run', ...added, 'image']],
  ['docker', '--context=far --debug run image', ['--context=far', '--debug', 'run', ...added, 'image']],
  [
    'podman',
    '--root /tmp/run --log-level debug run image',
    ['--root', '/tmp/run', '--log-level', 'debug', 'run', ...added, 'image'],
  ],
])('F09: %s %s gets a label, an init and a broom', (program, line, expected) => {
  expect(label(program, line)).toEqual(expected);
});

test.each([
  ['docker', 'exec -i box server'],
  ['docker', 'compose run server'],
  ['docker', 'ps'],
  ['docker', '--host run'],
  ['docker', ''],
  ['/usr/bin/dockerd', 'run image'],
  ['/opt/docker/server', 'run image'],
  ['npx', 'run docker run'],
])('%s %s starts no container', (program, line) => {
  expect(label(program, line)).toBeUndefined();
});

test('a container that restarts by itself is not removed: the two exclude each other', () => {
  expect(label('docker', 'run --restart=always image')).toEqual([
    'run',
    '--init',
    '--label',
    'holt.run=abc',
    '--restart=always',
    'image',
  ]);
  expect(label('docker', 'run --restart unless-stopped image')).not.toContain('--rm');
  expect(label('docker', 'run --restart=no image')).toContain('--rm');
});
