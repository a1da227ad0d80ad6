/** What commands say about what they did: remedies that can be followed, modes, changes passed over, who was denied. */

import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { openCommandFixture, type CommandFixture } from '../support/command-fixture.ts';

let fixture: CommandFixture;
beforeEach(async () => {
  fixture = await openCommandFixture();
});
afterEach(() => fixture[Symbol.asyncDispose]());

const remedies = async (): Promise<unknown> =>
  JSON.parse((await fixture.run('doctor', '--json')).out)
    .problems.filter(({ code }: { code: string }) => code === 'secret-literal')
    .map(({ message, remedy }: { message: string; remedy: string }) => [message.split(' ')[0], remedy]);

const secret = 'tok-1234567890';

test('doctor gives a command only where it says all that the entry says, and never a masked value', async () => {
  const entry = (more: object): object => ({
    type: 'http',
    url: 'https://h.test/mcp',
    headers: { Authorization: `Bearer ${secret}` },
    ...more,
  });
  const words =
    'Move it to the credential store: take it out of the headers, then log in or pass it again with holt add --replace --token, with all else the entry says.';
  await fixture.write('~/.holt/mcp.json', { mcpServers: { h: entry({}) } });
  expect(await remedies()).toEqual([
    [
      '"headers.Authorization"',
      'Move it to the credential store: holt add h https://h.test/mcp --replace --scope user --token TOKEN',
    ],
  ]);
  for (const more of [
    { url: `https://u:${secret}@h.test/mcp` },
    { headers: { Authorization: `Bearer ${secret}`, 'X-Team': 'a' } },
    { timeout: 5000 },
    { type: 'sse' },
  ]) {
    await fixture.write('~/.holt/mcp.json', { mcpServers: { h: entry(more) } });
    expect(await remedies()).toContainEqual(['"headers.Authorization"', words]);
    expect(JSON.stringify(await remedies())).not.toContain('***');
  }
});

test('doctor sees secrets in arguments that name themselves', async () => {
  const args = [`--password=${secret}`, `API_TOKEN=${secret}`, '--mode=fast', 'TOKEN=${TOKEN}', '--verbose'];
  await fixture.write('~/.cursor/mcp.json', { mcpServers: { a: { command: 'node', args } } });
  const remedy = 'Put it into a variable of the environment and write a placeholder instead.';
  expect(await remedies()).toEqual([
    ['"args[0]"', remedy],
    ['"args[1]"', remedy],
  ]);
});

