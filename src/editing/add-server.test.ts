import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { makeEditFixture, type EditFixture } from '../../tests/support/edit-fixture.ts';
import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';
import { applyAdd, planAdd, type AddRequest } from './add-server.ts';
import { undoLast } from './undo.ts';

let world: EditFixture;
beforeEach(async () => {
  world = await makeEditFixture();
});
afterEach(() => world[Symbol.asyncDispose]());

const fs = { name: 'fs', config: { command: 'fs-server', args: ['--root', '/tmp'] } };
const plan = (request: Partial<AddRequest> = {}) => planAdd({ ...fs, ...request }, world.parts);
const add = async (request: Partial<AddRequest> = {}) => applyAdd(await plan(request), world.parts);

describe('the plan', () => {
  test('says which file and shows the entry, and writes nothing', async () => {
    expect(await plan()).toMatchObject({
      name: 'fs',
      agent: 'holt',
      scope: 'project',
      file: world.place('.holt/mcp.json'),
      action: 'add',
      entry: { command: 'fs-server', args: ['--root', '/tmp'] },
      shown: '{"command":"fs-server","args":["--root","/tmp"]}',
      lost: [],
      warnings: [],
      notes: [],
    });
    await expect(stat(world.place('.holt'))).rejects.toThrow('ENOENT');
    await expect(stat(world.place('~/.holt'))).rejects.toThrow('ENOENT');
  });

  test('masks literal secrets and keeps placeholders', async () => {
    const config = {
      command: 'x',
      args: ['--token', 'hunter2hunter2', '--root', '/tmp', 'API_KEY=abcdefgh12345678'],
      env: {
        GITHUB_TOKEN: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
        OTHER_TOKEN: '${OTHER}',
        LOG: 'debug',
      },
    };
    const { shown, entry, holdsSecret } = await plan({ config, scope: 'user' });

    expect([JSON.parse(shown), holdsSecret]).toEqual([
      {
        command: 'x',
        args: ['--token', '***', '--root', '/tmp', 'API_KEY=***'],
        env: { GITHUB_TOKEN: '***', OTHER_TOKEN: '${OTHER}', LOG: 'debug' },
      },
      true,
    ]);
    expect(entry).toEqual(config);
  });

  test('a name that is there is refused in its own file, and a note elsewhere', async () => {
    await add();
    await expect(plan()).rejects.toMatchObject({
      code: 'server-exists',
      message: `Server "fs" already exists in ${world.place('.holt/mcp.json')}`,
      details: { server: 'fs', file: world.place('.holt/mcp.json') },
    });
    const roster = await world.roster();
    const user = await planAdd({ ...fs, scope: 'user' }, { ...world.parts, roster });
    expect(user.notes).toEqual([
      `"fs" is also defined in ${world.place('.holt/mcp.json')} (holt, project), which is not approved: until it is, the new entry comes first`,
    ]);
    const candidates = roster.candidates.map((one) => ({ ...one, trust: 'approved' as const }));
    const behind = await planAdd(
      { ...fs, scope: 'user' },
      { ...world.parts, roster: { ...roster, candidates } },
    );
    expect(behind.notes).toEqual([
      `"fs" is also defined in ${world.place('.holt/mcp.json')} (holt, project), which comes first: the new entry is shadowed`,
    ]);
    const local = await planAdd({ ...fs, agent: 'claude-code', scope: 'local' }, { ...world.parts, roster });
    expect(local.notes).toEqual([
      `"fs" is also defined in ${world.place('.holt/mcp.json')} (holt, project); the new entry comes first`,
    ]);
  });

  test.each([
    ['a name with odd characters', { name: 'a b' }, /^Invalid server config: the name "a b" must be/],
    ['a hostile name', { name: '../x' }, /^Invalid server config: the name/],
    [
      'both a command and a URL',
      { config: { command: 'x', url: 'https://x.test' } },
      /it has both "command" and a URL/,
    ],
    ['neither', { config: {} }, /it needs "command" or "url"/],
    ['no object', { config: 'x' }, /the config must be an object/],
    ['another scheme', { config: { url: 'file:///etc/passwd' } }, /cannot be used for http/],
    [
      'a wrong type',
      { config: { command: 'x', args: 'y' } },
      /"args" must be a list of strings, but is a string/,
    ],
  ])('%s is refused', async (_, request, message) => {
    await expect(plan(request)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringMatching(message),
    });
  });

  test('reserved names of objects are ordinary names', async () => {
    for (const name of ['__proto__', 'constructor']) await add({ name });
    const { servers } = await world.roster();

    expect(servers.map(({ ref }) => ref)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['command']).toBeUndefined(); // an object like any other
  });

  test('a secret that would be committed is warned of', async () => {
    const config = { command: 'x', env: { API_TOKEN: 'abcdefgh12345678' } };
    expect((await plan({ config })).warnings).toEqual([
      `the entry holds a secret as plain text, and ${world.place('.holt/mcp.json')} is meant to be committed: use a variable instead`,
    ]);
    expect((await plan({ config, scope: 'user' })).warnings).toEqual([]);
  });

  test('a local file that git would pick up is warned of', async () => {
    const file = world.place('.holt/mcp.local.json');
    expect((await plan({ scope: 'local' })).warnings).toEqual([
      `${file} is not git-ignored: add ".holt/mcp.local.json" to .gitignore`,
    ]);
    await world.write('.gitignore', '*.local.json\n');
    expect((await plan({ scope: 'local' })).warnings).toEqual([]);
    expect((await plan({ scope: 'local', agent: 'claude-code' })).warnings).toEqual([]);
  });

  test('what the agent will say about the entry is said before', async () => {
    expect((await plan({ agent: 'claude-code', name: 'workspace' })).warnings).toEqual([
      'Claude Code skips the reserved name "workspace"',
    ]);
    const config = { command: 'x', tools: { autoApprove: ['read'] } };
    expect((await plan({ agent: 'roo', config })).warnings).toEqual([
      'Roo Code cannot express: tools.autoApprove',
      '"alwaysAllow" in a project file does not count: holt asks before these tools are used',
    ]);
  });

  test('a file that the agent does not look at is not written', async () => {
    await using other = await makeEditFixture({ OPENCODE_DISABLE_PROJECT_CONFIG: '1' });
    await expect(planAdd({ ...fs, agent: 'opencode' }, other.parts)).rejects.toMatchObject({
      code: 'config-invalid',
      message: `${other.place('opencode.json')} was not changed: opencode does not look at it here`,
    });
  });

  test('T09: a linked file is refused before anybody is asked', async () => {
    await world.write('~/.config/x.json', '{}');
    await symlink(world.place('~/.config/x.json'), world.place('.mcp.json'));

    await expect(plan({ agent: 'claude-code' })).rejects.toMatchObject({
      details: { reason: 'link-outside-folder' },
    });
  });
});

