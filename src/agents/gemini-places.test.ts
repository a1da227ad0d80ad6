import { expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { gemini } from './gemini.ts';

const paths = (os: 'linux' | 'macos' | 'windows', env: Record<string, string> = {}): unknown =>
  gemini.locate(makeMachine({ os, env })).map(({ path, scope, guarded }) => [path, scope, guarded]);

test('looks in its own places on every system, weakest first', () => {
  expect(paths('linux')).toEqual([
    ['/home/ada/.gemini/extensions', 'plugin', false],
    ['/etc/gemini-cli/system-defaults.json', 'managed', false],
    ['/home/ada/.gemini/mcp-server-enablement.json', 'user', false],
    ['/home/ada/.gemini/settings.json', 'user', false],
    ['/srv/shop/.gemini/settings.json', 'project', true],
    ['/etc/gemini-cli/settings.json', 'managed', false],
  ]);
  expect(paths('macos')).toEqual([
    ['/Users/ada/.gemini/extensions', 'plugin', false],
    ['/Library/Application Support/GeminiCli/system-defaults.json', 'managed', false],
    ['/Users/ada/.gemini/mcp-server-enablement.json', 'user', false],
    ['/Users/ada/.gemini/settings.json', 'user', false],
    ['/Users/ada/src/shop/.gemini/settings.json', 'project', true],
    ['/Library/Application Support/GeminiCli/settings.json', 'managed', false],
  ]);
  expect(paths('windows')).toEqual([
    ['C:\\Users\\Ada\\.gemini\\extensions', 'plugin', false],
    ['C:\\ProgramData\\gemini-cli\\system-defaults.json', 'managed', false],
    ['C:\\Users\\Ada\\.gemini\\mcp-server-enablement.json', 'user', false],
    ['C:\\Users\\Ada\\.gemini\\settings.json', 'user', false],
    ['D:\\src\\shop\\.gemini\\settings.json', 'project', true],
    ['C:\\ProgramData\\gemini-cli\\settings.json', 'managed', false],
  ]);
  const moved = {
    GEMINI_CLI_HOME: '/opt/ada',
    GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/opt/gemini/system.json',
    GEMINI_CLI_SYSTEM_DEFAULTS_PATH: '/opt/other/defaults.json',
  };
  expect(paths('linux', moved)).toEqual([
    ['/opt/ada/.gemini/extensions', 'plugin', false],
    ['/opt/other/defaults.json', 'user', false],
    ['/opt/ada/.gemini/mcp-server-enablement.json', 'user', false],
    ['/opt/ada/.gemini/settings.json', 'user', false],
    ['/srv/shop/.gemini/settings.json', 'project', true],
    ['/opt/gemini/system.json', 'user', false],
  ]);
});

test('the defaults of the system stand beside its moved settings', () => {
  const machine = makeMachine({ env: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/opt/gemini/system.json' } });
  expect(gemini.locate(machine)[1]?.path).toBe('/opt/gemini/system-defaults.json');
});

test('settings of the system that a variable moves into the project are the project’s', async () => {
  const { definitions } = await readAgent(gemini, {
    env: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/srv/shop/evil.json' },
    files: { './evil.json': '{"mcpServers":{"one":{"command":"evil"}}}' },
  });
  expect(definitions.map(({ origin, guarded }) => [origin.scope, guarded])).toEqual([['project', true]]);
});
