import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { makeEditFixture, type EditFixture } from '../../../tests/support/edit-fixture.ts';
import type { AgentId } from '../../kernel/agent-ids.ts';
import { planAdd } from '../add-server.ts';

let world: EditFixture;
beforeAll(async () => {
  world = await makeEditFixture();
});
afterAll(() => world[Symbol.asyncDispose]());

const entryFor = async (agent: AgentId, config: object): Promise<string> =>
  JSON.stringify((await planAdd({ name: 'fs', config, agent, scope: 'user' }, world.parts)).entry);
const lostFor = async (agent: AgentId, config: object): Promise<readonly string[]> =>
  (await planAdd({ name: 'fs', config, agent, scope: 'user' }, world.parts)).lost;

const program = { command: 'fs-server', args: ['--root', '/tmp'] };
const plain = '{"command":"fs-server","args":["--root","/tmp"]}';

describe('a program, as each agent writes it', () => {
  test.each<[AgentId, string]>([
    ['holt', plain],
    ['claude-code', plain],
    ['mcp-json', plain],
    ['chimera-otter', '{"type":"local","command":["fs-server","--root","/tmp"]}'],
    ['opencode', '{"type":"local","command":["fs-server","--root","/tmp"]}'],
    ['omp', plain],
    ['cursor', plain],
    ['vscode', '{"type":"stdio","command":"fs-server","args":["--root","/tmp"]}'],
    ['codex', plain],
    ['gemini', plain],
    ['windsurf', plain],
    ['zed', plain],
    ['cline', plain],
    ['roo', plain],
    ['goose', '{"name":"fs","type":"stdio","cmd":"fs-server","args":["--root","/tmp"],"enabled":true}'],
    ['continue', plain],
    ['amp', plain],
    ['copilot-cli', '{"type":"local","command":"fs-server","args":["--root","/tmp"]}'],
    ['kiro', plain],
  ])('%s: %s', async (agent, entry) => {
    expect(await entryFor(agent, program)).toBe(entry);
  });
});

describe('the switch, and the limit of a call in each agent’s unit', () => {
  const config = { command: 'x', enabled: false, timeout: 60_000 };

  test.each<[AgentId, string]>([
    ['holt', '{"command":"x","timeout":60000,"enabled":false}'],
    ['chimera-otter', '{"type":"local","command":["x"],"timeout_ms":60000,"enabled":false}'],
    ['omp', '{"command":"x","timeout":60000,"enabled":false}'],
    ['codex', '{"command":"x","tool_timeout_sec":60,"enabled":false}'],
    ['windsurf', '{"command":"x","disabled":true}'],
    ['zed', '{"command":"x","timeout":60,"enabled":false}'],
    ['cline', '{"command":"x","timeout":60,"disabled":true}'],
    ['roo', '{"command":"x","timeout":60,"disabled":true}'],
    ['goose', '{"name":"fs","type":"stdio","cmd":"x","timeout":60,"enabled":false}'],
    ['kiro', '{"command":"x","timeout":60000,"disabled":true}'],
    ['amp', '{"command":"x","disabled":true}'],
    ['gemini', '{"command":"x","timeout":60000}'],
    ['copilot-cli', '{"type":"local","command":"x","timeout":60000}'],
  ])('%s: %s', async (agent, entry) => {
    expect(await entryFor(agent, config)).toBe(entry);
  });

  test('an agent without a switch in its file says so', async () => {
    expect(await lostFor('cursor', config)).toEqual(['enabled', 'timeouts.idleMs']);
  });

  test('a part of a second is rounded up, and that is said', async () => {
    const short = { command: 'x', timeout: 1500 };
    expect(await entryFor('zed', short)).toBe('{"command":"x","timeout":2}');
    expect(await lostFor('zed', short)).toEqual(['timeouts.idleMs (1500 ms becomes 2000 ms)']);
  });

  test('a limit the agent ignores is not written', async () => {
    const short = { command: 'x', timeout: 500 };
    expect(await entryFor('claude-code', short)).toBe('{"command":"x"}');
    expect(await lostFor('claude-code', short)).toEqual(['timeouts.idleMs']);
  });
});

