import { expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { defined, goldenFile, place, program, remote } from '../../tests/support/golden-file.ts';
import { amp } from './amp.ts';

test('reads every field', async () => {
  const { definitions, problems } = await readAgent(amp, {
    files: {
      '~/.config/amp/settings.jsonc': goldenFile('amp/good.jsonc'),
    },
  });
  expect(definitions).toEqual([
    defined('idle', {
      launch: program('idle-mcp'),
      enabled: false,
      dialect: 'amp',
      origin: place('amp', 'user', '/home/ada/.config/amp/settings.jsonc')(11, 5),
    }),
    defined('hub', {
      launch: remote('http', 'https://hub.example/mcp', {
        headers: { Authorization: 'Bearer ${HUB}' },
        oauth: { clientId: 'amp-hub', scopes: ['read'] },
      }),
      dialect: 'amp',
      origin: place('amp', 'user', '/home/ada/.config/amp/settings.jsonc')(6, 5),
    }),
    defined('pages', {
      launch: program('npx', ['pages-mcp'], { env: { TOKEN: '${PAGES_TOKEN}' } }),
      tools: { include: ['page_*'] },
      dialect: 'amp',
      origin: place('amp', 'user', '/home/ada/.config/amp/settings.jsonc')(5, 5),
    }),
  ]);
  expect(problems).toEqual([]);
});

test('a broken entry costs itself and hides no neighbour', async () => {
  const { definitions, problems } = await readAgent(amp, {
    files: {
      './.amp/settings.json': goldenFile('amp/broken.json'),
    },
  });
  expect(definitions).toEqual([
    defined('fine', {
      launch: program('fine-mcp'),
      dialect: 'amp',
      guarded: true,
      origin: place('amp', 'project', '/srv/shop/.amp/settings.json')(5, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      severity: 'error',
      code: 'entry-invalid',
      server: 'list',
      message: 'server "list" is not an object',
      file: '/srv/shop/.amp/settings.json',
      line: 4,
      column: 5,
    },
    {
      server: 'both',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "both" cannot be used: it has both "command" and a URL',
      remedy: 'Keep one of the two.',
      file: '/srv/shop/.amp/settings.json',
      line: 3,
      column: 13,
    },
    {
      server: 'fine',
      severity: 'warning',
      code: 'field-invalid',
      message: '"disabled" must be true or false, but is a string; it is ignored',
      file: '/srv/shop/.amp/settings.json',
      line: 5,
      column: 50,
    },
  ]);
});

const one = (command: string): string => JSON.stringify({ 'amp.mcpServers': { one: { command } } });

const paths = (os: 'linux' | 'macos' | 'windows', env: Record<string, string> = {}): unknown =>
  amp.locate(makeMachine({ os, env, cwd: 'web' })).map(({ path }) => path);

test('looks in its own places on every system, weakest first', () => {
  expect(paths('linux')).toEqual([
    '/home/ada/.config/amp/settings.jsonc',
    '/home/ada/.config/amp/settings.json',
    '/srv/shop/.amp/settings.jsonc',
    '/srv/shop/.amp/settings.json',
    '/srv/shop/web/.amp/settings.jsonc',
    '/srv/shop/web/.amp/settings.json',
  ]);
  expect(paths('macos')).toEqual([
    '/Users/ada/.config/amp/settings.jsonc',
    '/Users/ada/.config/amp/settings.json',
    '/Users/ada/src/shop/.amp/settings.jsonc',
    '/Users/ada/src/shop/.amp/settings.json',
    '/Users/ada/src/shop/web/.amp/settings.jsonc',
    '/Users/ada/src/shop/web/.amp/settings.json',
  ]);
  expect(paths('windows', { APPDATA: 'C:\\Users\\Ada\\AppData\\Roaming' })).toEqual([
    'C:\\Users\\Ada\\AppData\\Roaming\\amp\\settings.jsonc',
    'C:\\Users\\Ada\\AppData\\Roaming\\amp\\settings.json',
    'C:\\Users\\Ada\\.config\\amp\\settings.jsonc',
    'C:\\Users\\Ada\\.config\\amp\\settings.json',
    'D:\\src\\shop\\.amp\\settings.jsonc',
    'D:\\src\\shop\\.amp\\settings.json',
    'D:\\src\\shop\\web\\.amp\\settings.jsonc',
    'D:\\src\\shop\\web\\.amp\\settings.json',
  ]);
});

test('Amp: XDG_CONFIG_HOME moves the user file (measured)', async () => {
  const { definitions } = await readAgent(amp, {
    env: { XDG_CONFIG_HOME: '/opt/ada' },
    files: { '/opt/ada/amp/settings.json': one('moved'), '~/.config/amp/settings.json': one('old') },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([program('moved')]);
});

test('Amp: settings.json shadows settings.jsonc in the same folder (measured)', async () => {
  const { definitions, problems } = await readAgent(amp, {
    files: {
      '~/.config/amp/settings.json': one('plain'),
      '~/.config/amp/settings.jsonc': one('shadowed'),
      './.amp/settings.json': one('project'),
      './.amp/settings.jsonc': one('shadowed'),
    },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([program('project'), program('plain')]);
  expect(problems.map(({ code, file }) => [code, file])).toEqual([
    ['agent-ignores', '/home/ada/.config/amp/settings.jsonc'],
    ['agent-ignores', '/srv/shop/.amp/settings.jsonc'],
  ]);
});

test('Amp: the workspace file is found from a folder below (measured)', async () => {
  const { definitions } = await readAgent(amp, {
    cwd: 'web/app',
    files: { './.amp/settings.json': one('root') },
  });
  expect(definitions.map(({ launch, origin, guarded }) => [launch, origin.scope, guarded])).toEqual([
    [program('root'), 'project', true],
  ]);
});

test('Amp: comments and trailing commas are fine (measured)', async () => {
  const { definitions, problems } = await readAgent(amp, {
    files: {
      '~/.config/amp/settings.json':
        '{ // mine\n"amp.mcpServers": { "pw": { "command": "npx", "args": ["pw-mcp"], "includeTools": ["page_*"] }, "hub": { "url": "https://hub.example/mcp" }, }, }',
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ name, launch, tools }) => [name, launch, tools])).toEqual([
    ['hub', remote('http', 'https://hub.example/mcp'), undefined],
    ['pw', program('npx', ['pw-mcp']), { include: ['page_*'] }],
  ]);
});

test('the key in two parts is read as well', async () => {
  const { definitions } = await readAgent(amp, {
    files: {
      '~/.config/amp/settings.json': JSON.stringify({ amp: { mcpServers: { one: { command: 'a' } } } }),
    },
  });
  expect(definitions.map(({ name, launch }) => [name, launch])).toEqual([['one', program('a')]]);
});

test('the project wins over the user', async () => {
  const { definitions } = await readAgent(amp, {
    files: { '~/.config/amp/settings.json': one('user'), './.amp/settings.json': one('project') },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([program('project'), program('user')]);
});

test('AMP_SETTINGS_FILE is read in place of the user’s settings, and is the project’s when it lies there', async () => {
  const settings = '{"amp.mcpServers": {"a": {"command": "a"}}}';
  const read = async (file: string) => {
    const { definitions } = await readAgent(amp, {
      env: { AMP_SETTINGS_FILE: file },
      files: { [file]: settings, '~/.config/amp/settings.json': settings },
    });
    return definitions.map(({ origin, guarded }) => [origin.file, origin.scope, guarded]);
  };
  expect(await read('/data/amp.json')).toEqual([['/data/amp.json', 'user', false]]);
  expect(await read('/srv/shop/x.json')).toEqual([['/srv/shop/x.json', 'project', true]]);
});
