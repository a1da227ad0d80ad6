import { expect, test } from 'vitest';

import { makeMachine, readAgent, type AgentCase } from '../../tests/support/agent-machine.ts';
import { defined, program, remote } from '../../tests/support/golden-file.ts';
import { agentIds, type AgentId } from '../kernel/agent-ids.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { AgentFormat } from './agent-format.ts';
import { tableAgents } from './agent-table.ts';

/** Files of one agent, and all that is to be read from them, best first. */
interface Golden {
  readonly files: AgentCase['files'];
  readonly servers: readonly (Partial<ServerDefinition> & Pick<ServerDefinition, 'name' | 'launch'>)[];
}

const json = (value: object): string => JSON.stringify(value);
const both = json({
  mcpServers: {
    run: { command: 'run-mcp', args: ['-x'], env: { A: '${A}' }, cwd: '/srv' },
    web: { type: 'sse', url: 'https://web.example/sse', headers: { 'X-Key': 'k' }, disabled: true },
  },
});
const run = { name: 'run', launch: program('run-mcp', ['-x'], { env: { A: '${A}' }, cwd: '/srv' }) };
const web = {
  name: 'web',
  launch: remote('sse', 'https://web.example/sse', { headers: { 'X-Key': 'k' } }),
  enabled: false,
};

