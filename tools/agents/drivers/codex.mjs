/** OpenAI Codex: its command writes the user's file; a project's file counts in folders that are trusted. */

import path from 'node:path';

import { platformProgram } from './programs.mjs';

const triples = { 'linux-x64': 'x86_64-unknown-linux-musl', 'linux-arm64': 'aarch64-unknown-linux-musl' };

export const codex = {
  id: 'codex',
  label: 'Codex',
  package: '@openai/codex',
  program: () => [
    platformProgram(
      '@openai/codex',
      'vendor',
      triples[`${process.platform}-${process.arch}`] ?? '',
      'bin',
      'codex',
    ),
  ],
  scopes: ['user', 'project'],
  notes: [
    '`codex mcp` writes the user’s file only, and has no command that switches a server off.',
    'Codex names variables to pass on instead of filling in references, so a variable keeps its name; `holt import` warns about one that is renamed.',
    '`codex mcp add --url` takes no headers, only the name of a variable with a bearer token: that is what the agent adds here.',
  ],
  prepare({ home, project, write }) {
    const text = `[projects."${project}"]\ntrust_level = "trusted"\n`;
    write(path.join(home, '.codex', 'config.toml'), text);
  },
  remote: ({ url }) => ({ transport: 'http', url, bearer: 'HOLT_TOKEN', headers: { Authorization: '' } }),
  movedHome: 'CODEX_HOME',
  add({ name, scope, server: { transport, command, args, env, url, bearer } }) {
    if (scope !== 'user') return undefined;
    if (transport !== 'stdio') return ['mcp', 'add', name, '--url', url, '--bearer-token-env-var', bearer];
    return ['mcp', 'add', name, ...pairs('--env', env), '--', command, ...args];
  },
  remove: ({ name, scope }) => (scope === 'user' ? ['mcp', 'remove', name] : undefined),
  session: { args: ['exec', '--skip-git-repo-check', 'hello'], env: { CODEX_API_KEY: 'made-up' } },
  async look({ agent }, names) {
    const { code, stdout, stderr } = await agent(['mcp', 'list', '--json']);
    if (code !== 0) throw new Error(`codex mcp list: ${stderr}`);
    const servers = JSON.parse(stdout).filter(({ name }) => names.includes(name));
    return new Map(servers.map((server) => [server.name, lookOf(server)]));
  },
};

function lookOf({ name, enabled, transport: shown }) {
  const bearer = shown.bearer_token_env_var ? { Authorization: '' } : {};
  return {
    name,
    state: enabled ? 'on' : 'off',
    transport: shown.type === 'stdio' ? 'stdio' : 'http',
    command: shown.command,
    args: shown.args,
    env: shown.type === 'stdio' ? Object.keys(shown.env ?? {}) : undefined,
    url: shown.url,
    headers: shown.type === 'stdio' ? undefined : Object.keys({ ...bearer, ...shown.http_headers }),
  };
}

export function pairs(flag, record, sign = '=') {
  return Object.entries(record).flatMap(([key, value]) => [flag, `${key}${sign}${value}`]);
}
