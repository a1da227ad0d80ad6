import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { zed } from './zed.ts';

const common = { enabled: true, timeouts: {}, dialect: 'none', guarded: false };

test('reads the good file: seconds, switch, old commands; extensions are Zed’s alone (E17)', async () => {
  const file = '/home/ada/.config/zed/settings.json';
  const user = placeIn('zed', 'user', file);
  const result = await readAgent(zed, { files: { [file]: fixture('zed/good.jsonc') } });
  expect(said(result)).toEqual([
    {
      ...common,
      name: 'pg',
      launch: stdio('pg-mcp', { args: ['--ro'], env: { PGHOST: 'db' } }),
      timeouts: { idleMs: 45_000 },
      origin: user(4, 5),
    },
    {
      ...common,
      name: 'docs',
      launch: remote('http', 'https://docs.example/mcp', {
        headers: { 'X-Key': '${literal}' },
        oauth: { clientId: 'zc', clientSecret: 'zs' },
      }),
      enabled: false,
      origin: user(5, 5),
    },
    {
      ...common,
      name: 'old',
      launch: stdio('old-mcp', { args: ['--x'], env: { A: '1' } }),
      origin: user(13, 5),
    },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:11:5 info entry-unsupported ext-one: server "ext-one" belongs to an extension, which only Zed can start`,
    `${file}:12:5 info entry-unsupported ext-two: server "ext-two" belongs to an extension, which only Zed can start`,
  ]);
});

test('reads what can be read of the broken file and names the rest', async () => {
  const file = '/srv/shop/.zed/settings.json';
  const project = placeIn('zed', 'project', file);
  const result = await readAgent(zed, { files: { [file]: fixture('zed/broken.jsonc') } });
  expect(said(result)).toEqual([
    { ...common, name: 'slow', launch: stdio('slow-mcp'), origin: project(5, 5), guarded: true },
    { ...common, name: 'ok', launch: stdio('ok-mcp'), origin: project(7, 5), guarded: true },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:3:14 error entry-invalid empty: server "empty" cannot be used: it needs "command" or "url"`,
    `${file}:4:28 error entry-invalid nopath: server "nopath" cannot be used: "command" is not a string → Give the program as one string and its arguments in "args".`,
    `${file}:5:49 warning field-invalid slow: "timeout" must be a number that is not negative, but is a string; it is ignored`,
    `${file}:6:13 error entry-invalid both: server "both" cannot be used: it has both "command" and a URL → Keep one of the two.`,
  ]);
});

test('builds one server out of global, user and project settings; the user’s part holds until approval', async () => {
  const result = await readAgent(zed, {
    files: {
      '~/.config/zed/global_settings.json':
        '{"context_servers":{"pg":{"command":"pg-mcp","env":{"A":"global","B":"global"}}}}',
      '~/.config/zed/settings.json': '{"context_servers":{"pg":{"args":["--ro"],"env":{"A":"user"}}}}',
      './.zed/settings.json': '{"context_servers":{"pg":{"args":["--rw"]}}}',
    },
  });
  expect(problemLines(result)).toEqual([]);
  expect(said(result)).toEqual([
    {
      ...common,
      name: 'pg',
      launch: stdio('pg-mcp', { args: ['--rw'], env: { A: 'user', B: 'global' } }),
      origin: placeIn('zed', 'project', '/srv/shop/.zed/settings.json')(1, 21),
      guarded: true,
    },
    {
      ...common,
      name: 'pg',
      launch: stdio('pg-mcp', { args: ['--ro'], env: { A: 'user', B: 'global' } }),
      origin: placeIn('zed', 'user', '/home/ada/.config/zed/settings.json')(1, 21),
    },
  ]);
});

test('a project that only switches a server off is heard at once', async () => {
  const { definitions } = await readAgent(zed, {
    files: {
      '~/.config/zed/settings.json': '{"context_servers":{"pg":{"command":"pg-mcp"}}}',
      './.zed/settings.json': '{"context_servers":{"pg":{"enabled":false}}}',
    },
  });
  expect(definitions.map(({ enabled, guarded }) => ({ enabled, guarded }))).toEqual([
    { enabled: false, guarded: false },
  ]);
});

test('context_server_timeout is the limit of servers that name none', async () => {
  const { definitions } = await readAgent(zed, {
    files: {
      '~/.config/zed/settings.json':
        '{"context_server_timeout":20,"context_servers":{"a":{"command":"a"},"b":{"command":"b","timeout":5}}}',
    },
  });
  expect(Object.fromEntries(definitions.map(({ name, timeouts }) => [name, timeouts]))).toEqual({
    a: { idleMs: 20_000 },
    b: { idleMs: 5000 },
  });
});

test('what a server is follows from its fields; a type is not looked at', async () => {
  const { definitions } = await readAgent(zed, {
    files: {
      '~/.config/zed/settings.json': '{"context_servers":{"a":{"type":"sse","url":"https://a.example/mcp"}}}',
    },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([remote('http', 'https://a.example/mcp')]);
});

test('looks in the right places on every system', () => {
  expect(placesOf(zed, { env: { XDG_CONFIG_HOME: '/cfg' } })).toEqual([
    'user /cfg/zed/global_settings.json',
    'user /cfg/zed/settings.json',
    'project /srv/shop/.zed/settings.json',
  ]);
  expect(placesOf(zed, { env: { XDG_CONFIG_HOME: '/cfg', FLATPAK_XDG_CONFIG_HOME: '/flat' } })[1]).toBe(
    'user /flat/zed/settings.json',
  );
  expect(placesOf(zed, { os: 'macos', env: { XDG_CONFIG_HOME: '/cfg' } })[1]).toBe(
    'user /Users/ada/.config/zed/settings.json',
  );
  expect(placesOf(zed, { os: 'windows' })[1]).toBe(
    'user C:\\Users\\Ada\\AppData\\Roaming\\Zed\\settings.json',
  );
});
