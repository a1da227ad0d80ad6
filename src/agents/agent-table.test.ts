import { expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { defined, program, remote } from '../../tests/support/golden-file.ts';
import { json } from '../../tests/support/quirk-samples.ts';
import { tableSamples } from '../../tests/support/table-samples.ts';
import { agentIds, type AgentId } from '../kernel/agent-ids.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { AgentFormat } from './agent-format.ts';
import { tableAgents } from './agent-table.ts';

/** Rows that have golden files and a test file of their own. */
const withOwnTests = ['amazon-q', 'junie', 'kiro', 'lm-studio'];

test('every row has an id of its own, which is known', () => {
  const ids = tableAgents.map(({ id }) => id);
  expect(ids.filter((id) => !agentIds.includes(id))).toEqual([]);
  expect([...new Set(ids)]).toEqual(ids);
  expect(ids.toSorted()).toEqual([...Object.keys(tableSamples), ...withOwnTests].toSorted());
});

test.each(tableAgents)('$id reads its golden files', async (format: AgentFormat) => {
  const { files, servers } = tableSamples[format.id] ?? { files: {}, servers: [] };
  const { definitions, problems } = await readAgent(format, { files });
  expect(problems).toEqual([]);
  expect(definitions.map(({ origin }) => origin.agent)).toEqual(servers.map(() => format.id));
  expect(definitions).toEqual(
    servers.map((server, index) => defined(server.name, { origin: placeOf(definitions[index]), ...server })),
  );
});

/** Where it stands is each file's own matter; other tests look at that. */
function placeOf(definition: ServerDefinition | undefined): ServerDefinition['origin'] {
  return definition?.origin ?? { agent: 'holt', scope: 'user', file: '', line: 0, column: 0 };
}

test.each(tableAgents)('$id survives files of every wrong shape', async (format: AgentFormat) => {
  const paths = format.locate(makeMachine()).map(({ path }) => path);
  const texts = [
    '',
    'null',
    '[]',
    '"text"',
    '7',
    '{',
    '{"mcpServers":[]}',
    '{"mcpServers":{"a":7,"b":[],"c":null}}',
    '\u0000',
  ];
  for (const text of texts) {
    const files = Object.fromEntries(paths.map((path) => [path, text]));
    const { definitions } = await readAgent(format, { files });
    expect(definitions).toEqual([]);
  }
});

test.each(tableAgents)(
  '$id guards exactly the files of the project, on every system',
  (format: AgentFormat) => {
    for (const os of ['linux', 'macos', 'windows'] as const) {
      const machine = makeMachine({ os });
      for (const { path, guarded, scope } of format.locate(machine)) {
        const inProject = path.startsWith(machine.projectRoot);
        expect([path, guarded, scope === 'user']).toEqual([path, inProject, !inProject]);
      }
    }
  },
);

function agent(id: AgentId): AgentFormat {
  const format = tableAgents.find((candidate) => candidate.id === id);
  if (format === undefined) throw new RangeError(id);
  return format;
}

const paths = (id: AgentId, options: Parameters<typeof makeMachine>[0]): unknown =>
  agent(id)
    .locate(makeMachine(options))
    .map(({ path }) => path);

test('places that differ by system or by a variable', () => {
  expect(paths('trae', { os: 'macos' })).toEqual([
    '/Users/ada/Library/Application Support/Trae CN/User/mcp.json',
    '/Users/ada/Library/Application Support/Trae/User/mcp.json',
    '/Users/ada/src/shop/.trae/mcp.json',
  ]);
  expect(paths('trae', { os: 'windows', env: { APPDATA: 'C:\\A' } })).toEqual([
    'C:\\A\\Trae CN\\User\\mcp.json',
    'C:\\A\\Trae\\User\\mcp.json',
    'D:\\src\\shop\\.trae\\mcp.json',
  ]);
  expect(paths('witsy', { os: 'macos' })).toEqual([
    '/Users/ada/Library/Application Support/Witsy/settings.json',
  ]);
  expect(paths('sema4', { os: 'windows', env: { LOCALAPPDATA: 'C:\\L' } })).toEqual([
    'C:\\L\\sema4ai\\sema4ai-studio\\mcp_servers.json',
  ]);
  expect(paths('grok-build', { env: { GROK_HOME: '/opt/grok' } })).toEqual([
    '/opt/grok/config.toml',
    '/srv/shop/.grok/config.toml',
  ]);
  expect(paths('kimi-code', { env: { KIMI_CODE_HOME: '/opt/kimi' }, cwd: 'web' })).toEqual([
    '/opt/kimi/mcp.json',
    '/srv/shop/web/.kimi-code/mcp.json',
  ]);
});

const one = (command: string): string => json({ mcpServers: { one: { command } } });

test('the local file of Augment wins over the project’s, and that over the user’s', async () => {
  const { definitions } = await readAgent(agent('augment'), {
    files: {
      '~/.augment/settings.json': one('user'),
      './.augment/settings.json': one('project'),
      './.augment/settings.local.json': one('local'),
    },
  });
  expect(definitions.map(({ launch, origin, guarded }) => [launch, origin.scope, guarded])).toEqual([
    [program('local'), 'local', true],
    [program('project'), 'project', true],
    [program('user'), 'user', false],
  ]);
});

test('a list gives one problem for each item that is no server, and the others', async () => {
  const { definitions, problems } = await readAgent(agent('mistral-vibe'), {
    files: {
      '~/.vibe/config.toml': `[[mcp_servers]]
transport = "stdio"
command = "nameless"

[[mcp_servers]]
name = "sse"
transport = "sse"
url = "https://v.example/sse"

[[mcp_servers]]
name = "ok"
command = "ok-mcp"
`,
    },
  });
  expect(definitions.map(({ name, origin: { line, column } }) => [name, line, column])).toEqual([
    ['ok', 10, 1],
    ['sse', 5, 1],
  ]);
  expect(problems.map(({ code, line, message }) => [code, line, message])).toEqual([
    ['entry-invalid', 1, 'a server has an empty name'],
    ['agent-refuses', 7, 'the agent does not know the type "sse"; holt reads it as sse'],
  ]);
});

test('a map in the place of a list is a problem of the file', async () => {
  const { definitions, problems } = await readAgent(agent('reasonix'), {
    files: { '~/.reasonix/config.toml': '[plugins.one]\ncommand = "a"\n' },
  });
  expect(definitions).toEqual([]);
  expect(problems.map(({ code, message }) => [code, message])).toEqual([
    ['file-shape', '"plugins" must be a list of servers, but is an object'],
  ]);
});

test('fx refuses a login stored as plain text in the file', async () => {
  const { definitions, problems } = await readAgent(agent('fx'), {
    files: {
      '~/.fx/mcp.json': json({
        mcp: { a: { type: 'http', url: 'https://a.example/mcp', headers: { authorization: 'Bearer x' } } },
      }),
    },
  });
  expect(definitions.map(({ name }) => name)).toEqual(['a']);
  expect(problems.map(({ code, server }) => [code, server])).toEqual([['agent-refuses', 'a']]);
});

test('Hermes does not look at a list of scopes', async () => {
  const { definitions, problems } = await readAgent(agent('hermes'), {
    files: {
      '~/.hermes/config.yaml':
        'mcp_servers:\n  a: { url: "https://a.example/mcp", oauth: { scopes: [r] }, tools: 7 }\n',
    },
  });
  expect(definitions.map(({ launch, tools }) => [launch, tools])).toEqual([
    [remote('http', 'https://a.example/mcp'), undefined],
  ]);
  expect(problems.map(({ code }) => code)).toEqual(['field-invalid', 'agent-ignores']);
});

test('settings about which only the place is known hold no servers unless they can be told', async () => {
  const { definitions, problems } = await readAgent(agent('witsy'), {
    files: {
      '~/.config/Witsy/settings.json': json({
        servers: 3,
        mcp: { servers: ['a'] },
        mcpServers: { theme: 'dark' },
      }),
    },
  });
  expect([definitions, problems]).toEqual([[], []]);
});

test('Qoder’s settings of the project and the local ones are read, with its switch', async () => {
  const qoder = tableAgents.find(({ id }) => id === 'qoder');
  if (qoder === undefined) throw new Error('no Qoder');
  const settings = (more: object = {}): string => json({ mcpServers: { a: { command: 'a', ...more } } });
  const { definitions } = await readAgent(qoder, {
    files: {
      '~/.qoder/settings.json': settings(),
      './.qoder/settings.json': settings(),
      './.qoder/settings.local.json': settings({ disabled: true }),
    },
  });
  expect(definitions.map(({ origin, enabled, guarded }) => [origin.scope, enabled, guarded])).toEqual([
    ['local', false, true],
    ['project', true, true],
    ['user', true, false],
  ]);
});
