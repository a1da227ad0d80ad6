/** Nothing fails without a word: files that cannot be parsed, and tools that are withheld. */

import path from 'node:path';

import { expect, test } from 'vitest';

import { createSandbox, packageRoot, type Sandbox } from '../support/holt-command.ts';
import { runInTerminal } from '../support/terminal.ts';

const fixture = (name: string, ...args: readonly string[]): object => ({
  command: process.execPath,
  args: [path.join(packageRoot, 'tests', 'fixtures', 'servers', `${name}.mjs`), ...args],
});

async function withBrokenFile(): Promise<Sandbox & { readonly line: string }> {
  const sandbox = await createSandbox();
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { good: fixture('has-resources') } }));
  const file = await sandbox.write('~/.cursor/mcp.json', '{\n  "mcpServers": {\n    "x": {,}\n  }\n}');
  const line = `${file}:3:11: not valid JSON: a property name in double quotes is missing. Run holt doctor for more.\n`;
  return { ...sandbox, line };
}

test.each([
  [''],
  ['list'],
  ['list --json'],
  ['get good'],
  ['tools'],
  ['tools good --json'],
  ['search touch'],
  ['resources'],
  ['prompts'],
  ['read good memo://one'],
  ['prompt good greet who=you'],
  ['status'],
  ['status good'],
  ['test good'],
  ['call good.touch'],
  ['call good.touch --json'],
  ['pin'],
  ['policy explain good.touch'],
])('holt %s reports a config file that cannot be parsed in one line on stderr', async (command) => {
  await using sandbox = await withBrokenFile();
  const { code, stderr } = await sandbox.holt(...command.split(' ').filter((word) => word !== ''));
  expect([code, stderr]).toEqual([0, sandbox.line]);
});

test('a session reports a file that cannot be parsed when it starts and at /mcp reload', async () => {
  await using sandbox = await withBrokenFile();
  const session = runInTerminal(sandbox, ['repl']);
  const text = 'not valid JSON: a property name in double quotes is missing. Run holt doctor for more.';
  await session.waitFor(text);
  await session.waitFor('1/1 connected>');
  const before = session.shown().length;
  session.type('/mcp reload\r');
  await session.waitFor('0 added, 0 removed, 0 changed', before);
  expect(session.shown().slice(before)).toContain(text);
  session.type('/quit\r');
  expect(await session.exited).toBe(0);
});