const golden: Readonly<Partial<Record<AgentId, Golden>>> = {
  augment: {
    files: {
      './.augment/settings.local.json': json({
        mcpServers: { a: { url: 'https://a.example/mcp', clientId: 'c' } },
      }),
      '~/.augment/settings.json': both,
    },
    servers: [
      {
        name: 'a',
        launch: remote('http', 'https://a.example/mcp', { oauth: { clientId: 'c' } }),
        guarded: true,
      },
      web,
      run,
    ],
  },
  codearts: {
    files: {
      './.codeartsdoer/mcp/mcp_settings.json': json({
        mcpServers: { a: { transportType: 'sse', url: 'https://a.example/sse' } },
      }),
    },
    servers: [{ name: 'a', launch: remote('sse', 'https://a.example/sse'), guarded: true }],
  },
  codebuddy: {
    files: {
      '~/.codebuddy/.mcp.json': json({
        mcpServers: { a: { command: 'a' }, b: { command: 'b' } },
        disabledMcpServers: ['b'],
      }),
    },
    servers: [
      { name: 'b', launch: program('b'), enabled: false },
      { name: 'a', launch: program('a') },
    ],
  },
  'command-code': {
    files: {
      '~/.commandcode/mcp.json': json({
        mcpServers: { a: { transport: 'http', url: 'https://a.example/mcp', enabled: false } },
      }),
    },
    servers: [{ name: 'a', launch: remote('http', 'https://a.example/mcp'), enabled: false }],
  },
  'cortex-code': { files: { '~/.snowflake/cortex/mcp.json': both }, servers: [web, run] },
  deepagents: {
    files: {
      '~/.deepagents/.mcp.json': both,
      './.deepagents/.mcp.json': json({ mcpServers: { a: { command: 'a' } } }),
    },
    servers: [{ name: 'a', launch: program('a'), guarded: true }, web, run],
  },
  enconvo: { files: { '~/.config/enconvo/mcp_config.json': both }, servers: [web, run] },
  fx: {
    files: {
      '~/.fx/mcp.json': json({
        mcp: {
          run: { type: 'local', command: ['npx', '-y', 'run-mcp'], environment: { A: '1' } },
          web: {
            type: 'http',
            url: 'https://web.example/mcp',
            bearer_token_env: 'WEB_TOKEN',
            header_env: { 'X-User': 'WEB_USER' },
          },
        },
      }),
    },
    servers: [
      {
        name: 'web',
        launch: remote('http', 'https://web.example/mcp', {
          headersFrom: {
            Authorization: { variable: 'WEB_TOKEN', prefix: 'Bearer ', suffix: '' },
            'X-User': { variable: 'WEB_USER', prefix: '', suffix: '' },
          },
        }),
      },
      { name: 'run', launch: program('npx', ['-y', 'run-mcp'], { env: { A: '1' } }) },
    ],
  },
  'grok-build': {
    files: {
      '~/.grok/config.toml': `[mcp_servers.run]
command = "run-mcp"
args = ["-x"]
env = { A = "\${A:-1}" }
startup_timeout_sec = 30
tool_timeout_sec = 6000
`,
      './.grok/config.toml': `[mcp_servers.web]
url = "https://web.example/mcp"
headers = { X-Session = "{{session_id}}" }
enabled = false
`,
    },
    servers: [
      {
        name: 'web',
        launch: remote('http', 'https://web.example/mcp', { headers: { 'X-Session': '{{session_id}}' } }),
        enabled: false,
        guarded: true,
        dialect: 'grok',
      },
      {
        name: 'run',
        launch: program('run-mcp', ['-x'], { env: { A: '${A:-1}' } }),
        timeouts: { startMs: 30_000, idleMs: 6_000_000 },
        dialect: 'grok',
      },
    ],
  },
  hermes: {
    files: {
      '~/.hermes/config.yaml': `mcp_servers:
  hermes1: { command: h-mcp, timeout: 60, connect_timeout: 10, enabled: true, tools: { include: [a], exclude: [b] } }
  hermes2:
    httpUrl: https://h.example/mcp
    headers: { X-Key: k }
    enabled: false
    auth: oauth
    client_cert: /etc/h.pem
    client_key: /etc/h.key
    oauth: { client_id: h, scope: read write }
`,
    },
    servers: [
      {
        name: 'hermes2',
        launch: remote('http', 'https://h.example/mcp', {
          headers: { 'X-Key': 'k' },
          oauth: { clientId: 'h', scopes: ['read', 'write'] },
          tls: { certFile: '/etc/h.pem', keyFile: '/etc/h.key' },
        }),
        enabled: false,
      },
      {
        name: 'hermes1',
        launch: program('h-mcp'),
        timeouts: { startMs: 10_000, idleMs: 60_000 },
        tools: { include: ['a'], exclude: ['b'] },
      },
    ],
  },
  'iac-code': {
    files: { '~/.iac-code/settings.yml': 'theme: dark\nmcpServers:\n  run: { command: run-mcp }\n' },
    servers: [{ name: 'run', launch: program('run-mcp') }],
  },
  'ibm-bob': {
    files: {
      './.bob/mcp.json': json({
        mcpServers: {
          s: { url: 'https://b.example/sse' },
          h: { httpURL: 'https://b.example/mcp', clientId: 'c', scopes: ['r'] },
        },
      }),
    },
    servers: [
      {
        name: 'h',
        launch: remote('http', 'https://b.example/mcp', { oauth: { clientId: 'c', scopes: ['r'] } }),
        guarded: true,
      },
      { name: 's', launch: remote('sse', 'https://b.example/sse'), guarded: true },
    ],
  },
  'kimi-code': {
    files: {
      '~/.kimi-code/mcp.json':
        '{ "mcpServers": { "k": { "url": "https://k.example/mcp", "bearerTokenEnvVar": "KT", "enabled": false, "toolTimeoutMs": 45000 } } }',
      './.kimi-code/mcp.json': json({
        mcpServers: {
          p: {
            command: 'p-mcp',
            startupTimeoutMs: 9000,
            enabledTools: ['a'],
            disabledTools: ['b'],
            executor: 'host',
          },
          s: { transport: 'sse', url: 'https://s.example/sse', auth: 'oauth' },
        },
      }),
    },
    servers: [
      { name: 's', launch: remote('sse', 'https://s.example/sse'), guarded: true },
      {
        name: 'p',
        launch: program('p-mcp'),
        timeouts: { startMs: 9000 },
        tools: { include: ['a'], exclude: ['b'] },
        guarded: true,
      },
      {
        name: 'k',
        launch: remote('http', 'https://k.example/mcp', {
          headersFrom: { Authorization: { variable: 'KT', prefix: 'Bearer ', suffix: '' } },
        }),
        enabled: false,
        timeouts: { idleMs: 45_000 },
      },
    ],
  },
  'mastra-code': { files: { '~/.mastracode/mcp.json': both }, servers: [web, run] },
  'mistral-vibe': {
    files: {
      '~/.vibe/config.toml': `[[mcp_servers]]
name = "v1"
transport = "streamable-http"
url = "https://v.example/mcp"
api_key_env = "K"
api_key_header = "X-Key"
api_key_format = "Token {token}"

[[mcp_servers]]
name = "v2"
transport = "http"
url = "https://w.example/mcp"
api_key_env = "W"
disabled = true

[[mcp_servers]]
name = "v3"
transport = "stdio"
command = "v-mcp"
args = ["-x"]
env = { A = "1" }
cwd = "/srv"
startup_timeout_sec = 5
tool_timeout_sec = 60
disabled_tools = ["wipe"]
`,
    },
    servers: [
      {
        name: 'v3',
        launch: program('v-mcp', ['-x'], { env: { A: '1' }, cwd: '/srv' }),
        timeouts: { startMs: 5000, idleMs: 60_000 },
        tools: { exclude: ['wipe'] },
      },
      {
        name: 'v2',
        launch: remote('http', 'https://w.example/mcp', {
          headersFrom: { Authorization: { variable: 'W', prefix: 'Bearer ', suffix: '' } },
        }),
        enabled: false,
      },
      {
        name: 'v1',
        launch: remote('http', 'https://v.example/mcp', {
          headersFrom: { 'X-Key': { variable: 'K', prefix: 'Token ', suffix: '' } },
        }),
      },
    ],
  },
  'muse-code': {
    files: {
      '~/.config/muse/settings.json': json({
        mcp_servers: {
          h: { transport: 'streamable_http', url: 'https://h.example/mcp', mode: 'auto' },
          s: { transport: 'stdio', command: 's-mcp', enabled: false },
        },
      }),
    },
    servers: [
      { name: 's', launch: program('s-mcp'), enabled: false },
      { name: 'h', launch: remote('http', 'https://h.example/mcp') },
    ],
  },
  openclaw: {
    files: {
      '~/.openclaw/openclaw.json':
        '{ // liberal\n"mcp": { "servers": { "a": { "command": "a-mcp", "workingDirectory": "/srv" }, } } }',
    },
    servers: [{ name: 'a', launch: program('a-mcp', [], { cwd: '/srv' }) }],
  },
  openhands: {
    files: {
      '~/.openhands/config.toml': `[mcp]
shttp_servers = ["https://one.example/mcp", { url = "https://two.example/mcp", api_key = "hush" }, "https://one.example/other"]
sse_servers = ["https://three.example:8443/sse"]
stdio_servers = [{ name = "s", command = "s-mcp", args = ["--y"], env = { A = "1" } }]
`,
      '~/.openhands/mcp.json': both,
    },
    servers: [
      web,
      run,
      { name: 'three.example:8443', launch: remote('sse', 'https://three.example:8443/sse') },
      { name: 'one.example-2', launch: remote('http', 'https://one.example/other') },
      {
        name: 'two.example',
        launch: remote('http', 'https://two.example/mcp', { headers: { Authorization: 'Bearer hush' } }),
      },
      { name: 'one.example', launch: remote('http', 'https://one.example/mcp') },
      { name: 's', launch: program('s-mcp', ['--y'], { env: { A: '1' } }) },
    ],
  },
  qoder: { files: { '~/.qoder/settings.json': both }, servers: [web, run] },
  reasonix: {
    files: {
      '~/.reasonix/config.toml': `[[plugins]]
name = "r1"
type = "stdio"
command = "r-mcp"
args = ["-x"]
env = { A = "1" }
startup_timeout_seconds = 5
call_timeout_seconds = 30
concurrency = 2
auto_start = false
`,
      './reasonix.toml': `[[plugins]]
name = "r2"
type = "http"
url = "https://r.example/mcp"
headers = { X-Key = "k" }
tool_timeout_seconds = 1.5
`,
    },
    servers: [
      {
        name: 'r2',
        launch: remote('http', 'https://r.example/mcp', { headers: { 'X-Key': 'k' } }),
        timeouts: { idleMs: 1500 },
        guarded: true,
      },
      {
        name: 'r1',
        launch: program('r-mcp', ['-x'], { env: { A: '1' } }),
        timeouts: { startMs: 5000, idleMs: 30_000 },
      },
    ],
  },
  'rovo-dev': {
    files: {
      '~/.rovodev/config.yml': 'mcp:\n  mcpConfigPath: ~/team/servers.json\n  disabledMcpServers: [run]\n',
      '~/.rovodev/mcp.json': both,
      '~/team/servers.json': json({ mcpServers: { a: { transport: 'http', url: 'https://a.example/mcp' } } }),
      './.rovodev/mcp.json': json({ mcpServers: { p: { command: 'p' } } }),
    },
    servers: [
      { name: 'a', launch: remote('http', 'https://a.example/mcp') },
      { name: 'p', launch: program('p'), guarded: true },
      web,
      { ...run, enabled: false },
    ],
  },
  sema4: {
    files: {
      '~/.sema4ai/sema4ai-studio/mcp_servers.json': json({
        mcpServers: { a: { transport: 'sse', url: 'https://a.example/sse' } },
      }),
    },
    servers: [{ name: 'a', launch: remote('sse', 'https://a.example/sse') }],
  },
  tabnine: {
    files: {
      '~/.tabnine/agent/settings.json': json({
        mcpServers: { a: { command: 'a', includeTools: ['x'], excludeTools: ['y'] } },
      }),
      './.tabnine/mcp_servers.json': json({ mcpServers: { old: { command: 'old' } } }),
    },
    servers: [
      { name: 'old', launch: program('old'), guarded: true },
      { name: 'a', launch: program('a'), tools: { include: ['x'], exclude: ['y'] } },
    ],
  },
  tome: {
    files: { '~/.tome/mcp_config.json': json({ run: { command: 'run-mcp' } }) },
    servers: [{ name: 'run', launch: program('run-mcp') }],
  },
  trae: {
    files: {
      '~/.config/Trae/User/mcp.json': both,
      './.trae/mcp.json': json({ mcpServers: { a: { command: 'a' } } }),
    },
    servers: [{ name: 'a', launch: program('a'), guarded: true }, web, run],
  },
  witsy: {
    files: {
      '~/.config/Witsy/settings.json': json({
        general: { locale: 'en' },
        mcp: {
          servers: [
            { type: 'stdio', command: 'w-mcp' },
            { name: 'web', url: 'https://w.example/mcp' },
          ],
        },
      }),
    },
    servers: [
      { name: 'web', launch: remote('http', 'https://w.example/mcp') },
      { name: 'server-1', launch: program('w-mcp') },
    ],
  },
  zcode: {
    files: {
      '~/.zcode/cli/config.json': json({ mcp: { servers: { a: { command: 'a', enable: false } } } }),
      './.zcode/config.json': json({ mcp: { servers: { b: { command: 'b' } } } }),
    },
    servers: [
      { name: 'b', launch: program('b'), guarded: true },
      { name: 'a', launch: program('a'), enabled: false },
    ],
  },
};

