import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { program, remote } from '../../tests/support/golden-file.ts';
import { locationsOf, problemLines } from '../../tests/support/problem-summary.ts';
import { crush } from './crush.ts';

const user = '~/.config/crush/crush.json';

const entry = (command: string, more: object = {}): string =>
  JSON.stringify({ mcp: { fs: { command, ...more } } });

test('the good golden file gives every server whole', async () => {
  const reading = await readAgent(crush, { files: { './crush.json': fixture('crush/good.json') } });
  const place = { agent: 'crush', scope: 'project', file: '/srv/shop/crush.json', column: 5 };
  const common = { enabled: true, timeouts: {}, dialect: 'crush', guarded: true };
  expect(said(reading)).toEqual([
    {
      name: 'gh',
      launch: remote('http', 'https://gh.example/mcp', {
        headers: { Authorization: 'Bearer $(gh auth token)', 'X-Org': '${ORG:-acme}' },
        oauth: { clientId: 'crush', clientSecret: '$GH_SECRET', callbackPort: 7799 },
      }),
      origin: { ...place, line: 4 },
      ...common,
      timeouts: { startMs: 15_000 },
      tools: { exclude: ['delete'] },
    },
    {
      name: 'fs',
      launch: program('fs-mcp', ['--root', '$HOME'], { env: { KEY: '$(pass fs)' } }),
      origin: { ...place, line: 15 },
      ...common,
      enabled: false,
      tools: { include: ['read'] },
    },
    {
      name: 'feed',
      launch: remote('sse', 'https://feed.example/sse', { oauth: false }),
      origin: { ...place, line: 23 },
      ...common,
    },
    { name: 'plain', launch: program('plain-mcp'), origin: { ...place, line: 24 }, ...common },
  ]);
  expect(problemLines(reading)).toEqual([
    '8:37 info field-executable gh: "headers.Authorization" is a command that runs when the server is connected',
    '19:23 info field-executable fs: "env.KEY" is a command that runs when the server is connected',
  ]);
});

test('the broken golden file costs only what is broken', async () => {
  const reading = await readAgent(crush, { files: { './crush.json': fixture('crush/broken.json') } });
  expect(
    reading.definitions.map(({ name, launch, enabled, timeouts }) => ({ name, launch, enabled, timeouts })),
  ).toEqual([
    { name: 'untyped', launch: remote('http', 'https://untyped.example/mcp'), enabled: true, timeouts: {} },
    { name: 'socket', launch: remote('ws', 'wss://socket.example'), enabled: true, timeouts: {} },
    { name: 'words', launch: program('words-mcp'), enabled: true, timeouts: {} },
    { name: 'fine', launch: program('fine-mcp'), enabled: true, timeouts: {} },
  ]);
  expect(problemLines(reading)).toEqual([
    '3:25 warning agent-refuses untyped: the agent takes a server without "type" for a program; holt reads it as http',
    '4:16 error entry-invalid nothing: server "nothing" cannot be used: it needs "command" or "url"',
    '5:25 warning agent-refuses socket: the agent does not know the type "ws"; holt reads it as ws',
    '6:71 warning field-invalid words: "disabled" must be true or false, but is a string; it is ignored',
    '6:51 warning field-invalid words: "timeout" must be a number that is not negative, but is a string; it is ignored',
  ]);
});

test('on Linux system, user, data and project files follow each other, the hidden and the nearest on top', () => {
  expect(locationsOf(crush, { cwd: 'web' })).toEqual([
    'managed /etc/crush/crush.json',
    'user /home/ada/.config/crush/crush.json',
    'user /home/ada/.local/share/crush/crush.json',
    'project /srv/shop/crush.json',
    'project /srv/shop/.crush.json',
    'project /srv/shop/web/crush.json',
    'project /srv/shop/web/.crush.json',
  ]);
});

test.for([
  [
    'macos',
    {},
    [
      'managed /etc/crush/crush.json',
      'user /Users/ada/.config/crush/crush.json',
      'user /Users/ada/.local/share/crush/crush.json',
    ],
  ],
  [
    'windows',
    {},
    [
      'user C:\\Users\\Ada\\.config\\crush\\crush.json',
      'user C:\\Users\\Ada\\AppData\\Local\\crush\\crush.json',
    ],
  ],
  [
    'windows',
    { LOCALAPPDATA: 'E:\\L' },
    ['user C:\\Users\\Ada\\.config\\crush\\crush.json', 'user E:\\L\\crush\\crush.json'],
  ],
  [
    'linux',
    { CRUSH_GLOBAL_CONFIG: '/opt/c', XDG_DATA_HOME: '/d' },
    ['managed /etc/crush/crush.json', 'user /opt/c/crush.json', 'user /d/crush/crush.json'],
  ],
  [
    'linux',
    { XDG_CONFIG_HOME: '/x' },
    [
      'managed /etc/crush/crush.json',
      'user /x/crush/crush.json',
      'user /home/ada/.local/share/crush/crush.json',
    ],
  ],
] as const)('on %s with %o the files outside the project are found', ([os, env, expected]) => {
  expect(locationsOf(crush, { os, env }).filter((place) => !place.startsWith('project'))).toEqual(expected);
});

