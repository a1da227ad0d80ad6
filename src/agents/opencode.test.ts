import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { program, remote, startLimits } from '../../tests/support/golden-file.ts';
import { locationsOf, problemLines } from '../../tests/support/problem-summary.ts';
import { opencode } from './opencode.ts';

const user = '~/.config/opencode/opencode.json';

const local = (command: string, more: object = {}): string =>
  JSON.stringify({ mcp: { fs: { type: 'local', command: [command], ...more } } });
const listing = (ms: number): object => ({ listing_resources: ms, listing_tools: ms, listing_prompts: ms });

test('the good golden file gives every server whole', async () => {
  const reading = await readAgent(opencode, {
    files: { './opencode.jsonc': fixture('opencode/good.jsonc') },
  });
  const place = { agent: 'opencode', scope: 'project', file: '/srv/shop/opencode.jsonc', column: 5 };
  const common = { enabled: true, timeouts: { idleMs: 60_000 }, dialect: 'opencode', guarded: true };
  expect(problemLines(reading)).toEqual([]);
  expect(said(reading)).toEqual([
    {
      name: 'fs',
      launch: program('bunx', ['fs-mcp', '{env:FS_ROOT}'], {
        env: { KEY: '{file:./key.txt}' },
        cwd: '/srv/fs',
      }),
      origin: { ...place, line: 6 },
      ...common,
      timeouts: startLimits(8000, { idleMs: 60_000 }),
    },
    {
      name: 'web',
      launch: remote('http', 'https://web.example/mcp', {
        headers: { Authorization: 'Bearer {env:WEB}' },
        oauth: false,
      }),
      origin: { ...place, line: 14 },
      ...common,
    },
    {
      name: 'crm',
      launch: remote('http', 'https://crm.example/mcp', {
        oauth: {
          clientId: 'oc',
          clientSecret: '{env:CRM_SECRET}',
          scopes: ['read', 'offline_access'],
          callbackPort: 19_001,
          redirectUri: 'http://127.0.0.1:19001/cb',
        },
      }),
      origin: { ...place, line: 20 },
      ...common,
      enabled: false,
    },
  ]);
});

test('opencode: the newer spelling under mcp.servers is accepted and converted (measured)', async () => {
  const reading = await readAgent(opencode, { files: { [user]: fixture('opencode/good.v2.json') } });
  const place = {
    agent: 'opencode',
    scope: 'user',
    file: '/home/ada/.config/opencode/opencode.json',
    column: 7,
  };
  const common = { dialect: 'opencode', guarded: false };
  expect(problemLines(reading)).toEqual([]);
  expect(said(reading)).toEqual([
    {
      name: 'fs',
      launch: program('fs-mcp'),
      enabled: false,
      timeouts: { startMs: 5000, idleMs: 60_000, phases: listing(7000) },
      origin: { ...place, line: 5 },
      ...common,
    },
    {
      name: 'api',
      launch: remote('http', 'https://api.example/mcp', {
        oauth: {
          clientId: 'v2',
          clientSecret: 's',
          scopes: ['r'],
          callbackPort: 8001,
          redirectUri: 'http://127.0.0.1:8001/cb',
        },
      }),
      enabled: true,
      timeouts: { startMs: 2000, idleMs: 9000, phases: listing(7000) },
      origin: { ...place, line: 6 },
      ...common,
    },
  ]);
});

test('the broken golden file: what opencode would refuse is read where it can be, and says so', async () => {
  const reading = await readAgent(opencode, {
    files: { '~/.config/opencode/opencode.jsonc': fixture('opencode/broken.jsonc') },
  });
  expect(reading.definitions.map(({ name, launch }) => ({ name, launch }))).toEqual([
    { name: 'untyped', launch: program('untyped-mcp') },
    { name: 'text', launch: program('text-mcp', ['--serve']) },
    { name: 'claude', launch: program('claude-mcp') },
    { name: 'numbers', launch: program('numbers-mcp', [], { env: { PORT: '7070' } }) },
    { name: 'habit', launch: program('npx') },
    { name: 'fine', launch: program('fine-mcp') },
  ]);
  expect(problemLines(reading)).toEqual([
    '12:5 error entry-invalid list: server "list" is not an object',
    '3:16 warning agent-refuses untyped: opencode refuses its whole config: "type" is neither "local" nor "remote"',
    '4:43 warning agent-refuses text: opencode refuses its whole config: "command" is one text',
    '5:25 warning agent-refuses claude: opencode refuses its whole config: "type" is neither "local" nor "remote"',
    '6:88 warning agent-refuses numbers: opencode refuses its whole config: "environment.PORT" is not a string',
    '7:61 warning agent-ignores habit: opencode passes over "args": the server runs without it',
    '7:89 warning agent-ignores habit: opencode passes over "env": the server runs without it',
    '8:44 error entry-invalid empty: server "empty" cannot be used: "command" is a list that does not begin with a program',
    '9:13 error entry-invalid lost: server "lost" cannot be used: a server of type http needs a URL',
    '10:17 error entry-invalid fragment: server "fragment" cannot be used: it needs "command" or "url"',
    '11:5 warning agent-ignores awake: "awake" is only switched on here, and no other file defines it',
  ]);
});