describe('a URL with headers, placeholders in each agent’s spelling', () => {
  const config = { url: 'https://x.test/mcp', headers: { Authorization: 'Bearer ${TOKEN}', 'X-Team': 'a' } };
  const braces = '"headers":{"Authorization":"Bearer ${TOKEN}","X-Team":"a"}';
  const prefixed = '"headers":{"Authorization":"Bearer ${env:TOKEN}","X-Team":"a"}';

  test.each<[AgentId, string]>([
    ['holt', `{"type":"http","url":"https://x.test/mcp",${braces}}`],
    ['claude-code', `{"type":"http","url":"https://x.test/mcp",${braces}}`],
    ['chimera-otter', `{"type":"remote","url":"https://x.test/mcp",${braces}}`],
    [
      'opencode',
      '{"type":"remote","url":"https://x.test/mcp","headers":{"Authorization":"Bearer {env:TOKEN}","X-Team":"a"}}',
    ],
    ['omp', `{"type":"http","url":"https://x.test/mcp",${braces}}`],
    ['cursor', `{"url":"https://x.test/mcp",${prefixed}}`],
    ['vscode', `{"type":"http","url":"https://x.test/mcp",${prefixed}}`],
    ['codex', '{"url":"https://x.test/mcp","bearer_token_env_var":"TOKEN","http_headers":{"X-Team":"a"}}'],
    ['gemini', `{"httpUrl":"https://x.test/mcp",${braces}}`],
    ['windsurf', `{"serverUrl":"https://x.test/mcp",${prefixed}}`],
    ['zed', `{"url":"https://x.test/mcp",${braces}}`],
    ['cline', `{"type":"streamableHttp","url":"https://x.test/mcp",${prefixed}}`],
    ['roo', `{"type":"streamable-http","url":"https://x.test/mcp",${prefixed}}`],
    ['goose', `{"name":"fs","type":"streamable_http","uri":"https://x.test/mcp",${braces},"enabled":true}`],
    ['continue', `{"type":"http","url":"https://x.test/mcp",${braces}}`],
    ['amp', `{"url":"https://x.test/mcp",${braces}}`],
    ['copilot-cli', `{"type":"http","url":"https://x.test/mcp",${braces}}`],
    ['kiro', `{"url":"https://x.test/mcp",${braces}}`],
  ])('%s: %s', async (agent, entry) => {
    expect(await entryFor(agent, config)).toBe(entry);
  });

  test('where nobody fills a placeholder in, that is said', async () => {
    expect(await lostFor('zed', config)).toEqual([
      'headers.Authorization (the placeholder is plain text there)',
    ]);
    expect(await lostFor('codex', config)).toEqual([]);
  });
});

describe('the headers of Codex that name a variable', () => {
  const url = 'https://x.test/mcp';

  test('the case of Authorization says nothing', async () => {
    const config = { url, headers: { authorization: 'Bearer ${TOKEN}' } };
    expect(await entryFor('codex', config)).toBe(`{"url":"${url}","bearer_token_env_var":"TOKEN"}`);
    expect(await lostFor('codex', config)).toEqual([]);
  });

  test('an Authorization whose whole value is in a variable does not become a bearer token', async () => {
    const config = { url, headers: { Authorization: '${LOGIN}' } };
    const entry = `{"url":"${url}","env_http_headers":{"Authorization":"LOGIN"}}`;
    expect(await entryFor('codex', config)).toBe(entry);
    expect(await lostFor('codex', config)).toEqual([]);
  });
});

