import { expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { defined, goldenFile, place, program, remote } from '../../tests/support/golden-file.ts';
import { agentFormat } from './all-agents.ts';

const lmStudio = agentFormat('lm-studio');

test('reads every field', async () => {
  const { definitions, problems } = await readAgent(lmStudio, {
    files: {
      '~/.lmstudio/mcp.json': goldenFile('lm-studio/good.json'),
    },
  });
  expect(definitions).toEqual([
    defined('files', {
      launch: program('npx', ['files-mcp', '/srv'], { env: { A: '${A}' } }),
      origin: place('lm-studio', 'user', '/home/ada/.lmstudio/mcp.json')(4, 5),
    }),
    defined('hub', {
      launch: remote('http', 'https://hub.example/mcp', { headers: { Authorization: 'Bearer abc' } }),
      origin: place('lm-studio', 'user', '/home/ada/.lmstudio/mcp.json')(3, 5),
    }),
  ]);
  expect(problems).toEqual([]);
});

test('a broken entry costs itself, and a switch in the file means nothing', async () => {
  const { definitions, problems } = await readAgent(lmStudio, {
    files: {
      '~/.lmstudio/mcp.json': goldenFile('lm-studio/broken.json'),
    },
  });
  expect(definitions).toEqual([
    defined('fine', {
      launch: program('fine-mcp'),
      origin: place('lm-studio', 'user', '/home/ada/.lmstudio/mcp.json')(5, 5),
    }),
    defined('off', {
      launch: program('off-mcp'),
      origin: place('lm-studio', 'user', '/home/ada/.lmstudio/mcp.json')(3, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      server: 'off',
      severity: 'warning',
      code: 'agent-ignores',
      message: 'LM Studio does not look at "disabled": the server is on',
      remedy: 'Switch it off in LM Studio itself, or remove it here.',
      file: '/home/ada/.lmstudio/mcp.json',
      line: 3,
      column: 48,
    },
    {
      server: 'none',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "none" cannot be used: it needs "command" or "url"',
      file: '/home/ada/.lmstudio/mcp.json',
      line: 4,
      column: 13,
    },
  ]);
});

const paths = (os: 'linux' | 'macos' | 'windows'): unknown =>
  lmStudio.locate(makeMachine({ os })).map(({ path }) => path);

test('looks in the new and the older folder on every system', () => {
  expect(paths('linux')).toEqual(['/home/ada/.cache/lm-studio/mcp.json', '/home/ada/.lmstudio/mcp.json']);
  expect(paths('macos')).toEqual(['/Users/ada/.cache/lm-studio/mcp.json', '/Users/ada/.lmstudio/mcp.json']);
  expect(paths('windows')).toEqual([
    'C:\\Users\\Ada\\.cache\\lm-studio\\mcp.json',
    'C:\\Users\\Ada\\.lmstudio\\mcp.json',
  ]);
});

const one = (command: string): string => JSON.stringify({ mcpServers: { one: { command } } });

test('the new folder wins over the older one', async () => {
  const { definitions } = await readAgent(lmStudio, {
    files: { '~/.cache/lm-studio/mcp.json': one('old'), '~/.lmstudio/mcp.json': one('new') },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([program('new'), program('old')]);
});
