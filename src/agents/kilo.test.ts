import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { program, remote, startLimits } from '../../tests/support/golden-file.ts';
import { locationsOf, problemLines } from '../../tests/support/problem-summary.ts';
import { kilo } from './kilo.ts';

const user = '~/.config/kilo/kilo.json';

const local = (command: string, more: object = {}): string =>
  JSON.stringify({ mcp: { fs: { type: 'local', command: [command], ...more } } });
const old = (command: string): string => JSON.stringify({ mcpServers: { fs: { command } } });

test('the good golden file gives every server whole', async () => {
  const reading = await readAgent(kilo, { files: { './kilo.jsonc': fixture('kilo/good.jsonc') } });
  const place = { agent: 'kilo', scope: 'project', file: '/srv/shop/kilo.jsonc', column: 5 };
  const common = { enabled: true, timeouts: {}, dialect: 'opencode', guarded: true };
  expect(said(reading)).toEqual([
    {
      name: 'fs',
      launch: program('fs-mcp', ['--ro'], { env: { A: '{env:A}' } }),
      origin: { ...place, line: 4 },
      ...common,
      timeouts: startLimits(4000),
    },
    {
      name: 'git',
      launch: program('git-mcp', [], { env: { B: '2' } }),
      origin: { ...place, line: 5 },
      ...common,
      enabled: false,
    },
    {
      name: 'web',
      launch: remote('http', 'https://web.example/mcp', { headers: { 'X-Key': '{env:WEB_KEY}' } }),
      origin: { ...place, line: 6 },
      ...common,
    },
  ]);
  expect(problemLines(reading)).toEqual([
    '6:88 warning agent-refuses web: Kilo leaves this server out: "headers.X-Key" of a project file uses {env:} or {file:}',
  ]);
});

test('the good golden file of the old kind is converted, and holds no placeholders', async () => {
  const reading = await readAgent(kilo, {
    files: { './.kilocode/mcp.json': fixture('kilo/good.legacy.json') },
  });
  const place = { agent: 'kilo', scope: 'project', file: '/srv/shop/.kilocode/mcp.json', column: 5 };
  const common = { enabled: true, timeouts: {}, dialect: 'none', guarded: true };
  expect(said(reading)).toEqual([
    {
      name: 'old',
      launch: program('npx', ['-y', 'old-mcp'], { env: { TOKEN: 't' } }),
      origin: { ...place, line: 3 },
      ...common,
      enabled: false,
    },
    {
      name: 'stream',
      launch: remote('http', 'https://stream.example/mcp', { headers: { X: '1' } }),
      origin: { ...place, line: 4 },
      ...common,
    },
    {
      name: 'events',
      launch: remote('http', 'https://events.example/sse'),
      origin: { ...place, line: 5 },
      ...common,
    },
    {
      name: 'untyped',
      launch: remote('http', 'https://untyped.example/mcp'),
      origin: { ...place, line: 6 },
      ...common,
    },
  ]);
  expect(problemLines(reading)).toEqual([
    '3:117 warning self-approval old: "alwaysAllow" in a project file does not count',
    '6:16 warning agent-refuses untyped: Kilo leaves out a URL whose type is neither "streamable-http" nor "sse"; holt reads it as http',
  ]);
});

test('the broken golden file costs only what is broken', async () => {
  const reading = await readAgent(kilo, { files: { [user]: fixture('kilo/broken.json') } });
  expect(reading.definitions.map(({ name, launch }) => ({ name, launch }))).toEqual([
    { name: 'text', launch: program('text-mcp') },
    { name: 'fine', launch: program('fine-mcp') },
  ]);
  expect(problemLines(reading)).toEqual([
    '2:17 warning agent-ignores: Kilo does not look at "mcpServers"',
    '4:43 warning agent-refuses text: Kilo refuses its whole config: "command" is one text',
    '5:44 error entry-invalid empty: server "empty" cannot be used: "command" is a list that does not begin with a program',
  ]);
});

test('on Linux every place is looked at in this order, the old files beneath all others', () => {
  expect(locationsOf(kilo, { env: { KILO_CONFIG: '/opt/k.json', KILO_CONFIG_DIR: '/opt/k' } })).toEqual([
    'user /home/ada/.config/Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json',
    'user /home/ada/.kilocode/cli/global/settings/mcp_settings.json',
    'project /srv/shop/.kilocode/mcp.json',
    'project /srv/shop/.kilo/mcp.json',
    'user /home/ada/.config/kilo/config.json',
    'user /home/ada/.config/kilo/kilo.json',
    'user /home/ada/.config/kilo/kilo.jsonc',
    'user /opt/k.json',
    'project /srv/shop/opencode.json',
    'project /srv/shop/opencode.jsonc',
    'project /srv/shop/kilo.json',
    'project /srv/shop/kilo.jsonc',
    'project /srv/shop/.kilocode/kilo.json',
    'project /srv/shop/.kilocode/kilo.jsonc',
    'project /srv/shop/.kilo/kilo.json',
    'project /srv/shop/.kilo/kilo.jsonc',
    'user /home/ada/.kilocode/kilo.json',
    'user /home/ada/.kilocode/kilo.jsonc',
    'user /home/ada/.kilo/kilo.json',
    'user /home/ada/.kilo/kilo.jsonc',
    'user /opt/k/kilo.json',
    'user /opt/k/kilo.jsonc',
    'managed /etc/kilo/kilo.json',
    'managed /etc/kilo/kilo.jsonc',
  ]);
});

