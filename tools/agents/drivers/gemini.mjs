/** Gemini CLI: a file for the user and one for the project; a separate file disables servers by name. */

import path from 'node:path';

import { pairs } from './codex.mjs';
import { scriptProgram } from './programs.mjs';

/** Gemini CLI and Qwen Code print lists of one shape. */
export async function lookInList({ agent }, names, states) {
  const { stdout, stderr } = await agent(['mcp', 'list']);
  const line = /^\S+ (\S+): (.*) \((stdio|http|sse)\) - (.*)$/gm;
  const servers = [...`${stdout}\n${stderr}`.matchAll(line)].filter(([, name]) => names.includes(name));
  return new Map(
    servers.map(([, name, connect, transport, status]) => {
      const own = transport === 'stdio' ? { shownCommand: connect } : { url: connect };
      return [name, { name, transport, state: states.find(([pattern]) => pattern.test(status))[1], ...own }];
    }),
  );
}

export function addInGeminiStyle({ name, scope, server: { transport, command, args, env, url, headers } }) {
  const start = ['mcp', 'add', '-s', scope, '-t', transport, name];
  return transport === 'stdio'
    ? [...start, ...pairs('-e', env), command, '--', ...args]
    : [...start, url, ...pairs('-H', headers, ': ')];
}

export const gemini = {
  id: 'gemini',
  label: 'Gemini CLI',
  package: '@google/gemini-cli',
  program: () => scriptProgram('@google/gemini-cli', 'bundle', 'gemini.js'),
  scopes: ['user', 'project'],
  env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  notes: [
    'In a folder that is not trusted Gemini CLI lists every server as disabled; the folder is trusted here.',
    '`gemini mcp disable` and `enable` answer "Server not found" for every name, so they have no effect; Gemini CLI’s own file of switches, which holt writes, is obeyed.',
  ],
  prepare: ({ home, write }) =>
    write(
      path.join(home, '.gemini', 'settings.json'),
      '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }\n',
    ),
  session: { args: ['-p', 'hello'], env: { GEMINI_API_KEY: 'made-up' } },
  movedHome: 'GEMINI_CLI_HOME',
  add: addInGeminiStyle,
  remove: ({ name, scope }) => ['mcp', 'remove', '-s', scope, name],
  switch: ({ name, on }) => ['mcp', on ? 'enable' : 'disable', name],
  look: (sandbox, names) =>
    lookInList(sandbox, names, [
      [/Disabled|Blocked/, 'off'],
      [/.*/, 'on'],
    ]),
};
