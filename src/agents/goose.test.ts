import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { goose } from './goose.ts';

const file = '/home/ada/.config/goose/config.yaml';
const user = placeIn('goose', 'user', file);
const common = { enabled: true, timeouts: {}, dialect: 'goose', guarded: false };

test('reads the good file: seconds, keyring, an empty filter is none, built-ins are no servers (E29)', async () => {
  const result = await readAgent(goose, { files: { [file]: fixture('goose/good.yaml') } });
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'mytool',
      launch: stdio('uvx', { args: ['my-tool-mcp'], env: { LEVEL: '2' } }),
      timeouts: { idleMs: 300_000 },
      tools: { include: ['count'] },
      origin: user(3, 3),
    },
    {
      ...common,
      name: 'remote',
      launch: remote('http', 'https://r.example/mcp', { headers: { Authorization: 'Bearer ${TOKEN}' } }),
      enabled: false,
      origin: user(15, 3),
    },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:11:15 info placeholder-unset mytool: TOKEN comes from Goose's keyring, which holt does not read → Set the variable in the environment.`,
  ]);
});

test('reads what can be read of the broken file and names the rest', async () => {
  const result = await readAgent(goose, { files: { [file]: fixture('goose/broken.yaml') } });
  expect(said(result).toReversed()).toEqual([
    { ...common, name: 'switchless', launch: stdio('switchless-mcp'), origin: user(3, 3) },
    { ...common, name: 'feed', launch: remote('sse', 'https://feed.example/sse'), origin: user(4, 3) },
    {
      ...common,
      name: 'filled',
      launch: remote('http', 'https://filled.example/mcp', { headers: { X: '$KEY' } }),
      origin: user(5, 3),
    },
    { ...common, name: 'slow', launch: stdio('slow-mcp'), origin: user(10, 3) },
    { ...common, name: 'ok', launch: stdio('ok-mcp'), origin: user(12, 3) },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:11:3 error entry-invalid list: server "list" is not an object`,
    `${file}:2:11 error entry-invalid hollow: server "hollow" cannot be used: it needs "cmd"`,
    `${file}:3:15 warning agent-refuses switchless: Goose refuses an extension without "enabled" → Add enabled: true.`,
    `${file}:4:9 warning agent-refuses feed: Goose no longer connects to servers of type sse → Use streamable_http.`,
    `${file}:5:92 warning placeholder-unset filled: Goose fills placeholders of this server from "envs"; holt fills them from the environment → Set the variables in the environment.`,
    `${file}:6:8 error entry-invalid ftp: server "ftp" cannot be used: a URL that begins with "ftp:" cannot be used for http`,
    `${file}:7:12 error entry-invalid nowhere: server "nowhere" cannot be used: it needs "uri"`,
    `${file}:8:13 error entry-invalid typeless: server "typeless" cannot be used: it needs "type" → Use stdio or streamable_http.`,
    `${file}:9:8 error entry-invalid odd: server "odd" cannot be used: "carrier_pigeon" is not an extension type that holt can run → Use stdio or streamable_http.`,
    `${file}:10:63 warning field-invalid slow: "timeout" must be a number that is not negative, but is a string; it is ignored`,
  ]);
});

test('a folder inside the project makes the file the project’s', async () => {
  const { definitions } = await readAgent(goose, {
    env: { GOOSE_PATH_ROOT: '/srv/shop/goose' },
    files: { './goose/config/config.yaml': 'extensions: { x: { enabled: true, type: stdio, cmd: x } }' },
  });
  expect(definitions.map(({ origin, guarded }) => [origin.scope, guarded])).toEqual([['project', true]]);
});

test.each(['extensions: [a]', '- a', 'text', 'extensions: {a: [}', 'a: &a [*a]'])(
  'says what is wrong with %j, or nothing, and throws nothing',
  async (text) => {
    const result = await readAgent(goose, { files: { [file]: text } });
    expect(said(result)).toEqual([]);
    expect(result.problems.filter(({ severity }) => severity !== 'error')).toEqual([]);
  },
);

test('looks in the right place on every system', () => {
  expect(placesOf(goose)).toEqual([`user ${file}`]);
  expect(placesOf(goose, { env: { XDG_CONFIG_HOME: '/cfg' } })).toEqual(['user /cfg/goose/config.yaml']);
  expect(placesOf(goose, { env: { GOOSE_PATH_ROOT: '/opt/goose' } })).toEqual([
    'user /opt/goose/config/config.yaml',
  ]);
  expect(placesOf(goose, { os: 'macos' })).toEqual(['user /Users/ada/.config/goose/config.yaml']);
  expect(placesOf(goose, { os: 'windows' })).toEqual([
    'user C:\\Users\\Ada\\AppData\\Roaming\\Block\\goose\\config\\config.yaml',
  ]);
});
