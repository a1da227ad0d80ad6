/** Claude Code: three scopes, and lists for each folder that switch servers off. Its own switch is only in its dialogs. */

import path from 'node:path';

import { platformProgram } from './programs.mjs';

const states = [
  [/Disabled/, 'off'],
  [/Rejected/, 'rejected'],
  [/Pending approval/, 'waiting'],
  [/.*/, 'on'],
];

export const claudeCode = {
  id: 'claude-code',
  label: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  program: () => [platformProgram('@anthropic-ai/claude-code', 'claude')],
  scopes: ['user', 'project', 'local'],
  notes: [
    'Claude Code has no command that switches a server off; its dialogs write the lists that holt writes.',
    'A server of `.mcp.json` that holt disables for Claude Code is rejected there: `claude mcp list` leaves it out, `claude mcp get` says "Rejected".',
  ],
  prepare({ home, write }) {
    write(path.join(home, '.claude', 'settings.json'), '{ "enableAllProjectMcpServers": true }\n');
  },
  movedHome: 'CLAUDE_CONFIG_DIR',
  add: ({ name, scope, server }) => ['mcp', 'add-json', '-s', scope, name, JSON.stringify(entryOf(server))],
  remove: ({ name, scope }) => ['mcp', 'remove', '-s', scope, name],
  async look(sandbox, names) {
    const found = await Promise.all(names.map((name) => lookAt(sandbox, name)));
    return new Map(found.filter((one) => one !== undefined).map((one) => [one.name, one]));
  },
  offState: (scope) => (scope === 'project' ? 'rejected' : 'off'),
  /** As the dialog that asks about the servers of `.mcp.json` writes it. */
  rejection(scope) {
    if (scope !== 'project') return undefined;
    const settings = ({ project }) => path.join(project, '.claude', 'settings.local.json');
    return {
      reject: (sandbox, name) =>
        sandbox.write(settings(sandbox), JSON.stringify({ disabledMcpjsonServers: [name] }, undefined, 2)),
      accept: ({ agent }) => agent(['mcp', 'reset-project-choices']),
    };
  },
  session: {
    args: ['-p', 'hello'],
    env: { ANTHROPIC_API_KEY: 'made-up', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
  },
  /** A rejected server is left out of the list, unlike one that is off. */
  async listed({ agent }) {
    const { stdout } = await agent(['mcp', 'list']);
    return stdout
      .split('\n')
      .map((line) => /^(\S+): .* - /.exec(line)?.[1])
      .filter((name) => name !== undefined);
  },
};

function entryOf({ transport, command, args, env, url, headers }) {
  return transport === 'stdio' ? { type: 'stdio', command, args, env } : { type: transport, url, headers };
}

async function lookAt({ agent }, name) {
  const { code, stdout } = await agent(['mcp', 'get', name]);
  if (code !== 0) return undefined;
  const field = (label) => new RegExp(`^  ${label}: (.*)$`, 'm').exec(stdout)?.[1];
  const below = (label, sign) => {
    const part = new RegExp(`^  ${label}:\\n((?:    .*\\n)*)`, 'm').exec(stdout)?.[1];
    return part === undefined ? undefined : namesIn(part, sign);
  };
  const scopes = { User: 'user', Project: 'project', Local: 'local' };
  const status = field('Status') ?? '';
  return {
    name,
    state: states.find(([pattern]) => pattern.test(status))[1],
    scope: scopes[field('Scope')?.split(' ')[0]],
    transport: field('Type'),
    command: field('Command'),
    shownArgs: field('Args'),
    env: below('Environment', '='),
    url: field('URL'),
    headers: below('Headers', ':'),
  };
}

function namesIn(part, sign) {
  return part
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.trim().split(sign)[0]);
}
