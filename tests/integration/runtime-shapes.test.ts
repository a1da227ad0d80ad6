/** Servers that a program passes in itself: opencode's shape means what it means in opencode's files. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import type { OpencodeLocalConfig, ServerConfig } from '../../src/roster/server-config.ts';
import { openHostFixture } from '../support/host-fixture.ts';
import { openServiceFixture } from '../support/service-fixture.ts';
import { serverFolder } from '../support/stdio-fixture.ts';

const allowed = { policy: { default: 'allow' } } as const;

const local = (name: string, more: Partial<OpencodeLocalConfig> = {}): OpencodeLocalConfig => ({
  type: 'local',
  command: [process.execPath, path.join(serverFolder, `${name}.mjs`)],
  ...more,
});

test('`timeout` bounds the start and no call', async () => {
  await using fixture = await openHostFixture();
  const servers = {
    slow: local('slow-call', { timeout: 5000, phase_timeouts: { connecting: 20 } }),
    hangs: local('never-responds', { timeout: 300 }),
  };
  const host = await fixture.open({ ...allowed, servers, timeouts: { phases: { connecting: 60_000 } } });
  const [{ status }, hangs] = await Promise.all([host.connect('slow'), host.connect('hangs')]);
  expect(status).toBe('connected');
  expect(hangs).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(
      'no answer in phase connecting after 0.3 s. Raise timeout (milliseconds) in the definition of "hangs" ',
    ),
  });
  await host.add('late', local('slow-call', { timeout: 2000 }));
  expect(await host.call('mcp__late__wait', { ms: 2400 })).toMatchObject({ ok: true, text: 'waited' });
});

test('`{env:X}` and `{file:…}` are filled in, and `${X}` stays as it is', async () => {
  await using fixture = await openHostFixture();
  await writeFile(path.join(fixture.home, 'key.txt'), 'from-file\n');
  const environment = { A: '{env:VALUE}', B: '${VALUE}', C: '{file:./key.txt}' };
  const env = { PATH: process.env['PATH'], HOME: fixture.home, VALUE: 'filled' };
  const host = await fixture.open({ ...allowed, env, servers: { e: local('echo', { environment }) } });
  const value = async (name: string): Promise<string> =>
    (await host.call('mcp__e__environment', { name })).text;
  expect([await value('A'), await value('B'), await value('C')]).toEqual(['filled', '${VALUE}', 'from-file']);
});

test('names that files may have are taken by openHost, by add and by the service', async () => {
  await using fixture = await openHostFixture();
  const host = await fixture.open({ ...allowed, servers: { '@scope/pkg': fixture.program('echo') } });
  await host.add('x y', fixture.program('echo'));
  const names = (await host.tools({ wait: 'settled' })).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['mcp___scope_pkg__echo', 'mcp__x_y__echo']));
  expect(await host.call('mcp___scope_pkg__echo', { text: 'hi' })).toMatchObject({ ok: true, text: 'hi' });
  await using api = await openServiceFixture({ host: allowed });
  const answer = await api.ask('POST /mcp', { body: { name: 'a/b', config: local('echo') } });
  expect(answer.json).toMatchObject({ 'a/b': { status: 'connected' } });
  expect((await api.ask('GET /mcp/:name', { name: 'a/b' })).json).toMatchObject({ name: 'a/b' });
});

test('a definition that cannot be used makes openHost throw, with the reason', async () => {
  await using fixture = await openHostFixture();
  const given = { fine: { command: 'x' }, odd: { type: 'local' }, list: [], ' ': { command: 'x' } };
  const servers = given as object as Readonly<Record<string, ServerConfig>>; // as a program without types may
  await expect(fixture.open({ servers })).rejects.toMatchObject({
    code: 'config-invalid',
    details: {
      errors: [
        expect.stringMatching(/^servers\.odd: .*command/),
        'servers.list: server "list" is not an object',
        'servers. : a server has an empty name',
      ],
    },
  });
  expect((await fixture.open({ servers: { fine: { command: 'x' } } })).problems()).toEqual([]);
});
