/** opencode: its command writes the user's file; what it combines from all files is in `debug config`. */

import { pairs } from './codex.mjs';
import { platformProgram } from './programs.mjs';

export const opencode = {
  id: 'opencode',
  label: 'opencode',
  package: 'opencode-ai',
  program: () => [platformProgram('opencode', 'bin', 'opencode')],
  scopes: ['user', 'project'],
  notes: [
    '`opencode mcp` writes the user’s file only, and has no command that removes a server or switches it off.',
  ],
  movedHome: 'XDG_CONFIG_HOME',
  add({ name, scope, server: { transport, command, args, env, url, headers } }) {
    if (scope !== 'user') return undefined;
    return transport === 'stdio'
      ? ['mcp', 'add', name, ...pairs('--env', env), '--', command, ...args]
      : ['mcp', 'add', name, '--url', url, ...pairs('--header', headers)];
  },
  session: { args: ['run', 'hello'] },
  async look({ agent }, names) {
    const { code, stdout, stderr } = await agent(['debug', 'config']);
    if (code !== 0) throw new Error(`opencode debug config: ${stderr}`);
    const servers = Object.entries(JSON.parse(stdout).mcp ?? {}).filter(([name]) => names.includes(name));
    return new Map(servers.map(([name, entry]) => [name, lookOf(name, entry)]));
  },
};

function lookOf(name, { type, command, environment, url, headers, enabled }) {
  const shared = { name, state: enabled === false ? 'off' : 'on' };
  if (type !== 'local') return { ...shared, transport: 'http', url, headers: Object.keys(headers ?? {}) };
  const [program, ...args] = command;
  return { ...shared, transport: 'stdio', command: program, args, env: Object.keys(environment ?? {}) };
}
