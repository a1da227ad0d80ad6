import { readFile, symlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { makeEditFixture, type EditFixture } from '../../tests/support/edit-fixture.ts';
import { overridesFile } from '../roster/overrides.ts';
import { setEnabled } from './set-enabled.ts';
import { undoLast } from './undo.ts';

let world: EditFixture;
beforeEach(async () => {
  world = await makeEditFixture();
});
afterEach(() => world[Symbol.asyncDispose]());

const turn = async (ref: string, wanted: 'on' | 'off') =>
  setEnabled(await world.definition(ref), wanted, world.parts);
const isOn = async (ref: string) => (await world.definition(ref)).enabled;
const overrides = async () => JSON.parse(await readFile(overridesFile(world.machine), 'utf8')).overrides;

describe('where the file has a switch', () => {
  test('it is set there, and only it changes', async () => {
    const text = '{\n  "mcpServers": {\n    // mine\n    "a": { "command": "a" }\n  }\n}\n';
    const file = await world.write('~/.holt/mcp.json', text);

    expect(await turn('a', 'off')).toEqual({
      server: 'a',
      agent: 'holt',
      scope: 'user',
      file,
      how: 'file',
      outcome: 'changed',
      entry: '{"command":"a","enabled":false}',
      warnings: [],
      notes: [],
    });
    expect(await readFile(file, 'utf8')).toBe(text.replace('"a" }', '"a", "enabled": false }'));
    await turn('a', 'on');
    expect(await readFile(file, 'utf8')).toBe(text.replace('"a" }', '"a", "enabled": true }'));
  });

  test('what is so already stays as it is', async () => {
    const file = await world.write('~/.holt/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}');
    expect([(await turn('a', 'on')).outcome, await readFile(file, 'utf8')]).toEqual([
      'unchanged',
      '{"mcpServers": {"a": {"command": "a"}}}',
    ]);
    await expect(undoLast(world.parts)).rejects.toMatchObject({ code: 'undo-empty' });
  });

  test('either word of holt’s is understood', async () => {
    const file = await world.write(
      '~/.holt/mcp.json',
      '{"mcpServers": {"a": {"command": "a", "disabled": true}}}',
    );
    expect((await turn('a', 'off')).outcome).toBe('unchanged');
    await turn('a', 'on');
    expect(await readFile(file, 'utf8')).toBe('{"mcpServers": {"a": {"command": "a", "disabled": false}}}');
  });

  test('opencode’s newer files have the other word', async () => {
    const file = await world.write(
      'opencode.json',
      '{"mcp": {"servers": {"a": {"type": "local", "command": ["a"]}}}}',
    );
    await turn('a', 'off');
    expect(await readFile(file, 'utf8')).toBe(
      '{"mcp": {"servers": {"a": {"type": "local", "command": ["a"], "disabled": true}}}}',
    );
    expect(await isOn('a')).toBe(false);
  });

  test('a table of TOML', async () => {
    await world.write(
      '~/.codex/config.toml',
      '# mine\n[mcp_servers.a]\ncommand = "a"\n\n[mcp_servers.a.env]\nX = "1"\n',
    );
    await turn('a', 'off');
    expect(await world.read('~/.codex/config.toml')).toBe(
      '# mine\n[mcp_servers.a]\ncommand = "a"\nenabled = false\n\n[mcp_servers.a.env]\nX = "1"\n',
    );
  });
});

describe('where it has none, or another file decides', () => {
  test('holt alone is told, and says so', async () => {
    const text = '{"mcpServers": {"a": {"command": "a"}}}';
    const file = await world.write('~/.cursor/mcp.json', text);

    expect(await turn('a', 'off')).toEqual({
      server: 'a',
      agent: 'cursor',
      scope: 'user',
      file: overridesFile(world.machine),
      how: 'override',
      outcome: 'created',
      entry: '{"enabled":false}',
      warnings: [],
      notes: ['the files of cursor have no switch for it: only holt knows that it is off'],
    });
    expect([await isOn('a'), await readFile(file, 'utf8')]).toEqual([false, text]);
    expect(await world.modeOf('~/.holt/overrides.json')).toBe(0o600);
    await turn('a', 'on');
    expect(await isOn('a')).toBe(true);
    await undoLast(world.parts);
    expect(await isOn('a')).toBe(false);
    await undoLast(world.parts);
    expect(await isOn('a')).toBe(true);
  });

  test('a server that the agent’s own list switches off is taken off that list', async () => {
    await world.write(
      '~/.omp/agent/mcp.json',
      '{"mcpServers": {"a": {"command": "a"}}, "disabledServers": ["a"]}',
    );
    expect(await isOn('a')).toBe(false);
    expect(await turn('a', 'on')).toMatchObject({ how: 'switch' });
    expect(await world.read('~/.omp/agent/mcp.json')).toBe(
      '{"mcpServers": {"a": {"command": "a"}}, "disabledServers": []}',
    );
    expect(await isOn('a')).toBe(true);
  });

  test('a server that several files have a part in is overridden', async () => {
    await world.write('~/.codex/config.toml', '[mcp_servers.a]\ncommand = "a"\n');
    await world.write('.codex/config.toml', '[mcp_servers.a]\nargs = ["x"]\n');
    expect(await turn('a@codex:project', 'off')).toMatchObject({
      how: 'override',
      notes: ['several files have a part in it: only holt knows that it is off'],
    });
  });

  test('the entry’s own switch clears an override that says otherwise, as one thing to undo', async () => {
    const file = await world.write('~/.holt/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}');
    const key = { agent: 'holt', scope: 'user', file, name: 'a' };
    await world.write(
      '~/.holt/overrides.json',
      JSON.stringify({ version: 1, overrides: [{ ...key, enabled: true }] }),
    );
    await turn('a', 'off');
    expect([await isOn('a'), await overrides()]).toEqual([false, []]);
    await undoLast(world.parts);
    expect([await isOn('a'), await overrides()]).toEqual([true, [{ ...key, enabled: true }]]);
  });

  test('other overrides of the server, and comments, stay', async () => {
    const file = await world.write('~/.cursor/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}');
    const text = `{\n  // mine\n  "overrides": [\n    { "agent": "cursor", "scope": "user", "file": ${JSON.stringify(file)}, "name": "a", "inheritEnv": "safe" } // a\n  ]\n}\n`;
    await world.write('~/.holt/overrides.json', text);
    await turn('a', 'off');

    expect(await world.read('~/.holt/overrides.json')).toBe(
      text.replace('"safe" }', '"safe", "enabled": false }'),
    );
    expect(await world.definition('a')).toMatchObject({ enabled: false, launch: { inheritEnv: 'safe' } });
  });

  test('what an administrator switched off stays off', async () => {
    const definition = {
      ...(await managed()),
      enabled: false,
    };
    await expect(setEnabled(definition, 'on', world.parts)).rejects.toMatchObject({
      code: 'config-not-ours',
      message: '"x" is not changed: an administrator switched it off in /etc/holt/managed.json',
    });
    expect(await setEnabled(await managed(), 'off', world.parts)).toMatchObject({ how: 'override' });
  });

  async function managed() {
    await world.write('~/.holt/mcp.json', '{"mcpServers": {"x": {"command": "x"}}}');
    const definition = await world.definition('x');
    return {
      ...definition,
      origin: { ...definition.origin, scope: 'managed' as const, file: '/etc/holt/managed.json' },
    };
  }
});

describe('where the file is not ours to edit', () => {
  test('behind a link that leads out of its folder, holt alone is told', async () => {
    const text = '{"mcpServers": {"a": {"command": "a"}}}';
    const real = await world.write('~/dotfiles/mcp.json', text);
    await world.write('~/.holt/.gitignore', '*');
    await symlink(real, world.place('~/.holt/mcp.json'));

    expect(await turn('a', 'off')).toMatchObject({
      how: 'override',
      file: overridesFile(world.machine),
      notes: [
        `${world.place('~/.holt/mcp.json')} is reached through a link that leads out of its folder, to ${real}: only holt knows that it is off`,
      ],
    });
    expect([await isOn('a'), await readFile(real, 'utf8')]).toEqual([false, text]);
    await turn('a', 'on');
    expect(await isOn('a')).toBe(true);
  });

  test('an entry that an anchor stands for is left alone, and holt alone is told', async () => {
    const text = 'extensions:\n  a: &a\n    type: stdio\n    cmd: a\n    enabled: true\n  b: *a\n';
    const file = await world.write('~/.config/goose/config.yaml', text);
    expect(await turn('b', 'off')).toMatchObject({ how: 'override', outcome: 'created' });
    expect([await isOn('b'), await readFile(file, 'utf8')]).toEqual([false, text]);
  });

  test('a file that another program changed meanwhile is still refused', async () => {
    const file = await world.write('~/.holt/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}');
    const definition = await world.definition('a');
    await writeFile(file, '{"mcpServers": {"a": {"command": "b"}}}');
    await expect(setEnabled(definition, 'off', world.parts)).rejects.toMatchObject({
      details: { reason: 'changed' },
    });
  });
});

test('a server that was never off needs no word anywhere', async () => {
  const file = await world.write('~/.cursor/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}');
  expect(await turn('a', 'on')).toMatchObject({
    file,
    how: 'file',
    outcome: 'unchanged',
    notes: ['it was on already'],
  });
  await expect(overrides()).rejects.toThrow('ENOENT');
});
