/** Files of holt's own that are damaged: nothing is taken for what it is not, and a person is told. */

import fs from 'node:fs/promises';

import { expect, test } from 'vitest';

import { createSandbox } from '../support/holt-command.ts';

test('F28: doctor reports each of them, and a list that cannot be read is not reported as empty', async () => {
  await using sandbox = await createSandbox();
  const [trust, pins, credentials] = ['trust', 'pins', 'credentials'].map((name) =>
    sandbox.place(`~/.holt/${name}.json`),
  );
  await sandbox.write('~/.holt/trust.json', '{"version":1,"entries":"x"}');
  await sandbox.write('~/.holt/credentials.json', '{"version":1,"credentials":{"mcp:a":5}}');
  await fs.mkdir(sandbox.place('~/.holt/pins.json'));
  const { problems } = await sandbox.json<{ problems: readonly Record<string, string>[] }>('doctor');
  expect(problems.map(({ file, code, message }) => [file, code, message])).toEqual([
    [trust, 'file-unsafe', 'the approvals in it do not count: it is damaged'],
    [credentials, 'file-shape', 'it is damaged: holt uses only those logins in it that can be read'],
    [pins, 'file-not-regular', 'it is a folder, so no accepted tools can be stored in it'],
  ]);

  await fs.rm(sandbox.place('~/.holt/credentials.json'));
  await fs.mkdir(sandbox.place('~/.holt/credentials.json'));
  const [logins, called] = await Promise.all([
    sandbox.holt('auth', 'list'),
    sandbox.holt('--example', 'call', 'example.add', 'a=1', 'b=2'),
  ]);
  expect([logins.code, logins.stdout, logins.stderr.split('\n')[0]]).toEqual([
    1,
    '',
    `${credentials} is not a plain file, so holt does not use it`,
  ]);
  expect([called.code, called.stderr.split('\n')[0]]).toEqual([
    5,
    `The tool example.add is held back, because what was accepted earlier cannot be read: ${pins} is not a plain file, so holt does not use it`,
  ]);
});

test('every command that applies rules reports a settings file that cannot be read', async () => {
  await using sandbox = await createSandbox();
  const file = await sandbox.write('~/.holt/config.json', '{"permissions":{"deny":["mcp__example"]}');
  const called = await sandbox.holt('--example', 'call', 'example.add', 'a=1', 'b=2');
  expect([called.code, called.stdout, called.stderr]).toEqual([
    0,
    '3\n',
    [
      `${file}:1:41: not valid JSON: the text ends too early. Run holt doctor for more.\n`,
      `Rules for tools cannot be read in ${file}: what they may have held back is asked for. holt doctor says more.\n`,
    ].join(''),
  ]);
});
