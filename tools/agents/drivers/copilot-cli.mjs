/** GitHub Copilot CLI: its command writes the user's file; servers of trusted folders are listed too. */

import path from 'node:path';

import { pairs } from './codex.mjs';
import { platformProgram } from './programs.mjs';

export const copilotCli = {
  id: 'copilot-cli',
  label: 'GitHub Copilot CLI',
  package: '@github/copilot',
  program: () => [platformProgram('@github/copilot', 'copilot')],
  scopes: ['user', 'project'],
  notes: [
    '`copilot mcp add` and `remove` know the user’s file only.',
    'A session needs a login and could not be run.',
  ],
  prepare({ home, project, write }) {
    write(path.join(home, '.copilot', 'config.json'), JSON.stringify({ trustedFolders: [project] }));
  },
  movedHome: 'COPILOT_HOME',
  add({ name, scope, server: { transport, command, args, env, url, headers } }) {
    if (scope !== 'user') return undefined;
    return transport === 'stdio'
      ? ['mcp', 'add', name, ...pairs('--env', env), '--', command, ...args]
      : ['mcp', 'add', '--transport', transport, ...pairs('--header', headers, ': '), name, url];
  },
  remove: ({ name, scope }) => (scope === 'user' ? ['mcp', 'remove', name] : undefined),
  switch: ({ name, on }) => ['mcp', on ? 'enable' : 'disable', name],
  async look({ agent }, names) {
    const { code, stdout, stderr } = await agent(['mcp', 'list', '--json']);
    if (code !== 0) throw new Error(`copilot mcp list: ${stderr}`);
    const servers = Object.entries(JSON.parse(stdout).mcpServers).filter(([name]) => names.includes(name));
    return new Map(servers.map(([name, entry]) => [name, lookOf(name, entry)]));
  },
};

function lookOf(name, { type, command, args, env, url, headers, source, enabled }) {
  const isRemote = url !== undefined;
  return {
    name,
    state: enabled ? 'on' : 'off',
    scope: source === 'workspace' ? 'project' : source,
    transport: isRemote ? type : 'stdio',
    command,
    args,
    env: isRemote ? undefined : Object.keys(env ?? {}),
    url,
    headers: isRemote ? Object.keys(headers ?? {}) : undefined,
  };
}