test('on Linux, in a folder below the root, every place is looked at in this order', () => {
  expect(
    locationsOf(opencode, {
      cwd: 'web/app',
      env: { OPENCODE_CONFIG: '/opt/oc.json', OPENCODE_CONFIG_DIR: '/opt/oc', XDG_CONFIG_HOME: '/xdg' },
    }),
  ).toEqual([
    'user /xdg/opencode/config.json',
    'user /xdg/opencode/opencode.json',
    'user /xdg/opencode/opencode.jsonc',
    'user /opt/oc.json',
    'project /srv/shop/opencode.json',
    'project /srv/shop/opencode.jsonc',
    'project /srv/shop/web/opencode.json',
    'project /srv/shop/web/opencode.jsonc',
    'project /srv/shop/web/app/opencode.json',
    'project /srv/shop/web/app/opencode.jsonc',
    'project /srv/shop/web/app/.opencode/opencode.json',
    'project /srv/shop/web/app/.opencode/opencode.jsonc',
    'project /srv/shop/web/.opencode/opencode.json',
    'project /srv/shop/web/.opencode/opencode.jsonc',
    'project /srv/shop/.opencode/opencode.json',
    'project /srv/shop/.opencode/opencode.jsonc',
    'user /home/ada/.opencode/opencode.json',
    'user /home/ada/.opencode/opencode.jsonc',
    'user /opt/oc/opencode.json',
    'user /opt/oc/opencode.jsonc',
    'managed /etc/opencode/opencode.json',
    'managed /etc/opencode/opencode.jsonc',
  ]);
});

test.for([
  [
    'macos',
    {},
    '/Users/ada/.config/opencode/config.json',
    '/Library/Application Support/opencode/opencode.jsonc',
  ],
  [
    'windows',
    {},
    'C:\\Users\\Ada\\.config\\opencode\\config.json',
    'C:\\ProgramData\\opencode\\opencode.jsonc',
  ],
  [
    'windows',
    { ProgramData: 'E:\\PD' },
    'C:\\Users\\Ada\\.config\\opencode\\config.json',
    'E:\\PD\\opencode\\opencode.jsonc',
  ],
] as const)(
  'on %s with %o the user’s files are below ~/.config, the managed ones where the system keeps them',
  ([os, env, first, last]) => {
    const places = locationsOf(opencode, { os, env });
    expect([places.at(0), places.at(-1)]).toEqual([`user ${first}`, `managed ${last}`]);
  },
);

test('OPENCODE_DISABLE_PROJECT_CONFIG leaves the project’s files out and keeps the home’s', () => {
  const places = locationsOf(opencode, { env: { OPENCODE_DISABLE_PROJECT_CONFIG: '1' } });
  expect(places.filter((place) => !place.startsWith('managed'))).toEqual([
    'user /home/ada/.config/opencode/config.json',
    'user /home/ada/.config/opencode/opencode.json',
    'user /home/ada/.config/opencode/opencode.jsonc',
    'user /home/ada/.opencode/opencode.json',
    'user /home/ada/.opencode/opencode.jsonc',
  ]);
});

test('OPENCODE_CONFIG inside the project makes its file the project’s', async () => {
  const { definitions } = await readAgent(opencode, {
    env: { OPENCODE_CONFIG: 'evil.json' },
    files: { './evil.json': local('evil') },
  });
  expect(definitions.map(({ origin, guarded }) => [origin.file, origin.scope, guarded])).toEqual([
    ['/srv/shop/evil.json', 'project', true],
  ]);
});