test('every row has an id of its own, which is known', () => {
  const ids = tableAgents.map(({ id }) => id);
  expect(ids.filter((id) => !agentIds.includes(id))).toEqual([]);
  expect([...new Set(ids)]).toEqual(ids);
  expect(ids.toSorted()).toEqual(Object.keys(golden).toSorted());
});

test.each(tableAgents)('$id reads its golden files', async (format: AgentFormat) => {
  const { files, servers } = golden[format.id] ?? { files: {}, servers: [] };
  const { definitions, problems } = await readAgent(format, { files });
  expect(problems).toEqual([]);
  expect(definitions.map(({ origin: { agent } }) => agent)).toEqual(servers.map(() => format.id));
  expect(definitions).toEqual(
    servers.map((server, index) => defined(server.name, { origin: placeOf(definitions[index]), ...server })),
  );
});

/** Where it stands is each file's own matter; other tests look at that. */
function placeOf(definition: ServerDefinition | undefined): ServerDefinition['origin'] {
  return definition?.origin ?? { agent: 'holt', scope: 'user', file: '', line: 0, column: 0 };
}

test.each(tableAgents)('$id survives files of every wrong shape', async (format: AgentFormat) => {
  const paths = format.locate(makeMachine()).map(({ path }) => path);
  const texts = [
    '',
    'null',
    '[]',
    '"text"',
    '7',
    '{',
    '{"mcpServers":[]}',
    '{"mcpServers":{"a":7,"b":[],"c":null}}',
    '\u0000',
  ];
  for (const text of texts) {
    const files = Object.fromEntries(paths.map((path) => [path, text]));
    const { definitions } = await readAgent(format, { files });
    expect(definitions).toEqual([]);
  }
});

