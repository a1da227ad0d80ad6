import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { makeEditFixture, type EditFixture } from '../../tests/support/edit-fixture.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import { overridesFile } from '../roster/overrides.ts';
import { setEnabled } from './set-enabled.ts';
import { undoLast } from './undo.ts';

let world: EditFixture;
beforeEach(async () => {
  world = await makeEditFixture();
});
afterEach(() => world[Symbol.asyncDispose]());

const turn = async (ref: string, wanted: 'on' | 'off', agent?: AgentId) =>
  setEnabled(await world.definition(ref), wanted, world.parts, { agent });
const isOn = async (ref: string) => (await world.definition(ref)).enabled;
const entry = '{"command": "a"}';

interface ListCase {
  /** Where the server is defined. */
  readonly server: readonly [file: string, text: string];
  /** Where its agent keeps what is off: before, and with `Files` switched off. */
  readonly list: readonly [file: string, before: string, after: string];
}

const cases: Readonly<Record<string, () => ListCase>> = {
  'Copilot CLI’s list, with its comments': () => ({
    server: ['~/.copilot/mcp-config.json', `{"mcpServers": {"Files": ${entry}}}`],
    list: [
      '~/.copilot/settings.json',
      '{\n  // mine\n  "theme": "dark",\n  "disabledMcpServers": [\n    "other" // why\n  ]\n}\n',
      '{\n  // mine\n  "theme": "dark",\n  "disabledMcpServers": [\n    "other", // why\n    "Files"\n  ]\n}\n',
    ],
  }),
  'Gemini CLI’s file, where names have small letters': () => ({
    server: ['~/.gemini/settings.json', `{"mcpServers": {"Files": ${entry}}}`],
    list: [
      '~/.gemini/mcp-server-enablement.json',
      '{\n  "other": {\n    "enabled": false\n  }\n}\n',
      '{\n  "other": {\n    "enabled": false\n  },\n  "files": {\n    "enabled": false\n  }\n}\n',
    ],
  }),
  'Qwen Code’s list, in the file that defines the server': () => ({
    server: ['~/.qwen/settings.json', ''],
    list: [
      '~/.qwen/settings.json',
      `{\n  "mcpServers": {"Files": ${entry}}, // mine\n  "mcp": {"excluded": ["other"]}\n}\n`,
      `{\n  "mcpServers": {"Files": ${entry}}, // mine\n  "mcp": {"excluded": ["other", "Files"]}\n}\n`,
    ],
  }),
  'Claude Code’s list for the folder': () => ({
    server: ['~/.claude.json', ''],
    list: [
      '~/.claude.json',
      `{\n  "mcpServers": {"Files": ${entry}},\n  "projects": {\n    ${JSON.stringify(world.machine.projectRoot)}: {\n      "allowedTools": []\n    }\n  },\n  "numStartups": 7\n}\n`,
      `{\n  "mcpServers": {"Files": ${entry}},\n  "projects": {\n    ${JSON.stringify(world.machine.projectRoot)}: {\n      "allowedTools": [],\n      "disabledMcpServers": ["Files"]\n    }\n  },\n  "numStartups": 7\n}\n`,
    ],
  }),
};

describe.each(Object.entries(cases))('%s', (_what, make) => {
  test('gets the name and loses it again; undo takes both back byte for byte', async () => {
    const { server, list } = make();
    const [file, before, after] = list;
    if (server[1] !== '') await world.write(...server);
    const place = await world.write(file, before);

    expect(await turn('Files', 'off')).toMatchObject({ how: 'switch', file: place, outcome: 'changed' });
    expect([await world.read(file), await isOn('Files')]).toEqual([after, false]);
    expect(await turn('Files', 'off')).toMatchObject({ outcome: 'unchanged' });
    expect(await turn('Files', 'on')).toMatchObject({ how: 'switch', file: place });
    expect([await isOn('Files'), existsSync(overridesFile(world.machine))]).toEqual([true, false]);

    await undoLast(world.parts);
    expect([await world.read(file), await isOn('Files')]).toEqual([after, false]);
    await undoLast(world.parts);
    expect([await world.read(file), await isOn('Files')]).toEqual([before, true]);
  });
});

test('a list that is not there yet is made, and undo removes the file', async () => {
  await world.write('~/.gemini/settings.json', `{"mcpServers": {"a": ${entry}}}`);
  expect(await turn('a', 'off')).toMatchObject({
    how: 'switch',
    outcome: 'created',
    entry: '{"a":{"enabled":false}}',
  });
  expect(JSON.parse(await world.read('~/.gemini/mcp-server-enablement.json'))).toEqual({
    a: { enabled: false },
  });
  await undoLast(world.parts);
  expect(existsSync(world.place('~/.gemini/mcp-server-enablement.json'))).toBe(false);
});