test('opencode: files are merged field by field (measured)', async () => {
  const { definitions, problems } = await readAgent(opencode, {
    files: {
      '~/.config/opencode/config.json': local('a', {
        environment: { A: '1', B: '1' },
        timeout: 1000,
        cwd: '/a',
      }),
      [user]: local('b', { environment: { B: '2' } }),
      '~/.config/opencode/opencode.jsonc': local('c', { environment: { C: '3' } }),
    },
  });
  expect(problems).toEqual([]);
  expect(said({ definitions })).toEqual([
    {
      name: 'fs',
      launch: program('c', [], { env: { A: '1', B: '2', C: '3' }, cwd: '/a' }),
      enabled: true,
      timeouts: startLimits(1000),
      dialect: 'opencode',
      origin: {
        agent: 'opencode',
        scope: 'user',
        file: '/home/ada/.config/opencode/opencode.jsonc',
        line: 1,
        column: 9,
      },
      guarded: false,
    },
  ]);
  expect(definitions[0]?.parts.map(({ file }) => file.replace('/home/ada/.config/opencode/', ''))).toEqual([
    'config.json',
    'opencode.json',
    'opencode.jsonc',
  ]);
});

test('opencode: the home .opencode is applied on top of the project’s (measured)', async () => {
  const { definitions } = await readAgent(opencode, {
    cwd: 'web',
    files: {
      './opencode.json': local('root'),
      './web/opencode.json': local('near'),
      './web/.opencode/opencode.json': local('near-dot'),
      './.opencode/opencode.json': local('root-dot'),
      '~/.opencode/opencode.json': local('home-dot'),
    },
  });
  expect(
    definitions.map(({ launch, guarded, origin }) => [launch, guarded, origin.scope, origin.file]),
  ).toEqual([
    [program('home-dot'), true, 'project', '/home/ada/.opencode/opencode.json'],
    [program('home-dot'), false, 'user', '/home/ada/.opencode/opencode.json'],
  ]);
});

test('opencode: of the project’s dot folders the one at the root is on top of the nearest (measured)', async () => {
  const files = {
    './web/opencode.jsonc': local('near'),
    './web/.opencode/opencode.json': local('near-dot'),
    './.opencode/opencode.json': local('root-dot'),
  };
  const { definitions } = await readAgent(opencode, { cwd: 'web', files });
  expect(definitions.map(({ launch }) => launch)).toEqual([program('root-dot')]);
});

test('a project’s entry mixed with the user’s waits for approval; the user’s own holds until then', async () => {
  const { definitions } = await readAgent(opencode, {
    files: { [user]: local('mine', { environment: { TOKEN: 't' } }), './opencode.json': local('theirs') },
  });
  expect(definitions.map(({ launch, guarded, origin }) => [launch, guarded, origin.scope])).toEqual([
    [program('theirs', [], { env: { TOKEN: 't' } }), true, 'project'],
    [program('mine', [], { env: { TOKEN: 't' } }), false, 'user'],
  ]);
});

test('an entry that only switches off is no server by itself, and counts at once over the user’s', async () => {
  const files = { './opencode.json': '{"mcp":{"fs":{"enabled":false}}}' };
  expect((await readAgent(opencode, { files })).definitions).toEqual([]);
  const { definitions, problems } = await readAgent(opencode, { files: { ...files, [user]: local('mine') } });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch, enabled, guarded }) => [launch, enabled, guarded])).toEqual([
    [program('mine'), false, false],
  ]);
});

test('an entry that only switches on works on a lower file’s server', async () => {
  const { definitions, problems } = await readAgent(opencode, {
    files: {
      [user]: local('mine', { enabled: false }),
      '~/.opencode/opencode.json': '{"mcp":{"fs":{"enabled":true}}}',
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch, enabled }) => [launch, enabled])).toEqual([[program('mine'), true]]);
});

test('opencode: every file is validated alone, so a fragment without a type costs that fragment (measured)', async () => {
  const reading = await readAgent(opencode, {
    files: { [user]: local('mine'), '~/.opencode/opencode.json': '{"mcp":{"fs":{"environment":{"A":"1"}}}}' },
  });
  expect(reading.definitions.map(({ launch }) => launch)).toEqual([program('mine')]);
  expect(problemLines(reading)).toEqual([
    '1:14 error entry-invalid fs: server "fs" cannot be used: it needs "command" or "url"',
  ]);
});

test('opencode: a type is mandatory (measured), so an entry without one is listed with a warning', async () => {
  const reading = await readAgent(opencode, {
    files: { [user]: '{"mcp":{"a":{"command":["a"]},"b":{"url":"https://b.test/mcp"}}}' },
  });
  expect(reading.definitions.map(({ launch }) => launch)).toEqual([
    program('a'),
    remote('http', 'https://b.test/mcp'),
  ]);
  expect(reading.problems.map(({ code, server, remedy }) => [code, server, remedy])).toEqual([
    ['agent-refuses', 'a', 'Write "type": "local".'],
    ['agent-refuses', 'b', 'Write "type": "remote".'],
  ]);
});

