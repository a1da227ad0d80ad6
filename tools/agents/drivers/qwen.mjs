/** Qwen Code: as Gemini CLI, with approvals for servers of the project. Its list connects servers that sessions leave out. */

import path from 'node:path';

import { addInGeminiStyle, lookInList } from './gemini.mjs';
import { scriptProgram } from './programs.mjs';

export const qwen = {
  id: 'qwen',
  label: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  program: () => scriptProgram('@qwen-code/qwen-code', 'cli-entry.js'),
  scopes: ['user', 'project'],
  notes: [
    '`qwen mcp list` does not look at `mcp.excluded` and shows a server that is excluded as connected; sessions obey it.',
    'Qwen Code has no command that switches a server off; `qwen mcp reject` is for the servers of the project, before they run.',
  ],
  listIgnoresSwitch: true,
  prepare: ({ home, write }) =>
    write(
      path.join(home, '.qwen', 'settings.json'),
      '{ "security": { "auth": { "selectedType": "openai" } } }\n',
    ),
  session: {
    args: ['-p', 'hello'],
    env: { OPENAI_API_KEY: 'made-up', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_MODEL: 'none' },
  },
  rejection: (scope) =>
    scope === 'project'
      ? {
          reject: ({ agent }, name) => agent(['mcp', 'reject', name]),
          accept: ({ agent }, name) => agent(['mcp', 'approve', name]),
        }
      : undefined,
  movedHome: 'QWEN_HOME',
  add: addInGeminiStyle,
  remove: ({ name, scope }) => ['mcp', 'remove', '-s', scope, name],
  approve: ({ name, scope }) => (scope === 'project' ? ['mcp', 'approve', name] : undefined),
  look: (sandbox, names) =>
    lookInList(sandbox, names, [
      [/Rejected/, 'rejected'],
      [/Pending/, 'waiting'],
      [/Disabled|Excluded|Blocked/, 'off'],
      [/.*/, 'on'],
    ]),
};