describe('other fields', () => {
  test('Codex names variables in fields of their own, as far as it can', async () => {
    const config = { command: 'x', env: { TOKEN: '${TOKEN}', OTHER: '${TOKEN}', LOG: 'debug' } };
    expect(await entryFor('codex', config)).toBe(
      '{"command":"x","env":{"OTHER":"${TOKEN}","LOG":"debug"},"env_vars":["TOKEN"]}',
    );
    expect(await lostFor('codex', config)).toEqual(['env.OTHER (the placeholder is plain text there)']);
  });

  test('what is known about a login goes where each agent keeps it', async () => {
    const oauth = { clientId: 'id', clientSecret: '${SECRET}', scopes: ['a', 'b'], callbackPort: 9 };
    const config = { url: 'https://x.test', oauth };
    expect(await entryFor('opencode', config)).toBe(
      '{"type":"remote","url":"https://x.test","oauth":{"clientId":"id","clientSecret":"{env:SECRET}","callbackPort":9,"scope":"a b"}}',
    );
    expect(await entryFor('cursor', config)).toBe(
      '{"url":"https://x.test","auth":{"CLIENT_ID":"id","CLIENT_SECRET":"${env:SECRET}","scopes":["a","b"]}}',
    );
    expect(await entryFor('codex', config)).toBe(
      '{"url":"https://x.test","oauth":{"client_id":"id","callback_port":9},"scopes":["a","b"]}',
    );
    expect(await entryFor('copilot-cli', config)).toBe(
      '{"type":"http","url":"https://x.test","oauthClientId":"id"}',
    );
    expect(await lostFor('claude-code', config)).toEqual(['oauth.clientSecret']);
    expect(await lostFor('cursor', config)).toEqual(['oauth.callbackPort']);
  });

  test('a login that is switched off is written where the agent has a word for it', async () => {
    const config = { url: 'https://x.test', oauth: false };
    expect(await entryFor('opencode', config)).toBe('{"type":"remote","url":"https://x.test","oauth":false}');
    expect(await lostFor('cursor', config)).toEqual(['oauth']);
  });

  test('filters of tools', async () => {
    const config = { command: 'x', tools: { include: ['a'], exclude: ['b'], autoApprove: ['c'] } };
    expect(await entryFor('holt', config)).toBe(
      '{"command":"x","tools":{"include":["a"],"exclude":["b"],"autoApprove":["c"]}}',
    );
    expect(await entryFor('gemini', config)).toBe(
      '{"command":"x","includeTools":["a"],"excludeTools":["b"]}',
    );
    expect(await lostFor('gemini', config)).toEqual(['tools.autoApprove']);
    expect(await entryFor('copilot-cli', config)).toBe(
      '{"type":"local","command":"x","tools":["a"],"excludeTools":["b"]}',
    );
  });

  test('a transport that the agent finds out by itself reads differently, and that is said', async () => {
    const config = { type: 'sse', url: 'https://x.test/sse' };
    expect(await lostFor('cursor', config)).toEqual(['transport (sse reads as http there)']);
    expect(await lostFor('cline', config)).toEqual([]);
  });

  test('a transport that the agent does not have is refused', async () => {
    const config = { type: 'sse', url: 'https://x.test/sse' };
    await expect(entryFor('codex', config)).rejects.toMatchObject({
      code: 'config-invalid',
      message: 'Invalid server config: Codex cannot reach a server over sse',
    });
    await expect(entryFor('claude-desktop', { url: 'https://x.test' })).rejects.toMatchObject({
      code: 'config-invalid',
    });
    await expect(entryFor('cursor', { url: 'wss://x.test' })).rejects.toMatchObject({
      code: 'config-invalid',
    });
  });

  test('placeholders that are typed in the agent’s own spelling stay as they are', async () => {
    expect(await entryFor('cursor', { command: 'x', args: ['${workspaceFolder}', '${env:A}', '${B}'] })).toBe(
      '{"command":"x","args":["${workspaceFolder}","${env:A}","${env:B}"]}',
    );
    expect(await entryFor('opencode', { command: 'x', env: { A: '{file:~/a}' } })).toBe(
      '{"type":"local","command":["x"],"environment":{"A":"{file:~/a}"}}',
    );
  });

  test('what only holt runs is named when it goes elsewhere', async () => {
    const config = { command: 'x', env: { TOKEN: '!pass show token' }, inheritEnv: 'safe' };
    expect(await lostFor('cursor', config)).toEqual(['env.TOKEN (reads differently there)', 'inheritEnv']);
    expect(await lostFor('holt', config)).toEqual([]);
  });
});