test('opencode: a type that a stronger file changes decides between command and URL', async () => {
  const { definitions } = await readAgent(opencode, {
    files: {
      [user]: local('mine'),
      '~/.opencode/opencode.json': '{"mcp":{"fs":{"type":"remote","url":"https://fs.test/mcp"}}}',
    },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([remote('http', 'https://fs.test/mcp')]);
});

test('opencode: BOM, comments, trailing commas and empty files are fine (measured)', async () => {
  const { definitions, problems } = await readAgent(opencode, {
    files: {
      '~/.config/opencode/config.json': '',
      [user]: '\uFEFF{ /* x */ "mcp": { "fs": { "type": "local", "command": ["fs",], }, }, } // end',
      '~/.config/opencode/opencode.jsonc': ' \n',
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch }) => launch)).toEqual([program('fs')]);
});

test('opencode: one bad entry refuses its whole config (measured); here its neighbours live on', async () => {
  const { definitions, problems } = await readAgent(opencode, {
    files: {
      [user]:
        '{"mcp":{"bad":null,"worse":{"type":"local","command":7},"ok":{"type":"local","command":["ok"]}}}',
    },
  });
  expect(definitions.map(({ name }) => name)).toEqual(['ok']);
  expect(problems.map(({ code, server }) => [code, server])).toEqual([
    ['entry-invalid', 'bad'],
    ['entry-invalid', 'worse'],
  ]);
});

test('opencode: mcpServers at the top is ignored (measured)', async () => {
  const reading = await readAgent(opencode, { files: { [user]: '{"mcpServers":{"a":{"command":"a"}}}' } });
  expect(reading.definitions).toEqual([]);
  expect(problemLines(reading)).toEqual([
    '1:15 warning agent-ignores: opencode does not look at "mcpServers"',
  ]);
});

test('opencode: .opencode/config.json is not read, neither in the project nor at home (measured)', async () => {
  const { definitions, problems } = await readAgent(opencode, {
    files: { './.opencode/config.json': local('a'), '~/.opencode/config.json': local('b') },
  });
  expect([definitions, problems]).toEqual([[], []]);
});

test('a server that is itself called servers or timeout is a server', async () => {
  const { definitions, problems } = await readAgent(opencode, {
    files: {
      [user]:
        '{"mcp":{"servers":{"type":"local","command":["s"]},"timeout":{"type":"local","command":["t"]}}}',
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ name, launch, timeouts }) => ({ name, launch, timeouts }))).toEqual([
    { name: 'servers', launch: program('s'), timeouts: {} },
    { name: 'timeout', launch: program('t'), timeouts: {} },
  ]);
});

test('both spellings in one file: the one directly under mcp counts', async () => {
  const reading = await readAgent(opencode, {
    files: {
      [user]:
        '{"mcp":{"fs":{"type":"local","command":["old"]},\n"servers":{"fs":{"type":"local","command":["new"]},"b":{"type":"local","command":["b"],"disabled":false}}}}',
    },
  });
  expect(reading.definitions.map(({ name, launch, enabled }) => [name, launch, enabled])).toEqual([
    ['fs', program('old'), true],
    ['b', program('b'), true],
  ]);
  expect(problemLines(reading)).toEqual([
    '2:12 warning entry-duplicate fs: "fs" also stands directly under "mcp"; that one counts',
  ]);
});

test('a file in the newer spelling switches off what one in the older defines', async () => {
  const { definitions } = await readAgent(opencode, {
    files: {
      [user]: local('mine', { enabled: true }),
      '~/.opencode/opencode.json': '{"mcp":{"servers":{"fs":{"disabled":true}}}}',
    },
  });
  expect(definitions.map(({ launch, enabled }) => [launch, enabled])).toEqual([[program('mine'), false]]);
});

test('experimental.mcp_timeout is the idle limit of all definitions; the strongest file’s counts', async () => {
  const { definitions } = await readAgent(opencode, {
    files: {
      '~/.config/opencode/config.json': '{"experimental":{"mcp_timeout":10000}}',
      [user]: local('mine', { timeout: 500 }),
      '~/.opencode/opencode.json': '{"experimental":{"mcp_timeout":20000}}',
    },
  });
  expect(definitions.map(({ timeouts }) => timeouts)).toEqual([startLimits(500, { idleMs: 20_000 })]);
});