test.for([
  [
    'macos',
    '/Users/ada/Library/Application Support/Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json',
    '/Library/Application Support/kilo/kilo.jsonc',
  ],
  [
    'windows',
    'C:\\Users\\Ada\\AppData\\Roaming\\Code\\User\\globalStorage\\kilocode.kilo-code\\settings\\mcp_settings.json',
    'C:\\ProgramData\\kilo\\kilo.jsonc',
  ],
] as const)(
  'on %s the editor’s and the managed files are where the system keeps them',
  ([os, first, last]) => {
    const places = locationsOf(kilo, { os });
    expect([places.at(0), places.at(-1)]).toEqual([`user ${first}`, `managed ${last}`]);
  },
);

test('KILO_DISABLE_PROJECT_CONFIG leaves the project’s files out, the old ones too', () => {
  const places = locationsOf(kilo, { env: { KILO_DISABLE_PROJECT_CONFIG: 'true' } });
  expect(places.filter((place) => place.startsWith('project'))).toEqual([]);
  expect(places.length).toBe(11);
});

test('Kilo: .kilo/ beats the file at the root (measured)', async () => {
  const { definitions } = await readAgent(kilo, {
    files: { './kilo.json': local('root'), './.kilo/kilo.json': local('dot') },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([program('dot')]);
});

test('Kilo: the old .kilocode/mcp.json and .kilo/mcp.json are both still read, beneath everything else (measured)', async () => {
  const files = { './.kilocode/mcp.json': old('a'), './.kilo/mcp.json': old('b') };
  const alone = await readAgent(kilo, { files });
  expect(alone.definitions.map(({ launch }) => launch)).toEqual([program('b')]);
  const beneath = await readAgent(kilo, { files: { ...files, [user]: local('mine') } });
  expect(beneath.definitions.map(({ launch, guarded, dialect }) => [launch, guarded, dialect])).toEqual([
    [program('mine'), true, 'opencode'],
    [program('mine'), false, 'opencode'],
  ]);
});

test('Kilo: opencode’s project file is read, too, beneath its own (measured)', async () => {
  const { definitions } = await readAgent(kilo, {
    files: { './opencode.json': local('oc', { environment: { A: '1' } }), './kilo.json': local('k') },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([program('k', [], { env: { A: '1' } })]);
});

const web = (value: string): string =>
  JSON.stringify({
    mcp: { web: { type: 'remote', url: 'https://w.test/mcp', headers: { 'X-Key': value } } },
  });

test('Kilo: a project entry whose headers use {env:} or {file:} is dropped (measured); here it is listed with a warning', async () => {
  for (const value of ['{env:KEY}', 'Bearer {file:~/.token}']) {
    const project = await readAgent(kilo, { files: { './kilo.json': web(value) } });
    expect(project.definitions.map(({ name }) => name)).toEqual(['web']);
    expect(project.problems.map(({ code, server }) => [code, server])).toEqual([['agent-refuses', 'web']]);
    expect((await readAgent(kilo, { files: { [user]: web(value) } })).problems).toEqual([]);
  }
});

test('fields of the old files that the conversion loses are named', async () => {
  const reading = await readAgent(kilo, {
    files: {
      '~/.kilocode/cli/global/settings/mcp_settings.json':
        '{"mcpServers":{"a":{"command":"a","cwd":"/x","timeout":60,"alwaysAllow":["b"]}}}',
    },
  });
  expect(reading.definitions.map(({ launch, timeouts, tools }) => ({ launch, timeouts, tools }))).toEqual([
    { launch: program('a'), timeouts: {}, tools: undefined },
  ]);
  expect(problemLines(reading)).toEqual([
    '1:73 warning agent-ignores a: Kilo does not look at "alwaysAllow" in its old files any more',
    '1:41 warning agent-ignores a: Kilo does not look at "cwd" in its old files any more',
    '1:56 warning agent-ignores a: Kilo does not look at "timeout" in its old files any more',
  ]);
});

test('a bad entry of an old file costs only itself', async () => {
  const reading = await readAgent(kilo, {
    files: { './.kilo/mcp.json': '{"mcpServers":{"bad":7,"none":{},"ok":{"command":"ok"}}}' },
  });
  expect(reading.definitions.map(({ name }) => name)).toEqual(['ok']);
  expect(reading.problems.map(({ code, server }) => [code, server])).toEqual([
    ['entry-invalid', 'bad'],
    ['entry-invalid', 'none'],
  ]);
});

test('a switch in a stronger file turns off what an old file defines', async () => {
  const { definitions } = await readAgent(kilo, {
    files: { './.kilo/mcp.json': old('a'), './kilo.json': '{"mcp":{"fs":{"enabled":false}}}' },
  });
  expect(definitions.map(({ launch, enabled }) => [launch, enabled])).toEqual([[program('a'), false]]);
});
