import { describe, expect, test } from 'vitest';

import { createLaunchFixture, revealed, trusted } from '../../tests/support/launch-fixture.ts';
import { asUsers, projectProgram, projectRemote, withOutcomes } from '../../tests/support/sample-servers.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { FileOutcome } from '../platform/files/files.ts';
import { resolveLaunch } from './resolve-launch.ts';
import { dropCommandValues } from './secret-sources.ts';

const env = { PATH: '/bin:/usr/bin', TOKEN: 't', HOME: '/home/ada' };
const withValue = (value: string): ServerDefinition => projectProgram('sh', [], { env: { T: value } });

describe('a command for a value', () => {
  test('is a program from PATH with arguments in a dialect without a shell; its output is trimmed', async () => {
    const world = createLaunchFixture({ env, prints: { '/bin/sh a b': ' value \n' } });
    expect(revealed(await world.resolve(withValue('!sh a "b"')))).toMatchObject({ env: { T: 'value' } });
    expect(world.ran.map(({ command }) => command)).toEqual([
      { kind: 'program', program: '/bin/sh', args: ['a', 'b'] },
    ]);
  });

  test('is a shell line where the dialect defines it so', async () => {
    const world = createLaunchFixture({ env, prints: { 'a | b': 'value' } });
    expect(revealed(await world.resolve({ ...withValue('!a | b'), dialect: 'omp' }))).toMatchObject({
      env: { T: 'value' },
    });
  });

  test('T22: of a project gets the same environment as its server, and runs in the project', async () => {
    const world = createLaunchFixture({ env, prints: { x: 'value' } });
    await world.resolve(withValue('!x'));
    await world.resolve(asUsers(withValue('!x')));
    expect(world.ran.map(({ limits }) => [limits.cwd, limits.env])).toEqual([
      ['/srv/shop', { PATH: '/bin:/usr/bin', HOME: '/home/ada' }],
      ['/home/ada', env],
    ]);
  });

  test('T17: is bounded in time and size', async () => {
    const world = createLaunchFixture({ env, prints: { x: 'value' } });
    await world.resolve(withValue('!x'));
    expect(world.ran[0]?.limits).toMatchObject({ timeoutMs: 10_000, maxBytes: 65_536 });
  });

  test('T17: that fails or prints nothing fails the start, naming the field', async () => {
    const world = createLaunchFixture({ env, prints: { empty: ' \n' } });
    await expect(world.resolve(withValue('!gone'))).rejects.toMatchObject({
      code: 'secret-unresolved',
      message: 'The command for "env.T" of server "shop" failed: it ended with exit code 1',
      details: { server: 'shop', field: 'env.T' },
    });
    await expect(
      world.resolve(projectRemote('https://x.test', { headers: { A: '!empty' } })),
    ).rejects.toMatchObject({
      details: { field: 'headers.A', reason: 'it printed nothing' },
    });
  });

  test('T17: that prints two lines is rejected in a header and unchanged in a variable', async () => {
    const world = createLaunchFixture({ env, prints: { key: 'a\nb' } });
    await expect(
      world.resolve(projectRemote('https://x.test', { headers: { A: '!key' } })),
    ).rejects.toMatchObject({ details: { field: 'headers.A' } });
    expect(revealed(await world.resolve(withValue('!key')))).toMatchObject({ env: { T: 'a\nb' } });
  });

  test('runs once for all fields that use it, and again after it was dropped', async () => {
    const world = createLaunchFixture({ env, prints: { x: 'value' } });
    const definition = projectProgram('sh', [], { env: { A: '!x', B: '!x' } });
    await world.resolve(definition);
    await world.resolve(definition);
    expect(world.ran).toHaveLength(1);
    dropCommandValues(definition, world.parts.cache);
    await world.resolve(definition);
    expect(world.ran).toHaveLength(2);
  });

  test('of another server is not dropped with it', async () => {
    const world = createLaunchFixture({ env, prints: { x: 'value' } });
    const other = { ...withValue('!x'), name: 'other' };
    await world.resolve(other);
    dropCommandValues(withValue('!x'), world.parts.cache);
    await world.resolve(other);
    expect(world.ran).toHaveLength(1);
  });

  test('does not run in a dialect without commands', async () => {
    const world = createLaunchFixture({ env });
    expect(revealed(await world.resolve({ ...withValue('!x'), dialect: 'claude' }))).toMatchObject({
      env: { T: '!x' },
    });
    expect(world.ran).toEqual([]);
  });
});

