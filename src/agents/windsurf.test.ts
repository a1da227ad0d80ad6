import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { windsurf } from './windsurf.ts';

const common = { enabled: true, timeouts: {}, dialect: 'windsurf', guarded: false };
const one = (command: string): string => JSON.stringify({ mcpServers: { x: { command } } });

test('reads the good file: serverUrl or url, switch, denied tools, file placeholders as written (E9)', async () => {
  const file = '/home/ada/.codeium/windsurf/mcp_config.json';
  const user = placeIn('windsurf', 'user', file);
  const result = await readAgent(windsurf, { files: { [file]: fixture('windsurf/good.json') } });
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'search',
      launch: remote('http', 'https://search.example/mcp', {
        headers: { Authorization: 'Bearer ${file:/run/secrets/search}' },
      }),
      enabled: false,
      tools: { exclude: ['purge'] },
      origin: user(3, 5),
    },
    {
      ...common,
      name: 'files',
      launch: stdio('npx', { args: ['-y', '@acme/files-mcp'], env: { ROOT: '${env:FILES_ROOT}' } }),
      origin: user(9, 5),
    },
    { ...common, name: 'feed', launch: remote('sse', 'https://feed.example/sse'), origin: user(10, 5) },
    { ...common, name: 'typed', launch: remote('http', 'https://typed.example/mcp'), origin: user(11, 5) },
  ]);
});

test('reads what can be read of the broken file and names the rest', async () => {
  const file = '/srv/shop/.devin/mcp_config.json';
  const project = placeIn('windsurf', 'project', file);
  const result = await readAgent(windsurf, { files: { [file]: fixture('windsurf/broken.json') } });
  expect(said(result).toReversed()).toEqual([
    { ...common, name: 'switch', launch: stdio('switch-mcp'), origin: project(5, 5), guarded: true },
    {
      ...common,
      name: 'ok',
      launch: remote('http', 'https://ok.example/mcp'),
      origin: project(7, 5),
      guarded: true,
    },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:6:5 error entry-invalid null: server "null" is not an object`,
    `${file}:3:14 error entry-invalid empty: server "empty" cannot be used: it needs "command" or "serverUrl"`,
    `${file}:4:13 error entry-invalid both: server "both" cannot be used: it has both "command" and a URL → Keep one of the two.`,
    `${file}:5:54 warning field-invalid switch: "disabled" must be true or false, but is a string; it is ignored`,
  ]);
});

test('the old file of the Devin command line may have comments, mcp_config.json may not', async () => {
  const text = fixture('windsurf/good.config.jsonc');
  const old = '/home/ada/.config/devin/config.json';
  const next = '/home/ada/.config/devin/mcp_config.json';
  const result = await readAgent(windsurf, { files: { [old]: text, [next]: text } });
  const launch = stdio('cli-mcp', { args: ['--fast'] });
  expect(said(result)).toEqual([
    { ...common, name: 'cli', launch, origin: placeIn('windsurf', 'user', next)(4, 19) },
    { ...common, name: 'cli', launch, origin: placeIn('windsurf', 'user', old)(4, 19) },
  ]);
  expect(problemLines(result)).toEqual([
    `${next}:1:1 warning agent-refuses: Windsurf would refuse this file because it has comments; holt reads it all the same → Save it as plain JSON.`,
    `${next}:1:1 warning agent-refuses: Windsurf would refuse this file because it has trailing commas; holt reads it all the same → Save it as plain JSON.`,
  ]);
});

test('local comes before project before user, and new places before old ones', async () => {
  const { definitions } = await readAgent(windsurf, {
    files: {
      '~/.codeium/mcp_config.json': one('plugin'),
      '~/.codeium/windsurf-next/mcp_config.json': one('next'),
      '~/.codeium/windsurf/mcp_config.json': one('windsurf'),
      '~/.config/devin/config.json': one('old cli'),
      '~/.config/devin/mcp_config.json': one('devin'),
      './.devin/config.json': one('old project'),
      './.devin/mcp_config.json': one('project'),
      './.devin/config.local.json': one('old local'),
      './.devin/mcp_config.local.json': one('local'),
    },
  });
  expect(
    definitions.map(({ launch, origin, guarded }) => [
      launch.kind === 'stdio' && launch.command,
      origin.scope,
      guarded,
    ]),
  ).toEqual([
    ['local', 'local', true],
    ['old local', 'local', true],
    ['project', 'project', true],
    ['old project', 'project', true],
    ['devin', 'user', false],
    ['old cli', 'user', false],
    ['windsurf', 'user', false],
    ['next', 'user', false],
    ['plugin', 'user', false],
  ]);
});

const last = (places: readonly string[]): readonly string[] => places.slice(3, 6);

test('looks in the right places on every system', () => {
  expect(last(placesOf(windsurf, { env: { XDG_CONFIG_HOME: '/cfg' } }))).toEqual([
    'user /home/ada/.config/devin/config.json',
    'user /home/ada/.config/devin/mcp_config.json',
    'project /srv/shop/.devin/config.json',
  ]);
  expect(last(placesOf(windsurf, { os: 'macos' }))).toEqual([
    'user /Users/ada/.config/devin/config.json',
    'user /Users/ada/.config/devin/mcp_config.json',
    'project /Users/ada/src/shop/.devin/config.json',
  ]);
  expect(placesOf(windsurf, { os: 'windows' })).toEqual([
    'user C:\\Users\\Ada\\.codeium\\mcp_config.json',
    'user C:\\Users\\Ada\\.codeium\\windsurf-next\\mcp_config.json',
    'user C:\\Users\\Ada\\.codeium\\windsurf\\mcp_config.json',
    'user C:\\Users\\Ada\\AppData\\Roaming\\devin\\config.json',
    'user C:\\Users\\Ada\\AppData\\Roaming\\devin\\mcp_config.json',
    'project D:\\src\\shop\\.devin\\config.json',
    'project D:\\src\\shop\\.devin\\mcp_config.json',
    'local D:\\src\\shop\\.devin\\config.local.json',
    'local D:\\src\\shop\\.devin\\mcp_config.local.json',
  ]);
});
