import { expect, test } from 'vitest';

import { readAgent } from '../../tests/support/agent-machine.ts';
import { codex } from './codex.ts';

test('a project fragment without a command of its own is merged with the user entry, which holds until approval (measured)', async () => {
  const { definitions, problems } = await readAgent(codex, {
    files: {
      '~/.codex/config.toml': '[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "docs-mcp"]\n',
      './.codex/config.toml': '[mcp_servers.docs]\nargs = ["-y", "docs-mcp", "--branch", "next"]\n',
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch, guarded, origin }) => ({ launch, guarded, scope: origin.scope, line: origin.line }))).toEqual([
    {
      launch: { kind: 'stdio', command: 'npx', args: ['-y', 'docs-mcp', '--branch', 'next'], env: {}, envFrom: {} },
      guarded: true,
      scope: 'project',
      line: 1,
    },
    {
      launch: { kind: 'stdio', command: 'npx', args: ['-y', 'docs-mcp'], env: {}, envFrom: {} },
      guarded: false,
      scope: 'user',
      line: 1,
    },
  ]);
});

test('a project fragment that only switches off counts at once', async () => {
  const { definitions } = await readAgent(codex, {
    files: {
      '~/.codex/config.toml': '[mcp_servers.docs]\ncommand = "npx"\n',
      './.codex/config.toml': '[mcp_servers.docs]\nenabled = false\n',
    },
  });
  expect(definitions.map(({ enabled, guarded }) => ({ enabled, guarded }))).toEqual([{ enabled: false, guarded: false }]);
});

test('CODEX_HOME inside the project makes its file the project’s', async () => {
  const { definitions } = await readAgent(codex, {
    env: { CODEX_HOME: '/srv/shop/evil' },
    files: { './evil/config.toml': '[mcp_servers.docs]\ncommand = "npx"\n' },
  });
  expect(definitions.map(({ origin, guarded }) => [origin.scope, guarded])).toEqual([['project', true]]);
});