test.each(tableAgents)(
  '$id guards exactly the files of the project, on every system',
  (format: AgentFormat) => {
    for (const os of ['linux', 'macos', 'windows'] as const) {
      const machine = makeMachine({ os });
      for (const { path, guarded, scope } of format.locate(machine)) {
        const inProject = path.startsWith(machine.projectRoot);
        expect([path, guarded, scope === 'user']).toEqual([path, inProject, !inProject]);
      }
    }
  },
);

function agent(id: AgentId): AgentFormat {
  const format = tableAgents.find((candidate) => candidate.id === id);
  if (format === undefined) throw new RangeError(id);
  return format;
}

test('places that differ by system or by a variable', () => {
  const paths = (id: AgentId, options: Parameters<typeof makeMachine>[0]): unknown =>
    agent(id)
      .locate(makeMachine(options))
      .map(({ path }) => path);
  expect(paths('trae', { os: 'macos' })).toEqual([
    '/Users/ada/Library/Application Support/Trae CN/User/mcp.json',
    '/Users/ada/Library/Application Support/Trae/User/mcp.json',
    '/Users/ada/src/shop/.trae/mcp.json',
  ]);
  expect(paths('trae', { os: 'windows', env: { APPDATA: 'C:\\A' } })).toEqual([
    'C:\\A\\Trae CN\\User\\mcp.json',
    'C:\\A\\Trae\\User\\mcp.json',
    'D:\\src\\shop\\.trae\\mcp.json',
  ]);
  expect(paths('witsy', { os: 'macos' })).toEqual([
    '/Users/ada/Library/Application Support/Witsy/settings.json',
  ]);
  expect(paths('sema4', { os: 'windows', env: { LOCALAPPDATA: 'C:\\L' } })).toEqual([
    'C:\\L\\sema4ai\\sema4ai-studio\\mcp_servers.json',
  ]);
  expect(paths('grok-build', { env: { GROK_HOME: '/opt/grok' } })).toEqual([
    '/opt/grok/config.toml',
    '/srv/shop/.grok/config.toml',
  ]);
  expect(paths('kimi-code', { env: { KIMI_CODE_HOME: '/opt/kimi' }, cwd: 'web' })).toEqual([
    '/opt/kimi/mcp.json',
    '/srv/shop/web/.kimi-code/mcp.json',
  ]);
});

