/** Samples of the agents that have a list or another quirk, and the parts that all samples share. */

import type { AgentId } from '../../src/kernel/agent-ids.ts';
import type { ServerDefinition } from '../../src/kernel/servers.ts';
import type { AgentCase } from './agent-machine.ts';
import { program, remote } from './golden-file.ts';

/** Files of one agent, and all that is to be read from them, best first. */
export interface AgentSample {
  readonly files: AgentCase['files'];
  readonly servers: readonly (Partial<ServerDefinition> & Pick<ServerDefinition, 'name' | 'launch'>)[];
}

export const json = (value: object): string => JSON.stringify(value);
export const both = json({
  mcpServers: {
    run: { command: 'run-mcp', args: ['-x'], env: { A: '${A}' }, cwd: '/srv' },
    web: { type: 'sse', url: 'https://web.example/sse', headers: { 'X-Key': 'k' }, disabled: true },
  },
});
export const run = { name: 'run', launch: program('run-mcp', ['-x'], { env: { A: '${A}' }, cwd: '/srv' }) };
export const web = {
  name: 'web',
  launch: remote('sse', 'https://web.example/sse', { headers: { 'X-Key': 'k' } }),
  enabled: false,
};

export const quirkSamples: Readonly<Partial<Record<AgentId, AgentSample>>> = {
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
      { name: 'p', launch: program('p'), guarded: true },
      web,
      { ...run, enabled: false },
      { name: 'a', launch: remote('http', 'https://a.example/mcp') },
    ],
  },
};
