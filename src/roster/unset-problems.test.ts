/** Missing variables as problems: where they stand, whose rule decides, and nothing of what others hold. */

import { expect, test } from 'vitest';

import { createSandbox, type Sandbox } from '../../tests/support/holt-command.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { trustStates, type TrustState } from '../trust/trust-state.ts';
import { loadServers } from './load-servers.ts';
import { unsetProblems } from './roster-problems.ts';

const env = { SET: 'sekret-of-the-environment', EMPTY: '' };

async function problemsOf(sandbox: Sandbox): Promise<readonly string[]> {
  const { problems } = await loadServers({ cwd: sandbox.project, home: sandbox.home, env });
  return problems.map(({ severity, code, file, line, column, server, message }) => {
    const place = file.replace(sandbox.home, '~').replace(sandbox.project, '.');
    return `${place}:${line}:${column} ${severity} ${code} ${server}: ${message}`;
  });
}

test('a placeholder without a value is reported at its line, without any value in the message', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write(
    '~/.holt/mcp.json',
    `{"mcpServers": {
  "x": {
    "command": "\${GONE}",
    "args": ["\${SET}", "\${EMPTY}", "\${AWAY:-default}", "\${GONE}"],
    "env": {
      "K": "literal-secret-\${LOST}-in-front",
      "L": "!touch \${NEVER}"
    }
  }
}}`,
  );
  expect(await problemsOf(sandbox)).toEqual([
    '~/.holt/mcp.json:3:16 warning placeholder-unset x: "x" needs the variable GONE (in "command"), which is not set',
    '~/.holt/mcp.json:6:12 warning placeholder-unset x: "x" needs the variable LOST (in "env.K"), which is not set',
  ]);
});

const withEnv = (value: string): object => ({ command: 'node', env: { K: value } });
const header = (value: string): object => ({ httpUrl: 'https://h.example/', headers: { A: value } });
const mcpServers = (servers: object): string => JSON.stringify({ mcpServers: servers }, undefined, 1);

test('each agent’s rule decides what is missing', async () => {
  await using sandbox = await createSandbox();
  const files = {
    '~/.claude.json': mcpServers({
      claude: withEnv('${GONE}'),
      'filled-by-the-program': { command: 'a', args: ['--header', 'A:${GONE}'], env: { GONE: 'Bearer t' } },
      'under-its-own-name': { command: 'a', env: { GONE: '${GONE}' } },
    }),
    './.mcp.json': mcpServers({ project: withEnv('${GONE}') }),
    '~/.chimera/mcp.json': mcpServers({
      mink: withEnv('${GONE}'),
      'switched-off': { command: '${GONE}', enabled: false },
    }),
    '~/.cursor/mcp.json': mcpServers({ cursor: withEnv('${env:GONE}') }),
    '~/.omp/agent/mcp.json': mcpServers({ omp: withEnv('a ${GONE}'), 'bare-may-be-text': withEnv('GONE') }),
    '~/.gemini/settings.json': mcpServers({
      'gemini-header': header('${GONE}'),
      'gemini-has-nothing-in-its-place': withEnv('${GONE}'),
      'gemini-may-be-a-password': header('pass$GONE'),
    }),
    '~/.config/opencode/opencode.json':
      '{"mcp":{"opencode-has-nothing-in-its-place":{"type":"local","command":["a","{env:GONE}","{file:/gone}"]}}}',
    './.vscode/mcp.json':
      '{"servers":{"vscode-asks":{"command":"a","args":["${env:GONE}","${input:gone}"]}}}',
    '~/.config/Claude/claude_desktop_config.json': mcpServers({ 'desktop-knows-none': withEnv('${GONE}') }),
    '~/.codex/config.toml': `[mcp_servers.codex-token]
url = "https://h.example/GONE"
bearer_token_env_var = "GONE"
[mcp_servers.codex-passes-on-what-there-is]
command = "a"
env_vars = ["GONE"]
`,
  };
  for (const [name, text] of Object.entries(files)) await sandbox.write(name, text);
  const said = (await problemsOf(sandbox))
    .filter((problem) => problem.includes('placeholder-unset'))
    .map((problem) => problem.replace(/ warning placeholder-unset .* GONE \(in "(.*)"\).*/, ' $1'));
  expect(said.toSorted()).toEqual([
    './.mcp.json:6:10 env.K',
    '~/.chimera/mcp.json:6:10 env.K',
    '~/.claude.json:22:13 env.GONE',
    '~/.claude.json:6:10 env.K',
    '~/.codex/config.toml:3:24 headers.Authorization',
    '~/.cursor/mcp.json:6:10 env.K',
    '~/.gemini/settings.json:6:10 headers.A',
    '~/.omp/agent/mcp.json:6:10 env.K',
  ]);
});

test('a merged entry is reported once, at the file that contains the placeholder', async () => {
  await using sandbox = await createSandbox();
  const entry = (host: string, token = ''): string => `[mcp_servers.x]\nurl = "https://${host}/"\n${token}`;
  const token = 'bearer_token_env_var = "GONE"\n';
  const places = async (): Promise<readonly string[]> =>
    (await problemsOf(sandbox)).map((problem) => problem.replace(/: .*/, ''));
  const mine = '~/.codex/config.toml:3:24 warning placeholder-unset x';
  await sandbox.write('~/.codex/config.toml', entry('mine.example', token));
  await sandbox.write('./.codex/config.toml', entry('theirs.example'));
  expect(await places()).toEqual([mine]);
  await sandbox.write('./.codex/config.toml', entry('theirs.example', token));
  expect(await places()).toEqual([mine, './.codex/config.toml:3:24 warning placeholder-unset x']);
});

test('two entries of one name in one file are each reported at their own line', async () => {
  await using sandbox = await createSandbox();
  const projects = { [sandbox.project]: { mcpServers: { x: { command: 'one', env: { K: '${GONE}' } } } } };
  const mine = { x: { command: 'two', env: { K: '${GONE}' } } };
  await sandbox.write('~/.claude.json', JSON.stringify({ mcpServers: mine, projects }, undefined, 1));
  expect((await problemsOf(sandbox)).map((problem) => problem.replace(/: .*/, ''))).toEqual([
    '~/.claude.json:16:12 warning placeholder-unset x',
    '~/.claude.json:6:10 warning placeholder-unset x',
  ]);
});

test('a runtime server is reported, a server that must not start is not', () => {
  const origin = { agent: 'holt', scope: 'runtime', file: '', line: 1, column: 1 } as const;
  const definition: ServerDefinition = {
    name: 'x',
    launch: { kind: 'stdio', command: '${GONE}', args: [], env: {}, envFrom: {} },
    enabled: true,
    timeouts: {},
    dialect: 'holt',
    origin,
    guarded: false,
    parts: [origin],
    alsoIn: [],
  };
  const told = (trust: TrustState): number =>
    unsetProblems([{ definition, trust }], { env: {}, placeOf: () => undefined }).length;
  expect(trustStates.map((trust) => [trust, told(trust)])).toEqual([
    ['open', 1],
    ['approved', 1],
    ['untrusted', 1],
    ['changed', 1],
    ['denied', 0],
    ['blocked', 0],
  ]);
});
