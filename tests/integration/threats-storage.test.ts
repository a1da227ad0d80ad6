/** Threats and faults by their ids: what could happen to what holt keeps. */

import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { realFiles } from '../../src/platform/files/files.ts';
import { readMachine } from '../../src/platform/machine-facts.ts';
import { createTrustStore } from '../../src/trust/trust-store.ts';
import { scaled, startProgram } from '../fixtures/programs/start-program.ts';
import { createSandbox } from '../support/holt-command.ts';
import { createRealLaunch } from '../support/real-launch.ts';

test('F27: processes that decide at the same time lose no decision', async () => {
  await using sandbox = await createSandbox();
  const times = scaled(4);
  const ids = Array.from({ length: scaled(6) }, (_, index) => `p${index}`);
  const programs = ids.map((id) => startProgram('trust-writer', { id, home: sandbox.home, times }));
  const endings = await Promise.all(programs.map(({ ended }) => ended));
  expect(endings.map(({ code, stderr }) => [code, stderr])).toEqual(ids.map(() => [0, '']));
  const store = createTrustStore(readMachine({ home: sandbox.home, cwd: '/' }), realFiles);
  const expected = ids.flatMap((id) => Array.from({ length: times }, (_, time) => `${id}-${time}`));
  expect(
    store
      .load()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(expected.toSorted());
}, 90_000);

const oddNames = [
  '../../x',
  '..',
  '.',
  'a/b',
  'a\\b',
  '/etc/passwd',
  'C:\\x',
  'CON',
  'NUL',
  'aux.txt',
  '~',
  '~root',
  '-rf',
  '--',
  '$HOME',
  '`id`',
  '$(id)',
  '%PATH%',
  'a;b',
  'a|b',
  'a&b',
  '"',
  "'",
  '*',
  '?',
  '<',
  'trust.json',
  'credentials.json',
  'x'.repeat(100),
  '__proto__',
  'ＣＯＮ',
  ' a ',
];

test('T80: names never become paths: thirty odd ones leave nothing but holt’s own files', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write(
    './.mcp.json',
    JSON.stringify({
      mcpServers: Object.fromEntries(
        oddNames.map((name) => [name, { command: 'sh', args: ['-c', 'echo ok'] }]),
      ),
    }),
  );
  const before = await readdir(sandbox.project);
  const { find, run } = createRealLaunch({
    cwd: sandbox.project,
    home: sandbox.home,
    confirmTrust: async () => 'allow',
  });
  for (const name of oddNames) expect(await run(await find(name))).toBe('ok\n');
  for (const name of oddNames) await sandbox.holt('get', '--', name);
  expect(await readdir(sandbox.project)).toEqual(before);
  expect(await readdir(sandbox.home)).toEqual(['.holt']);
  // The command's own compile cache is there once a command has run.
  const own = await readdir(path.join(sandbox.home, '.holt'));
  expect(own.filter((name) => name !== 'cache')).toEqual(['.gitignore', 'trust.json']);
});

test('T83: files that holt stores stay out of repositories, and config files never hold a token', async () => {
  await using sandbox = await createSandbox();
  const token = 'canary-token-0123456789';
  expect(
    await sandbox.holt('add', 'shop', '--url', 'https://shop.test/mcp', '--token', token, '--yes'),
  ).toMatchObject({ code: 0 });
  expect(await readFile(sandbox.place('./.holt/mcp.json'), 'utf8')).not.toContain(token);
  expect(await readFile(sandbox.place('~/.holt/credentials.json'), 'utf8')).toContain(token);
  expect((await stat(sandbox.place('~/.holt/credentials.json'))).mode & 0o777).toBe(0o600);
  expect(await readFile(sandbox.place('~/.holt/.gitignore'), 'utf8')).toBe('*\n');
});

describe('T86: what looks like a lock', () => {
  test('and names a live process that does not hold it delays no process', async () => {
    await using sandbox = await createSandbox();
    const home = path.join(sandbox.home, '.holt');
    await mkdir(path.join(home, 'run', 'locks'), { recursive: true, mode: 0o700 });
    for (const name of [
      'trust.json.lock',
      'credentials.json.lock',
      'trust.lock',
      path.join('run', 'locks', 'trust.json'),
    ]) {
      await writeFile(path.join(home, name), `${process.pid}\n`, { mode: 0o600 });
    }
    await sandbox.write(
      './.mcp.json',
      JSON.stringify({ mcpServers: { shop: { command: 'sh', args: ['-c', 'echo ok'] } } }),
    );
    const { find, run } = createRealLaunch({
      cwd: sandbox.project,
      home: sandbox.home,
      confirmTrust: async () => 'allow',
    });
    const started = performance.now();
    expect(await run(await find('shop'))).toBe('ok\n');
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