test('the local file of Augment wins over the project’s, and that over the user’s', async () => {
  const one = (command: string): string => json({ mcpServers: { one: { command } } });
  const { definitions } = await readAgent(agent('augment'), {
    files: {
      '~/.augment/settings.json': one('user'),
      './.augment/settings.json': one('project'),
      './.augment/settings.local.json': one('local'),
    },
  });
  expect(definitions.map(({ launch, origin, guarded }) => [launch, origin.scope, guarded])).toEqual([
    [program('local'), 'local', true],
    [program('project'), 'project', true],
    [program('user'), 'user', false],
  ]);
});

test('a list gives one problem for each item that is no server, and the others', async () => {
  const { definitions, problems } = await readAgent(agent('mistral-vibe'), {
    files: {
      '~/.vibe/config.toml': `[[mcp_servers]]
transport = "stdio"
command = "nameless"

[[mcp_servers]]
name = "sse"
transport = "sse"
url = "https://v.example/sse"

[[mcp_servers]]
name = "ok"
command = "ok-mcp"
`,
    },
  });
  expect(definitions.map(({ name, origin: { line, column } }) => [name, line, column])).toEqual([
    ['ok', 10, 1],
    ['sse', 5, 1],
  ]);
  expect(problems.map(({ code, line, message }) => [code, line, message])).toEqual([
    ['entry-invalid', 1, 'a server has an empty name'],
    ['agent-refuses', 7, 'the agent does not know the type "sse"; holt reads it as sse'],
  ]);
});

test('a map in the place of a list is a problem of the file', async () => {
  const { definitions, problems } = await readAgent(agent('reasonix'), {
    files: { '~/.reasonix/config.toml': '[plugins.one]\ncommand = "a"\n' },
  });
  expect(definitions).toEqual([]);
  expect(problems.map(({ code, message }) => [code, message])).toEqual([
    ['file-shape', '"plugins" is an object where a list of servers belongs'],
  ]);
});

test('fx refuses a login that stands in the file as text', async () => {
  const { definitions, problems } = await readAgent(agent('fx'), {
    files: {
      '~/.fx/mcp.json': json({
        mcp: { a: { type: 'http', url: 'https://a.example/mcp', headers: { authorization: 'Bearer x' } } },
      }),
    },
  });
  expect(definitions.map(({ name }) => name)).toEqual(['a']);
  expect(problems.map(({ code, server }) => [code, server])).toEqual([['agent-refuses', 'a']]);
});

test('Hermes does not look at a list of scopes', async () => {
  const { definitions, problems } = await readAgent(agent('hermes'), {
    files: {
      '~/.hermes/config.yaml':
        'mcp_servers:\n  a: { url: "https://a.example/mcp", oauth: { scopes: [r] }, tools: 7 }\n',
    },
  });
  expect(definitions.map(({ launch, tools }) => [launch, tools])).toEqual([
    [remote('http', 'https://a.example/mcp'), undefined],
  ]);
  expect(problems.map(({ code }) => code)).toEqual(['field-invalid', 'agent-ignores']);
});

test('settings about which only the place is known hold no servers unless they can be told', async () => {
  const { definitions, problems } = await readAgent(agent('witsy'), {
    files: {
      '~/.config/Witsy/settings.json': json({
        servers: 3,
        mcp: { servers: ['a'] },
        mcpServers: { theme: 'dark' },
      }),
    },
  });
  expect([definitions, problems]).toEqual([[], []]);
});
