/** One sample for each agent of the table: its files, and everything that must be read from them. */

import type { AgentId } from '../../src/kernel/agent-ids.ts';
import { program, remote } from './golden-file.ts';
import { both, json, quirkSamples, run, web, type AgentSample } from './quirk-samples.ts';

export const tableSamples: Readonly<Partial<Record<AgentId, AgentSample>>> = {
  ...quirkSamples,
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
  qoder: { files: { '~/.qoder/settings.json': both }, servers: [web, run] },
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
