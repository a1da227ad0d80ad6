import { writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { makeEditFixture, type EditFixture } from '../../tests/support/edit-fixture.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files/files.ts';
import { loadOverrides } from '../roster/overrides.ts';
import { applyAdd, planAdd } from './add-server.ts';
import { removeServer } from './remove-server.ts';
import { setEnabled } from './set-enabled.ts';
import { undoLast } from './undo.ts';

let world: EditFixture;
beforeEach(async () => {
  world = await makeEditFixture();
});
afterEach(() => world[Symbol.asyncDispose]());

const remove = async (ref: string) => removeServer(await world.definition(ref), world.parts);

test('an entry goes with its comments, from the file it came from', async () => {
  const text =
    '{\n  "mcpServers": {\n    "a": { "command": "a" },\n    // about b\n    "b": { "command": "b", "env": { "API_TOKEN": "abcdefgh12345678" } }, // b\n    "c": { "command": "c" }\n  }\n}\n';
  const file = await world.write('~/.cursor/mcp.json', text, 0o644);
  await world.write('~/.claude.json', '{"mcpServers": {"b": {"command": "other"}}}');
  await world.write('~/.codex/config.toml', '[mcp_servers.b]\ncommand = "third"\n');

  expect(await remove('b@cursor')).toEqual({
    server: 'b',
    agent: 'cursor',
    scope: 'user',
    file,
    how: 'file',
    outcome: 'changed',
    entry: '{"command":"b","env":{"API_TOKEN":"***"}}',
    warnings: [],
    notes: [],
  });
  expect([await readFile(file, 'utf8'), await world.modeOf('~/.cursor/mcp.json')]).toEqual([
    '{\n  "mcpServers": {\n    "a": { "command": "a" },\n    "c": { "command": "c" }\n  }\n}\n',
    0o644,
  ]);
  await undoLast(world.parts);
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('of two with one name the one that is meant goes: Claude’s local, not the user’s', async () => {
  const root = JSON.stringify(world.machine.projectRoot);
  await world.write(
    '~/.claude.json',
    `{"mcpServers": {"x": {"command": "user"}}, "projects": {${root}: {"mcpServers": {"x": {"command": "local"}}}}}`,
  );
  await remove('x');

  expect(await world.read('~/.claude.json')).toBe(
    `{"mcpServers": {"x": {"command": "user"}}, "projects": {${root}: {"mcpServers": {}}}}`,
  );
});

test('a table of TOML goes with its sub-tables', async () => {
  await world.write(
    '~/.codex/config.toml',
    'model = "o"\n\n[mcp_servers.a]\ncommand = "a"\n\n[mcp_servers.a.env]\nX = "1"\n\n# b\n[mcp_servers.b]\ncommand = "b"\n',
  );
  await remove('a');
  expect(await world.read('~/.codex/config.toml')).toBe(
    'model = "o"\n\n# b\n[mcp_servers.b]\ncommand = "b"\n',
  );
});

test('an item of a list', async () => {
  await world.write(
    '~/.continue/config.yaml',
    'mcpServers:\n  - name: a\n    command: a\n  # about b\n  - name: b\n    command: b\n  - name: c\n    command: c\n',
  );
  await remove('b');
  expect(await world.read('~/.continue/config.yaml')).toBe(
    'mcpServers:\n  - name: a\n    command: a\n  - name: c\n    command: c\n',
  );
});

test('an entry that changed between the look and the lock is not removed', async () => {
  const file = await world.write('~/.cursor/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}');
  const definition = await world.definition('a');
  const changed = '{"mcpServers": {"a": {"command": "b"}}}';
  let looks = 0;
  const files: Files = {
    ...world.parts.files,
    load: (place, maxBytes) => {
      const outcome = world.parts.files.load(place, maxBytes);
      if (place === file && (looks += 1) === 1) writeFileSync(file, changed);
      return outcome;
    },
  };

  await expect(removeServer(definition, { ...world.parts, files })).rejects.toMatchObject({
    code: 'config-unwritable',
    details: { file, reason: 'changed' },
  });
  expect(await readFile(file, 'utf8')).toBe(changed);
});

test('an entry that moved since it was read is found again', async () => {
  const file = await world.write('~/.cursor/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}');
  const definition = await world.definition('a');
  await writeFile(file, '{"other": 1,\n"mcpServers": {"b": {"command": "b"}, "a": {"command": "a"}}}');
  await removeServer(definition, world.parts);

  expect(await readFile(file, 'utf8')).toBe('{"other": 1,\n"mcpServers": {"b": {"command": "b"}}}');
});

test.each([
  ['says something else', '{"mcpServers": {"a": {"command": "rm"}}}'],
  ['is gone', '{"mcpServers": {}}'],
  ['cannot be read', '{"mcpServers": {'],
])('an entry that %s by now is not removed', async (_, now) => {
  const file = await world.write('~/.cursor/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}');
  const definition = await world.definition('a');
  await writeFile(file, now);

  await expect(removeServer(definition, world.parts)).rejects.toMatchObject({
    code: 'config-unwritable',
    details: { file, reason: 'changed' },
  });
  expect(await readFile(file, 'utf8')).toBe(now);
});

test('an override does not outlive its server, and comes back with it', async () => {
  await world.write('~/.cursor/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}');
  await setEnabled(await world.definition('a'), 'off', world.parts);
  await remove('a');
  expect(loadOverrides(world.machine, world.parts.files).overrides).toEqual([]);
  await applyAdd(
    await planAdd({ name: 'a', config: { command: 'a' }, agent: 'cursor', scope: 'user' }, world.parts),
    world.parts,
  );
  expect((await world.definition('a')).enabled).toBe(true);

  await undoLast(world.parts);
  await undoLast(world.parts);
  expect((await world.definition('a')).enabled).toBe(false);
});

const foreign = (
  scope: ServerDefinition['origin']['scope'],
  agent: ServerDefinition['origin']['agent'] = 'claude-code',
) =>
  ({
    name: 'x',
    launch: { kind: 'stdio', command: 'x', args: [], env: {}, envFrom: {} },
    enabled: true,
    timeouts: {},
    dialect: 'claude',
    origin: { agent, scope, file: '/etc/x.json', line: 1, column: 1 },
    guarded: false,
    parts: [],
    alsoIn: [],
  }) satisfies ServerDefinition;

test.each([
  ['an administrator’s', foreign('managed'), '"x" is not changed: /etc/x.json is an administrator\'s'],
  [
    'a plugin’s',
    foreign('plugin'),
    '"x" is not changed: /etc/x.json belongs to a plugin, whose next version would bring it back',
  ],
  ['a program’s', foreign('runtime', 'holt'), '"x" is not changed: no file defines it'],
  [
    'an agent’s whose files holt only reads',
    foreign('user', 'hermes'),
    '"x" is not changed: holt only reads the files of hermes',
  ],
])('%s is refused, with what to do instead', async (_, definition, message) => {
  await expect(removeServer(definition, world.parts)).rejects.toMatchObject({
    code: 'config-not-ours',
    message,
    remedy: 'Switch it off for holt: holt disable x',
  });
});

test('a file that is itself the server is left to the user', async () => {
  const file = await world.write('~/.continue/mcpServers/bare.json', '{"command": "x"}');
  await expect(remove('bare')).rejects.toMatchObject({
    code: 'config-not-ours',
    remedy: `Edit it by hand: ${file}:1`,
  });
});