test('Claude Code’s switch is for one folder, which the note says', async () => {
  await world.write('~/.claude.json', `{"mcpServers": {"a": ${entry}}}`);
  const { projectRoot } = world.machine;
  expect((await turn('a', 'off')).notes).toEqual([
    `Claude Code keeps this switch for each folder: "a" is off in ${projectRoot} only`,
  ]);
  expect(JSON.parse(await world.read('~/.claude.json')).projects).toEqual({
    [projectRoot]: { disabledMcpServers: ['a'] },
  });
});

describe('a server of the shared .mcp.json', () => {
  test('is rejected in Claude Code where that is in use, and holt has no override', async () => {
    const shared = await world.write('.mcp.json', `{"mcpServers": {"a": ${entry}}}`);
    await world.write('~/.claude.json', '{}');
    expect(await turn('a', 'off')).toMatchObject({
      how: 'switch',
      file: world.place('.claude/settings.local.json'),
      entry: '{"disabledMcpjsonServers":["a"]}',
      notes: [`"a" is rejected in Claude Code; other agents that read ${shared} still start it`],
    });
    expect(JSON.parse(await world.read('.claude/settings.local.json'))).toEqual({
      disabledMcpjsonServers: ['a'],
    });
    expect([await isOn('a'), existsSync(overridesFile(world.machine))]).toEqual([false, false]);
    await turn('a', 'on');
    expect([await isOn('a'), JSON.parse(await world.read('.claude/settings.local.json'))]).toEqual([
      true,
      { disabledMcpjsonServers: [] },
    ]);
  });

  test('gets holt’s override where Claude Code is not in use', async () => {
    await world.write('.mcp.json', `{"mcpServers": {"a": ${entry}}}`);
    expect(await turn('a', 'off')).toMatchObject({ how: 'override' });
    expect(existsSync(world.place('.claude'))).toBe(false);
  });

  test('goes on the list of the reader that is named', async () => {
    await world.write('.mcp.json', `{"mcpServers": {"a": ${entry}}}`);
    expect(await turn('a', 'off', 'copilot-cli')).toMatchObject({
      how: 'switch',
      file: world.place('~/.copilot/settings.json'),
    });
    // That is Copilot's state, not holt's.
    expect(await isOn('a')).toBe(true);
  });
});

describe('switching on', () => {
  test('turns every switch that says off, and clears holt’s override, as one thing to undo', async () => {
    const settings = `{"mcpServers": {"a": ${entry}}, "mcp": {"excluded": ["a"]}}`;
    const file = await world.write('~/.gemini/settings.json', settings);
    await world.write('~/.gemini/mcp-server-enablement.json', '{"a": {"enabled": false}}');
    const key = { agent: 'gemini', scope: 'user', file, name: 'a' };
    await world.write('~/.holt/overrides.json', JSON.stringify({ overrides: [{ ...key, enabled: false }] }));

    expect((await turn('a', 'on')).how).toBe('switch');
    expect(await isOn('a')).toBe(true);
    expect(await readFile(file, 'utf8')).toBe(`{"mcpServers": {"a": ${entry}}, "mcp": {"excluded": []}}`);
    expect(JSON.parse(await world.read('~/.gemini/mcp-server-enablement.json'))).toEqual({});
    expect(JSON.parse(await world.read('~/.holt/overrides.json'))).toEqual({ overrides: [] });

    await undoLast(world.parts);
    expect([await readFile(file, 'utf8'), await isOn('a')]).toEqual([settings, false]);
  });

  test('removes holt’s own override where the file says on already', async () => {
    const file = await world.write('~/.cursor/mcp.json', `{"mcpServers": {"a": ${entry}}}`);
    await turn('a', 'off');
    expect(await turn('a', 'on')).toMatchObject({
      how: 'override',
      notes: [`holt's own override is removed; ${file} says that it is on`],
    });
    expect(JSON.parse(await world.read('~/.holt/overrides.json')).overrides).toEqual([]);
    expect(await turn('a', 'on')).toMatchObject({ outcome: 'unchanged' });
  });

  test('falls back to an override where a list is of the only servers that are on', async () => {
    const text = `{"mcpServers": {"a": ${entry}}, "mcp": {"allowed": ["b"]}}`;
    await world.write('~/.gemini/settings.json', text);
    expect(await turn('a', 'on')).toMatchObject({ how: 'override' });
    expect([await isOn('a'), await world.read('~/.gemini/settings.json')]).toEqual([true, text]);
  });
});