test('a project’s experimental.mcp_timeout is for the project’s definitions alone', async () => {
  const { definitions } = await readAgent(opencode, {
    files: {
      [user]: '{"experimental":{"mcp_timeout":10000},"mcp":{"mine":{"type":"local","command":["m"]}}}',
      './opencode.json':
        '{"experimental":{"mcp_timeout":999},"mcp":{"theirs":{"type":"local","command":["t"]}}}',
    },
  });
  expect(definitions.map(({ name, timeouts }) => [name, timeouts])).toEqual([
    ['mine', { idleMs: 10_000 }],
    ['theirs', { idleMs: 999 }],
  ]);
});

test('a wrong mcp_timeout costs that field', async () => {
  const reading = await readAgent(opencode, {
    files: { [user]: '{"experimental":{"mcp_timeout":"1m"},"mcp":{"fs":{"type":"local","command":["f"]}}}' },
  });
  expect(reading.definitions.map(({ timeouts }) => timeouts)).toEqual([{}]);
  expect(problemLines(reading)).toEqual([
    '1:32 warning field-invalid: "mcp_timeout" must be a number that is not negative, but is a string; it is ignored',
  ]);
});

test('E21: array command, placeholders kept, a remote without login, and a switch that is no server', async () => {
  const { definitions, problems } = await readAgent(opencode, {
    files: {
      [user]: `{ "$schema": "https://opencode.ai/config.json", "mcp": {
        "fs": { "type": "local", "command": ["bunx", "fs-mcp", "{env:FS_ROOT}"], "environment": { "K": "{file:./key.txt}" }, "timeout": 8000 },
        "web": { "type": "remote", "url": "https://web.example/mcp", "headers": { "Authorization": "Bearer {env:WEB}" }, "oauth": false },
        "legacy": { "enabled": false } } }`,
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ name, launch }) => ({ name, launch }))).toEqual([
    { name: 'fs', launch: program('bunx', ['fs-mcp', '{env:FS_ROOT}'], { env: { K: '{file:./key.txt}' } }) },
    {
      name: 'web',
      launch: remote('http', 'https://web.example/mcp', {
        headers: { Authorization: 'Bearer {env:WEB}' },
        oauth: false,
      }),
    },
  ]);
});

test('E22: the newer spelling with limits for all', async () => {
  const { definitions } = await readAgent(opencode, {
    files: {
      [user]:
        '{ "mcp": { "timeout": { "startup": 5000, "request": 60000 }, "servers": { "fs": { "type": "local", "command": ["fs-mcp"], "disabled": true } } } }',
    },
  });
  expect(definitions.map(({ launch, enabled, timeouts }) => ({ launch, enabled, timeouts }))).toEqual([
    { launch: program('fs-mcp'), enabled: false, timeouts: { startMs: 5000, idleMs: 60_000 } },
  ]);
});

test('E23: args and env of a Claude habit vanish in opencode (measured), and a warning says so', async () => {
  const reading = await readAgent(opencode, {
    files: {
      [user]:
        '{ "mcp": { "oops": { "type": "local", "command": ["npx"], "args": ["-y", "oops-mcp"], "env": { "A": "1" } } } }',
    },
  });
  expect(reading.definitions.map(({ launch }) => launch)).toEqual([program('npx')]);
  expect(reading.problems.map(({ code, message }) => [code, message])).toEqual([
    ['agent-ignores', 'opencode passes over "args": the server runs without it'],
    ['agent-ignores', 'opencode passes over "env": the server runs without it'],
  ]);
});

test('a top level that is no object, or an mcp that is none, is a problem and nothing more', async () => {
  const reading = await readAgent(opencode, { files: { [user]: '[]', './opencode.json': '{"mcp":["x"]}' } });
  expect(reading.definitions).toEqual([]);
  expect(reading.problems.map(({ code }) => code)).toEqual(['file-shape', 'file-shape']);
});

test('OPENCODE_CONFIG_CONTENT counts above all but managed files and belongs to the user', async () => {
  const entry = (command: string): string =>
    JSON.stringify({ mcp: { fs: { type: 'local', command: [command] } } });
  const { definitions, problems } = await readAgent(opencode, {
    env: { OPENCODE_CONFIG_CONTENT: entry('from-variable') },
    files: { '~/.config/opencode/opencode.json': entry('from-file') },
  });
  expect(problems).toEqual([]);
  expect(
    definitions.map(({ launch, origin, guarded }) => [launch, origin.file, origin.scope, guarded]),
  ).toEqual([
    [
      { kind: 'stdio', command: 'from-variable', args: [], env: {}, envFrom: {} },
      '$OPENCODE_CONFIG_CONTENT',
      'user',
      false,
    ],
  ]);
});