test('files are merged field by field, .crush.json over crush.json over data over user over system', async () => {
  const { definitions, problems } = await readAgent(crush, {
    files: {
      '/etc/crush/crush.json': entry('etc', { env: { E: '1' }, timeout: 1 }),
      [user]: entry('user', { env: { U: '1' } }),
      '~/.local/share/crush/crush.json': entry('data', { args: ['--d'] }),
      './crush.json': entry('plain', { cwd: '/p' }),
      './.crush.json': entry('hidden', { env: { H: '1' } }),
    },
  });
  expect(problems).toEqual([]);
  expect(
    definitions.map(({ launch, timeouts, guarded, origin }) => ({
      launch,
      timeouts,
      guarded,
      scope: origin.scope,
    })),
  ).toEqual([
    {
      launch: program('hidden', ['--d'], { env: { E: '1', U: '1', H: '1' }, cwd: '/p' }),
      timeouts: { startMs: 1000 },
      guarded: true,
      scope: 'project',
    },
    {
      launch: program('data', ['--d'], { env: { E: '1', U: '1' } }),
      timeouts: { startMs: 1000 },
      guarded: false,
      scope: 'user',
    },
  ]);
});

test('crushrc and .crushrc are mentioned as not evaluated, and what they say is never looked at', async () => {
  const files = {
    './crushrc': 'touch /tmp/never\nmcp add evil -- evil',
    './web/.crushrc': '\u0000',
    '~/.config/crush/crushrc': '',
    './crush.json': entry('fs'),
  };
  const reading = await readAgent(crush, { cwd: 'web', files });
  expect(reading.definitions.map(({ name }) => name)).toEqual(['fs']);
  expect(reading.problems.map(({ severity, code, file }) => [severity, code, file])).toEqual([
    ['info', 'not-evaluated', '/home/ada/.config/crush/crushrc'],
    ['info', 'not-evaluated', '/srv/shop/crushrc'],
    ['info', 'not-evaluated', '/srv/shop/web/.crushrc'],
  ]);
});

test('comments and trailing commas are read, and said to be refused by Crush', async () => {
  const reading = await readAgent(crush, { files: { [user]: '{"mcp":{"fs":{"command":"fs",}}} // x' } });
  expect(reading.definitions.map(({ name }) => name)).toEqual(['fs']);
  expect(reading.problems.map(({ code }) => code)).toEqual(['agent-refuses', 'agent-refuses']);
});

test('E28: shell in a header stays text, seconds become milliseconds', async () => {
  const reading = await readAgent(crush, {
    files: {
      [user]: `{ "mcp": { "gh": { "type": "http", "url": "https://gh.example/mcp", "timeout": 15,
        "headers": { "Authorization": "Bearer $(gh auth token)" }, "disabled_tools": ["delete"], "oauth": true } } }`,
    },
  });
  expect(reading.definitions.map(({ launch, timeouts, tools }) => ({ launch, timeouts, tools }))).toEqual([
    {
      launch: remote('http', 'https://gh.example/mcp', {
        headers: { Authorization: 'Bearer $(gh auth token)' },
      }),
      timeouts: { startMs: 15_000 },
      tools: { exclude: ['delete'] },
    },
  ]);
  expect(problemLines(reading)).toEqual([
    '2:39 info field-executable gh: "headers.Authorization" is a command that runs when the server is connected',
  ]);
});

test('shell in the command line and the URL is named, too', async () => {
  const { problems } = await readAgent(crush, {
    files: {
      [user]:
        '{"mcp":{"a":{"command":"$(which a)","args":["x","$(y)"]},"b":{"type":"http","url":"https://b.test/$(c)"}}}',
    },
  });
  expect(problems.map(({ code, server, message }) => [code, server, message.slice(0, 9)])).toEqual([
    ['field-executable', 'a', '"command"'],
    ['field-executable', 'a', '"args[1]"'],
    ['field-executable', 'b', '"url" is '],
  ]);
});
