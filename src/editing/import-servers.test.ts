import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { makeEditFixture, type EditFixture } from '../../tests/support/edit-fixture.ts';
import type { Roster } from '../roster/load-roster.ts';
import { applyImport, planImport, type ImportRequest } from './import-servers.ts';
import { undoLast } from './undo.ts';

let world: EditFixture;
beforeEach(async () => {
  world = await makeEditFixture();
});
afterEach(() => world[Symbol.asyncDispose]());

const plan = async (request: ImportRequest) =>
  planImport(request, { ...world.parts, roster: await world.roster() });
const entries = ({ entries: planned }: Awaited<ReturnType<typeof plan>>) =>
  planned.map(({ name, entry, lost }) => ({ name, entry, lost }));

const codex = `[mcp_servers.api]
url = "https://x.test/mcp"
bearer_token_env_var = "API_TOKEN"
startup_timeout_sec = 5

[mcp_servers.fs]
command = "fs-server"
args = ["--root", "\${HOME}"]
env_vars = ["TOKEN"]
enabled = false
required = true
`;

describe('what is copied', () => {
  test('entries in the other agent’s words; what is lost is named', async () => {
    await world.write('~/.codex/config.toml', codex);

    expect(entries(await plan({ from: 'codex', to: 'opencode' }))).toEqual([
      {
        name: 'api',
        entry: {
          type: 'remote',
          url: 'https://x.test/mcp',
          headers: { Authorization: 'Bearer {env:API_TOKEN}' },
          timeout: 5000,
        },
        lost: [],
      },
      {
        name: 'fs',
        entry: {
          type: 'local',
          command: ['fs-server', '--root', '${HOME}'],
          environment: { TOKEN: '{env:TOKEN}' },
          enabled: false,
        },
        lost: ['required'],
      },
    ]);
  });

  test('a text that would come to life in the other format is named', async () => {
    await world.write('~/.codex/config.toml', codex);
    const [fs] = entries(await plan({ from: 'codex', to: 'holt', names: ['fs'] }));
    expect(fs?.lost).toEqual(['args (reads differently there)', 'required']);
  });

  test('holt is the target unless another is named, and the user’s stay the user’s', async () => {
    await world.write(
      '~/.cursor/mcp.json',
      '{"mcpServers": {"a": {"command": "a", "env": {"T": "${env:T}"}}}}',
    );
    await world.write('.cursor/mcp.json', '{"mcpServers": {"b": {"command": "b"}}}');
    const planned = await plan({ from: 'cursor' });
    const reports = await applyImport(planned, world.parts);

    expect(reports.map(({ server, file, scope, entry }) => ({ server, file, scope, entry }))).toEqual([
      {
        server: 'a',
        file: world.place('~/.holt/mcp.json'),
        scope: 'user',
        entry: '{"command":"a","env":{"T":"${T}"}}',
      },
      { server: 'b', file: world.place('.holt/mcp.json'), scope: 'project', entry: '{"command":"b"}' },
    ]);
    const roster: Roster = await world.roster();
    expect(roster.servers.map(({ ref, definition }) => `${ref} ${definition.alsoIn.length}`)).toEqual([
      'a 1',
      'b 1',
    ]);
  });

  test('several entries are one write, and all files one thing to undo', async () => {
    await world.write('~/.codex/config.toml', codex);
    await world.write('.codex/config.toml', '[mcp_servers.own]\ncommand = "own"\n');
    await world.write('~/.holt/mcp.json', '{ "mcpServers": {} } // mine\n');
    await applyImport(await plan({ from: 'codex' }), world.parts);
    expect(
      Object.keys(JSON.parse((await world.read('~/.holt/mcp.json')).replace('// mine', '')).mcpServers),
    ).toEqual(['api', 'fs']);
    expect((await undoLast(world.parts)).files).toHaveLength(2);
    expect(await world.read('~/.holt/mcp.json')).toBe('{ "mcpServers": {} } // mine\n');
    await expect(undoLast(world.parts)).rejects.toMatchObject({ code: 'undo-empty' });
  });

  test('between files of one agent the entry stays as it is, unknown fields and all', async () => {
    await world.write(
      '~/.cursor/mcp.json',
      '{"mcpServers": {"a": {"command": "a", "x-note": {"b": 1}, "args": []}}}',
    );
    const planned = await plan({ from: 'cursor', to: 'cursor', scope: 'project' });
    expect(entries(planned)).toEqual([
      { name: 'a', entry: { command: 'a', 'x-note': { b: 1 }, args: [] }, lost: [] },
    ]);
  });

  test('the shared file counts for those who read it', async () => {
    await world.write('.mcp.json', '{"mcpServers": {"a": {"command": "a"}}}');
    expect(entries(await plan({ from: 'claude-code' })).map(({ name }) => name)).toEqual(['a']);
    expect(entries(await plan({ from: 'cursor' }))).toEqual([]);
  });

  test('a secret that would be committed is warned of', async () => {
    await world.write(
      '~/.cursor/mcp.json',
      '{"mcpServers": {"a": {"command": "a", "env": {"API_TOKEN": "abcdefgh12345678"}}}}',
    );
    const { entries: planned } = await plan({ from: 'cursor', scope: 'project' });
    expect(planned.map(({ shown, warnings }) => [shown, warnings])).toEqual([
      [
        '{"command":"a","env":{"API_TOKEN":"***"}}',
        [
          `the entry holds a secret as plain text, and ${world.place('.holt/mcp.json')} is meant to be committed: use a variable instead`,
        ],
      ],
    ]);
  });
});