describe('the write', () => {
  test('a new file of holt’s names its schema, which is there for the user’s', async () => {
    expect(await add({ scope: 'user' })).toEqual({
      server: 'fs',
      agent: 'holt',
      scope: 'user',
      file: world.place('~/.holt/mcp.json'),
      how: 'file',
      outcome: 'created',
      entry: '{"command":"fs-server","args":["--root","/tmp"]}',
      warnings: [],
      notes: [],
    });
    expect(await world.read('~/.holt/mcp.json')).toBe(
      '{\n  "$schema": "./cache/schemas/mcp.json",\n  "mcpServers": {\n    "fs": {\n      "command": "fs-server",\n      "args": ["--root", "/tmp"]\n    }\n  }\n}\n',
    );
    expect(JSON.parse(await world.read('~/.holt/cache/schemas/mcp.json'))).toMatchObject({
      title: 'Servers of holt',
    });
  });

  test('otter’s file as in the manual', async () => {
    expect(await add({ agent: 'chimera-otter' })).toMatchObject({
      file: world.place('.opencode/config.json'),
      entry: '{"type":"local","command":["fs-server","--root","/tmp"]}',
    });
  });

  test('T82: a file of the user’s that others can read becomes private with its first secret', async () => {
    await world.write('~/.cursor/mcp.json', '{"mcpServers": {}}', 0o644);
    await add({ agent: 'cursor', scope: 'user' });
    expect(await world.modeOf('~/.cursor/mcp.json')).toBe(0o644);
    const secret = { command: 'x', env: { API_TOKEN: 'abcdefgh12345678' } };
    const { notes } = await add({ agent: 'cursor', scope: 'user', name: 'secret', config: secret });

    expect(notes).toEqual([
      `${world.place('~/.cursor/mcp.json')} could be read by others and holds a secret: it is now private (0600)`,
    ]);
    expect(await world.modeOf('~/.cursor/mcp.json')).toBe(0o600);
  });

  test('a project’s file keeps its mode even then', async () => {
    await world.write('.mcp.json', '{"mcpServers": {}}', 0o644);
    const config = { command: 'x', env: { API_TOKEN: 'abcdefgh12345678' } };
    expect((await add({ agent: 'claude-code', config })).notes).toEqual([]);
    expect(await world.modeOf('.mcp.json')).toBe(0o644);
  });

  test('a name that appeared meanwhile is refused', async () => {
    const planned = await plan();
    await add();
    await expect(applyAdd(planned, world.parts)).rejects.toMatchObject({ code: 'server-exists' });
  });

  test('a place that moved meanwhile is not written to', async () => {
    const planned = await plan({ agent: 'opencode' });
    const text = '{"mcp": {"servers": {"a": {"type": "local", "command": ["a"]}}}}';
    const file = await world.write('opencode.json', text);
    await expect(applyAdd(planned, world.parts)).rejects.toMatchObject({
      details: { file, reason: 'changed' },
    });
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('other entries that appeared meanwhile stay', async () => {
    const planned = await plan();
    await add({ name: 'other' });
    await applyAdd(planned, world.parts);
    expect((await world.roster()).servers.map(({ ref }) => ref)).toEqual(['fs', 'other']);
  });
});

describe('--replace', () => {
  const text =
    '{\n  "mcpServers": {\n    // the files\n    "fs": {\n      "command": "old", // a program\n      "env": { "A": "1" }\n    },\n    "z": { "command": "z" }\n  }\n}\n';

  test('rewrites an entry in place and keeps its comments', async () => {
    const file = await world.write('.holt/mcp.json', text);
    const planned = await plan({ replace: true });
    expect(planned).toMatchObject({ action: 'replace', previous: { command: 'old', env: { A: '1' } } });
    await applyAdd(planned, world.parts);

    expect(await readFile(file, 'utf8')).toBe(
      '{\n  "mcpServers": {\n    // the files\n    "fs": {\n      "command": "fs-server", // a program\n      "args": ["--root", "/tmp"]\n    },\n    "z": { "command": "z" }\n  }\n}\n',
    );
    await undoLast(world.parts);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('an entry that changed since the plan is not overwritten', async () => {
    const file = await world.write('.holt/mcp.json', text);
    const planned = await plan({ replace: true });
    const changed = text.replace('"old"', '"mine"');
    await writeFile(file, changed);

    await expect(applyAdd(planned, world.parts)).rejects.toMatchObject({
      code: 'config-unwritable',
      message: `${file} was changed by another program meanwhile; nothing was written`,
    });
    expect(await readFile(file, 'utf8')).toBe(changed);
  });

  test('an entry that is not there is added', async () => {
    expect((await plan({ replace: true })).action).toBe('add');
  });

  test('an item of a list', async () => {
    const list = 'name: x\nmcpServers:\n  - name: fs # mine\n    command: old\n  - name: z\n    command: z\n';
    await world.write('~/.continue/config.yaml', list);
    await add({ agent: 'continue', scope: 'user', replace: true });
    expect(await world.read('~/.continue/config.yaml')).toBe(
      'name: x\nmcpServers:\n  - name: fs # mine\n    command: fs-server\n    args:\n      - --root\n      - /tmp\n  - name: z\n    command: z\n',
    );
  });
});

describe('add-json', () => {
  const raw = (config: unknown, more: Partial<AddRequest> = {}) => plan({ config, raw: true, ...more });

  test('keeps every field of holt’s own, known or not', async () => {
    const config = { command: 'x', sharing: 'private', 'x-note': 1 };
    expect(await raw(config)).toMatchObject({ entry: config, lost: [] });
  });

  test('takes an entry of the target’s own kind as it is', async () => {
    const config = { type: 'local', command: ['x', 'y'], environment: { A: '{env:A}' }, 'x-note': 1 };
    expect(await raw(config, { agent: 'opencode' })).toMatchObject({ entry: config, lost: [] });
    const codex = { command: 'x', env_vars: ['TOKEN'], required: true };
    expect(await raw(codex, { agent: 'codex' })).toMatchObject({ entry: codex, lost: [] });
  });

  test('turns Claude’s shape into the target’s, and names what is lost', async () => {
    const config = { command: 'x', args: ['y'], env: { A: '${A}' }, alwaysLoad: true };
    expect(await raw(config, { agent: 'opencode' })).toMatchObject({
      entry: { type: 'local', command: ['x', 'y'], environment: { A: '{env:A}' } },
      lost: ['alwaysLoad'],
      warnings: ['opencode cannot express: alwaysLoad'],
    });
    const remote = { type: 'http', url: 'https://x.test', headers: { 'X-A': 'b' } };
    expect((await raw(remote, { agent: 'codex' })).entry).toEqual({
      url: 'https://x.test',
      http_headers: { 'X-A': 'b' },
    });
  });

  test('turns opencode’s shape into holt’s', async () => {
    expect((await raw({ type: 'local', command: ['x', 'y'] })).entry).toEqual({ command: 'x', args: ['y'] });
  });

  test('an item of a list gets its name', async () => {
    await world.write('~/.continue/config.yaml', 'name: x\n');
    expect((await raw({ command: 'x' }, { agent: 'continue', scope: 'user' })).entry).toEqual({
      name: 'fs',
      command: 'x',
    });
  });

  test.each([[null], ['text'], [[]], [{ command: ['x'] }], [{ command: 'x', enabled: 'yes' }]])(
    '%j is refused',
    async (config) => {
      await expect(raw(config)).rejects.toMatchObject({
        code: 'config-invalid',
        message: expect.stringMatching(/^Invalid server config: /),
      });
    },
  );
});

describe('--token', () => {
  const remote = { name: 'api', config: { url: 'https://x.test/mcp' }, token: 'secret-token-1234567890' };
  const memoryStore = (records: Map<string, CredentialRecord>): CredentialStore => ({
    get: async (id) => records.get(id),
    set: async (id, record) => void records.set(id, record),
    delete: async (id) => void records.delete(id),
    list: async () => Array.from(records, ([id, record]) => ({ id, record })),
  });
  const stored = { serverUrl: 'https://x.test/mcp', tokens: { access: remote.token } };

  test('goes to the credential store, and the entry names it', async () => {
    const records = new Map<string, CredentialRecord>();
    const parts = { ...world.parts, credentials: memoryStore(records) };
    const planned = await planAdd(remote, parts);
    expect([planned.shown, records.size, planned.warnings]).toEqual([
      '{"type":"http","url":"https://x.test/mcp","auth":{"type":"oauth","credentialId":"mcp:api"}}',
      0,
      [],
    ]);
    const report = await applyAdd(planned, parts);

    expect(records).toEqual(new Map([['mcp:api', stored]]));
    expect([await readFile(report.file, 'utf8'), report.entry].join()).not.toContain(remote.token);
  });

  test('does not overwrite the login of another server of that name', async () => {
    const other = { serverUrl: 'https://other.test', tokens: { access: 'other' } };
    const records = new Map([['mcp:api', other]]);
    const parts = { ...world.parts, credentials: memoryStore(records) };
    await applyAdd(await planAdd(remote, parts), parts);

    expect(records).toEqual(
      new Map([
        ['mcp:api', other],
        ['mcp:api#2', stored],
      ]),
    );
    expect((await world.definition('api')).auth).toEqual({ type: 'oauth', credentialId: 'mcp:api#2' });
  });

  test('is forgotten again when the entry cannot be written', async () => {
    const records = new Map<string, CredentialRecord>();
    const parts = { ...world.parts, credentials: memoryStore(records) };
    const planned = await planAdd(remote, parts);
    await add({ name: 'api' });
    await expect(applyAdd(planned, parts)).rejects.toMatchObject({ code: 'server-exists' });

    expect(records.size).toBe(0);
  });

  test('becomes a header elsewhere, masked and with a warning', async () => {
    const planned = await planAdd({ ...remote, agent: 'cursor', scope: 'user' }, world.parts);
    expect([planned.entry, planned.shown, planned.warnings]).toEqual([
      { url: 'https://x.test/mcp', headers: { Authorization: `Bearer ${remote.token}` } },
      '{"url":"https://x.test/mcp","headers":{"Authorization":"Bearer ***"}}',
      [
        `the token is in ${world.place('~/.cursor/mcp.json')} as plain text: Cursor has no store that holt can use`,
      ],
    ]);
  });

  test('needs a URL, and no line breaks', async () => {
    await expect(plan({ token: 'x' })).rejects.toMatchObject({
      code: 'usage-invalid',
      message: '--token requires --url (HTTP/SSE transport).',
    });
    await expect(planAdd({ ...remote, token: 'a\r\nX-Evil: 1' }, world.parts)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.not.stringContaining('Evil'),
    });
  });
});
