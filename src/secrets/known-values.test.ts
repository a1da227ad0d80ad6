import { expect, test } from 'vitest';

import { makeMachine } from '../../tests/support/agent-machine.ts';
import { asUsers, projectProgram } from '../../tests/support/sample-servers.ts';
import type { KnownName } from '../dialects/template.ts';
import { knownValue } from './resolve-launch.ts';

const definition = asUsers(projectProgram('x'));
const at = (file: string): typeof definition => ({ ...definition, origin: { ...definition.origin, file } });

test.each<readonly [KnownName, string]>([
  ['workspaceFolder', '/srv/shop'],
  ['workspacePath', '/srv/shop'],
  ['projectDir', '/srv/shop'],
  ['workspaceFolderBasename', 'shop'],
  ['userHome', '/home/ada'],
  ['pathSeparator', '/'],
])('%s is %s', (name, value) => {
  expect(knownValue(name, definition, makeMachine())).toBe(value);
});

test('Windows has its own separator', () => {
  expect(knownValue('pathSeparator', definition, makeMachine({ os: 'windows' }))).toBe('\\');
});

test('an extension and a plugin are in the folder of their file', () => {
  const machine = makeMachine();
  expect(knownValue('extensionPath', at('/x/ext/gemini-extension.json'), machine)).toBe('/x/ext');
  expect(knownValue('pluginRoot', at('/x/tool/.mcp.json'), machine)).toBe('/x/tool');
  expect(knownValue('pluginRoot', at('/x/tool/.claude-plugin/plugin.json'), machine)).toBe('/x/tool');
  expect(knownValue('pluginData', at('/x/tool/.mcp.json'), machine)).toBe(
    '/home/ada/.claude/plugins/data/tool',
  );
});