describe('T20: a file for a value', () => {
  const reading = (file: string): ServerDefinition => ({
    ...projectProgram('sh', [`{file:${file}}`]),
    dialect: 'opencode',
  });
  const files = { './secret.txt': ' near \n', '~/key': 'home', '/etc/token': 'far' };

  test.each([
    ['secret.txt', 'near'],
    ['./secret.txt', 'near'],
    ['~/key', 'home'],
    ['/etc/token', 'far'],
  ])('%s is resolved from the folder of the config file, and trimmed', async (file, value) => {
    expect(revealed(await createLaunchFixture({ env, files }).resolve(reading(file)))).toMatchObject({
      args: [value],
    });
  });

  test.each<readonly [string, FileOutcome]>([
    ['it is not there', { kind: 'missing' }],
    ['it is not a regular file', { kind: 'not-regular', what: 'a device' }],
    ['it is over 64 KiB', { kind: 'too-large', bytes: 70_000 }],
    ['it cannot be read', { kind: 'unreadable', reason: 'permission denied' }],
  ])('is not used when %s', async (reason, outcome) => {
    const { parts } = createLaunchFixture({ env, files });
    const on = { ...parts, files: withOutcomes(parts.files, { '/etc/token': outcome }) };
    await expect(resolveLaunch(trusted(reading('/etc/token')), on)).rejects.toMatchObject({
      code: 'secret-unresolved',
      message: `The file for "args.0" of server "shop" is not used: ${reason}`,
      remedy: 'Look at /etc/token.',
    });
  });

  test('is loaded with the size limit', async () => {
    const { parts } = createLaunchFixture({ env, files });
    const limits: number[] = [];
    const on = {
      ...parts,
      files: {
        ...parts.files,
        load: (place: string, max: number) => (limits.push(max), parts.files.load(place, max)),
      },
    };
    await resolveLaunch(trusted(reading('/etc/token')), on);
    expect(limits).toEqual([65_536]);
  });
});

describe('an input', () => {
  const key = { id: 'key', description: 'API key', password: true };
  const asking = (inputs: ServerDefinition['inputs'], ...ids: readonly string[]): ServerDefinition => ({
    ...projectProgram(
      'sh',
      ids.map((id) => `\${input:${id}}`),
    ),
    dialect: 'vscode',
    ...(inputs === undefined ? {} : { inputs }),
  });

  test('is requested once, hidden when it is a password or has no description', async () => {
    const asked: unknown[] = [];
    const world = createLaunchFixture({
      env,
      askSecret: async (prompt) => {
        asked.push(prompt);
        return `answer ${asked.length}`;
      },
    });
    const definition = asking(
      [key, { id: 'region', description: 'Region', password: false }],
      'key',
      'key',
      'region',
      'unknown',
    );
    expect(revealed(await world.resolve(definition))).toMatchObject({
      args: ['answer 1', 'answer 1', 'answer 2', 'answer 3'],
    });
    expect(revealed(await world.resolve(definition))).toMatchObject({
      args: ['answer 1', 'answer 1', 'answer 2', 'answer 3'],
    });
    expect(asked).toEqual([
      { label: 'API key', password: true },
      { label: 'Region', password: false },
      { label: 'unknown', password: true },
    ]);
  });

  test('without anyone to ask uses its default, or fails with what is needed', async () => {
    expect(
      revealed(await createLaunchFixture({ env }).resolve(asking([{ ...key, fallback: 'eu' }], 'key'))),
    ).toMatchObject({ args: ['eu'] });
    await expect(createLaunchFixture({ env }).resolve(asking([key], 'key', 'other'))).rejects.toMatchObject({
      code: 'secret-input-needed',
      message: 'Server "shop" needs input: key, other',
      details: { server: 'shop', inputs: ['key', 'other'] },
    });
  });

  test('answered with Enter uses its default; not answered, it is requested again', async () => {
    let answer: string | undefined;
    const world = createLaunchFixture({ env, askSecret: async () => answer });
    await expect(world.resolve(asking([key], 'key'))).rejects.toMatchObject({ code: 'secret-input-needed' });
    answer = '';
    expect(revealed(await world.resolve(asking([{ ...key, fallback: 'eu' }], 'key')))).toMatchObject({
      args: ['eu'],
    });
  });
});