test('a file that is made private is reported, in text and in JSON, with the right reason', async () => {
  const file = await fixture.write('~/.cursor/mcp.json', { mcpServers: {} });
  const add = async (name: string, ...more: readonly string[]) => {
    await chmod(file, 0o644);
    const words = ['--user', '--agent', 'cursor', '--yes', '-e', `API_KEY=${secret}`, ...more, '--', 'z'];
    return fixture.run('add', name, ...words);
  };
  const note = `${file} could be read by others and holds a secret: it is now private (0600)`;
  expect((await add('a')).out).toContain(`wrote ${file}\n  note: ${note}\n`);
  expect(JSON.parse((await add('b', '--json')).out).notes).toEqual([note]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const overrides = await fixture.write('~/.holt/overrides.json', { version: 1 });
  await chmod(path.dirname(overrides), 0o700);
  await chmod(overrides, 0o644);
  expect((await fixture.run('disable', 'a')).out).toContain(
    `  note: ${overrides} could be read by others: it is now private (0600)\n`,
  );
});

test('undo skips what was changed since, says so, and reverts older changes', async () => {
  await fixture.run('add', 'a', '--user', '--agent', 'cursor', '--yes', '--', 'x');
  await fixture.run('add', 'b', '--yes', '--', 'x');
  const edited = path.join(fixture.project, '.holt/mcp.json');
  await writeFile(edited, '{}');
  const cursor = path.join(fixture.home, '.cursor/mcp.json');
  expect(await fixture.run('undo')).toEqual({
    code: 0,
    error: '',
    out: `passed over "add b": ${edited} was changed since "add b", so it is left as it is. Edit it by hand to take out what was added.\ntook back "add a"\n  removed ${cursor}\n`,
  });
});

test('a change of another project is reverted there, or after confirmation', async () => {
  await fixture.run('add', 'a', '--yes', '--', 'x');
  const other = path.join(fixture.home, 'other');
  await mkdir(path.join(other, '.git'), { recursive: true });
  const file = path.join(fixture.project, '.holt/mcp.json');
  const what = `The last change, "add a", was made in another project: ${fixture.project}`;
  expect(await fixture.run('--cwd', other, 'undo')).toEqual({
    code: 2,
    out: '',
    error: `${what}, so it is not taken back here\nRun holt undo in that project.\n`,
  });
  expect((await fixture.answering('n', '--cwd', other, 'undo')).error).toBe(
    'Nothing was taken back\nRun holt undo in that project.\n',
  );
  expect(existsSync(file)).toBe(true);
  expect((await fixture.answering('y', '--cwd', other, 'undo')).out).toBe(
    `took back "add a"\n  removed ${file}\n`,
  );
});

test.each([
  [['add', 'a', '--yes', '--', 'x'], '.holt'],
  [['add', 'a', '--agent', 'cursor', '--yes', '--', 'x'], '.cursor'],
  [['config', 'set', 'concurrency', '2', '--scope', 'project'], '.holt'],
])('%j where a file is in the place of the folder is reported with a remedy', async (words, name) => {
  const file = await fixture.write(name, '');
  expect(await fixture.run(...words)).toMatchObject({
    code: 1,
    error: `${file} is not a folder, so nothing can be written there\nMove it away; holt makes the folder itself.\n`,
  });
});

test('a project’s new file names no schema that is not there', async () => {
  await fixture.run('add', 'a', '--yes', '--', 'x');
  expect(JSON.parse(await readFile(path.join(fixture.project, '.holt/mcp.json'), 'utf8'))).toEqual({
    mcpServers: { a: { command: 'x' } },
  });
  await rm(path.join(fixture.project, '.holt'), { recursive: true });
  await fixture.write('node_modules/holt/dist/schemas/mcp.json', '{}');
  await fixture.run('add', 'a', '--yes', '--', 'x');
  expect(JSON.parse(await readFile(path.join(fixture.project, '.holt/mcp.json'), 'utf8'))).toMatchObject({
    $schema: '../node_modules/holt/dist/schemas/mcp.json',
  });
});

test('import --json warns as the words do, and doctor counts one as one', async () => {
  await fixture.write('~/.cursor/mcp.json', {
    mcpServers: { a: { command: 'x', env: { API_KEY: secret } } },
  });
  const run = await fixture.run('import', '--from', 'cursor', '--scope', 'project', '--yes', '--json');
  const file = path.join(fixture.project, '.holt/mcp.json');
  expect(JSON.parse(run.out).imported[0].warnings).toEqual([
    `the entry holds a secret as plain text, and ${file} is meant to be committed: use a variable instead`,
  ]);
  await rm(file);
  expect((await fixture.run('doctor')).out.split('\n')[0]).toBe('1 config file of 1 agent');
});

test.each([
  [
    ['a', 'https://${HOST}/mcp'],
    '${HOST} is in the scheme, host or port of the URL, which must be written out',
  ],
  [['a', 'https://h.test/mcp', '-H', 'X-A: one\ntwo'], 'the value of the header X-A has a line break'],
  [['a', 'ftp://h'], '"command" is a URL; that of a server begins with http, https, ws or wss, not ftp'],
])('holt add %j is refused', async (words, reason) => {
  expect(await fixture.run('add', ...words.slice(0, 2), '--yes', ...words.slice(2))).toMatchObject({
    code: 1,
    error: expect.stringContaining(`Invalid server config: ${reason}\n`),
  });
  expect(existsSync(path.join(fixture.project, '.holt'))).toBe(false);
});

test('doctor reports an address that a placeholder decides', async () => {
  await fixture.write('~/.holt/mcp.json', {
    mcpServers: {
      a: { type: 'http', url: 'https://${HOST}/mcp' },
      b: { type: 'http', url: 'https://h/${B:-b}' },
    },
  });
  expect(
    JSON.parse((await fixture.run('doctor', '--json')).out)
      .problems.filter(({ code }: { code: string }) => code === 'entry-unsupported')
      .map(({ message }: { message: string }) => message),
  ).toEqual([
    '"a" cannot be connected: ${HOST} is in the scheme, host or port of the URL, which must be written out',
  ]);
});