describe('what is not copied', () => {
  test('a name that is there, a name holt does not write, a transport the target lacks: each with the reason', async () => {
    await world.write(
      '~/.claude.json',
      JSON.stringify({
        mcpServers: {
          'a b': { command: 'x' },
          live: { type: 'sse', url: 'https://x.test/sse' },
          there: { command: 'x' },
          fine: { command: 'x' },
        },
      }),
    );
    await world.write('~/.codex/config.toml', '[mcp_servers.there]\ncommand = "mine"\n');
    const planned = await plan({ from: 'claude-code', to: 'codex' });

    expect([entries(planned).map(({ name }) => name), planned.skipped]).toEqual([
      ['fine'],
      [
        {
          name: 'a b',
          reason: 'the name "a b" must be 1 to 100 letters, digits, dots, dashes or underscores',
        },
        { name: 'live', reason: 'Invalid server config: Codex cannot reach a server over sse' },
        { name: 'there', reason: `Server "there" already exists in ${world.place('~/.codex/config.toml')}` },
      ],
    ]);
    const replaced = await plan({ from: 'claude-code', to: 'codex', replace: true, names: ['there'] });
    expect(replaced.entries[0]).toMatchObject({ previous: { command: 'mine' }, entry: { command: 'x' } });
  });

  test('a project’s entry that is not approved does not become the user’s own', async () => {
    await world.write('.cursor/mcp.json', '{"mcpServers": {"evil": {"command": "evil"}}}');
    const planned = await plan({ from: 'cursor', scope: 'user' });
    expect(planned).toMatchObject({
      entries: [],
      skipped: [
        { name: 'evil', reason: `it comes from ${world.place('.cursor/mcp.json')} and is not approved` },
      ],
    });
    // Claude's local servers lie in the home folder and would run at once, too.
    expect((await plan({ from: 'cursor', to: 'claude-code', scope: 'local' })).entries).toEqual([]);
    expect((await plan({ from: 'cursor', scope: 'project' })).entries).toHaveLength(1);
  });

  test('a name that the agent does not have', async () => {
    await world.write('~/.cursor/mcp.json', '{"mcpServers": {"github": {"command": "a"}}}');
    await expect(plan({ from: 'cursor', names: ['githib'] })).rejects.toMatchObject({
      code: 'server-not-found',
      message: 'cursor has no server called "githib"',
      details: { server: 'githib', known: ['github'] },
      remedy: 'Did you mean "github"?',
    });
  });

  test('for an agent whose files holt only reads', async () => {
    await world.write('~/.cursor/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}');
    await expect(plan({ from: 'cursor', to: 'hermes' })).rejects.toMatchObject({
      code: 'agent-not-writable',
    });
  });

  test('from it, though, is fine', async () => {
    await world.write('~/.hermes/config.yaml', 'mcp_servers:\n  a:\n    command: a\n');
    await applyImport(await plan({ from: 'hermes' }), world.parts);
    expect(JSON.parse(await readFile(world.place('~/.holt/mcp.json'), 'utf8')).mcpServers).toEqual({
      a: { command: 'a' },
    });
  });
});

test('a server that is off and would come on elsewhere is told', async () => {
  await world.write('~/.codex/config.toml', '[mcp_servers.a]\ncommand = "a"\nenabled = false\n');
  const warnings = async (to: ImportRequest['to']) =>
    (await plan({ from: 'codex', to })).entries.flatMap((entry) => entry.warnings);
  expect(await warnings('cursor')).toContain(
    'it is switched off here, and Cursor has no word for that: there it will be on',
  );
  expect(await warnings('holt')).toEqual([]);
});
