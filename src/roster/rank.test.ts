import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { AgentServers } from '../discovery/discover.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { Scope, ServerDefinition } from '../kernel/servers.ts';
import type { Approvals, TrustState } from '../trust/trust-state.ts';
import { rankServers } from './rank.ts';

interface Sample {
  readonly agent: AgentId;
  readonly scope: Scope;
  readonly command?: string;
  readonly enabled?: boolean;
  readonly name?: string;
}

function definitionOf({
  agent,
  scope,
  command = agent,
  enabled = true,
  name = 'x',
}: Sample): ServerDefinition {
  const origin = { agent, scope, file: `/${agent}/${scope}/${command}`, line: 1, column: 1 };
  return {
    name,
    launch: { kind: 'stdio', command, args: [], env: {}, envFrom: {} },
    enabled,
    timeouts: {},
    dialect: 'claude',
    origin,
    guarded: scope === 'project' || scope === 'local',
    parts: [origin],
    alsoIn: [],
  };
}

function groupsOf(samples: readonly Sample[]): readonly AgentServers[] {
  const agents = [...new Set(samples.map(({ agent }) => agent))];
  return agents.map((agent) => ({
    agent,
    definitions: samples.filter((sample) => sample.agent === agent).map(definitionOf),
  }));
}

function approving(approved: (definition: ServerDefinition) => boolean): Approvals {
  return {
    stateOf: (definition): TrustState => {
      if (!definition.guarded) return 'open';
      return approved(definition) ? 'approved' : 'untrusted';
    },
    fingerprintOf: () => ({ digest: 'sha256:0', fields: [] }),
    folderTrust: () => 'unknown',
  };
}
const nobody = approving(() => false);
const everybody = approving(() => true);

const shown = (samples: readonly Sample[], approvals: Approvals): unknown => {
  const { servers, shadowed } = rankServers(groupsOf(samples), approvals);
  return {
    servers: servers.map(({ ref, definition, scopes }) => [ref, definition.origin.agent, scopes.join('+')]),
    shadowed: shadowed.map(({ ref }) => ref),
  };
};

test('the higher scope wins the name, then the preferred agent', () => {
  const samples: readonly Sample[] = [
    { agent: 'codex', scope: 'user' },
    { agent: 'cursor', scope: 'project' },
    { agent: 'mcp-json', scope: 'project' },
    { agent: 'gemini', scope: 'managed' },
  ];
  expect(shown(samples, everybody)).toEqual({
    servers: [['x', 'gemini', 'user+project+managed']],
    shadowed: ['x@cursor', 'x@mcp-json', 'x@codex'],
  });
});

test('an unapproved project entry does not take a user’s name, and takes it once approved', () => {
  const samples: readonly Sample[] = [
    { agent: 'cursor', scope: 'project', command: 'evil' },
    { agent: 'cursor', scope: 'user', command: 'good' },
  ];
  expect(shown(samples, nobody)).toEqual({
    servers: [['x', 'cursor', 'user+project']],
    shadowed: ['x@cursor:project'],
  });
  const { servers } = rankServers(groupsOf(samples), nobody);
  expect(servers[0]?.definition.launch).toMatchObject({ command: 'good' });
  const approved = rankServers(groupsOf(samples), everybody);
  expect(approved.servers[0]?.definition.launch).toMatchObject({ command: 'evil' });
  expect(approved.shadowed.map(({ ref }) => ref)).toEqual(['x@cursor:user']);
});

test('equal definitions are joined, and the allowed origin is shown', () => {
  const samples: readonly Sample[] = [
    { agent: 'mcp-json', scope: 'project', command: 'same' },
    { agent: 'cursor', scope: 'user', command: 'same' },
  ];
  const { servers, shadowed } = rankServers(groupsOf(samples), nobody);
  expect(shadowed).toEqual([]);
  expect(
    servers.map(({ definition }) => [definition.origin.agent, definition.alsoIn.map(({ agent }) => agent)]),
  ).toEqual([['cursor', ['mcp-json']]]);
});

test('a complete project entry with equal content is joined with the user’s, even when the user’s is disabled', () => {
  const samples: readonly Sample[] = [
    { agent: 'mcp-json', scope: 'project', command: 'same' },
    { agent: 'cursor', scope: 'user', command: 'same', enabled: false },
  ];
  expect(shown(samples, nobody)).toEqual({ servers: [['x', 'cursor', 'user+project']], shadowed: [] });
});

test('servers are sorted by name, whatever the order of the files', () => {
  const samples: readonly Sample[] = ['b', 'c', 'a', 'B', 'd'].map((name) => ({
    agent: 'codex',
    scope: 'user',
    name,
  }));
  expect(rankServers(groupsOf(samples), nobody).servers.map(({ ref }) => ref)).toEqual([
    'B',
    'a',
    'b',
    'c',
    'd',
  ]);
});

test('the winner lists what it shadows, and shadowed entries only themselves', () => {
  const samples: readonly Sample[] = [
    { agent: 'codex', scope: 'user' },
    { agent: 'cursor', scope: 'user', command: 'one' },
    { agent: 'cursor', scope: 'plugin', command: 'two' },
  ];
  const { servers, shadowed } = rankServers(groupsOf(samples), nobody);
  const seen = [...servers, ...shadowed].map(({ ref, shadows, scopes }) => [
    ref,
    shadows.map(({ file }) => file),
    scopes,
  ]);
  expect(seen).toEqual([
    ['x', ['/cursor/user/one', '/cursor/plugin/two'], ['plugin', 'user']],
    ['x@cursor:user', [], ['user']],
    ['x@cursor:plugin', [], ['plugin']],
  ]);
});

test('a disabled server still shadows lower ones', () => {
  const samples: readonly Sample[] = [
    { agent: 'holt', scope: 'user', enabled: false },
    { agent: 'cursor', scope: 'user' },
  ];
  const { servers } = rankServers(groupsOf(samples), nobody);
  expect(servers.map(({ definition }) => [definition.origin.agent, definition.enabled])).toEqual([
    ['holt', false],
  ]);
});

test('within one agent its own order applies, even against the scopes', () => {
  const samples: readonly Sample[] = [
    { agent: 'omp', scope: 'user', command: 'first' },
    { agent: 'omp', scope: 'project', command: 'second' },
  ];
  const { servers } = rankServers(groupsOf(samples), everybody);
  expect(servers[0]?.definition.launch).toMatchObject({ command: 'first' });
});

test('several copies of one agent and scope have different references', () => {
  const samples: readonly Sample[] = ['a', 'b', 'c'].map((command) => ({
    agent: 'mcp-json',
    scope: 'project',
    command,
  }));
  expect(shown(samples, nobody)).toEqual({
    servers: [['x', 'mcp-json', 'project']],
    shadowed: ['x@mcp-json:project#2', 'x@mcp-json:project#3'],
  });
});

test('the winner does not depend on the order in which groups are read', () => {
  const sample = fc.record({
    agent: fc.constantFrom<AgentId>('holt', 'codex', 'cursor', 'mcp-json'),
    scope: fc.constantFrom<Scope>('managed', 'local', 'project', 'user', 'plugin'),
    command: fc.constantFrom('a', 'b', 'c'),
    name: fc.constantFrom('x', 'y'),
  });
  const rank = ['holt', 'codex', 'cursor', 'mcp-json'];
  fc.assert(
    fc.property(
      fc.array(sample, { maxLength: 12 }),
      fc.func(fc.boolean()),
      fc.nat(),
      (samples, yes, seed) => {
        const approvals = approving(({ origin }) => yes(origin.file));
        const groups = groupsOf(samples).toSorted(
          (left, right) => rank.indexOf(left.agent) - rank.indexOf(right.agent),
        );
        const turned = groups
          .map((_, index) => groups[(index + seed) % groups.length])
          .filter((group) => group !== undefined);
        const again = turned.toSorted((left, right) => rank.indexOf(left.agent) - rank.indexOf(right.agent));
        expect(rankServers(again, approvals)).toEqual(rankServers(groups, approvals));
        for (const { definition, trust } of rankServers(groups, approvals).servers) {
          const rivals = groups
            .flatMap(({ definitions }) => definitions)
            .filter(({ name }) => name === definition.name);
          if (trust === 'untrusted')
            expect(rivals.every((rival) => approvals.stateOf(rival) === 'untrusted')).toBe(true);
        }
      },
    ),
  );
});

test('a user’s server changed by a fragment is joined with it only while it behaves the same, or once it is approved', () => {
  const user = definitionOf({ agent: 'opencode', scope: 'user', command: 'c', enabled: false });
  const theirs = definitionOf({ agent: 'opencode', scope: 'project', command: 'c' });
  const mixed = (enabled: boolean): ServerDefinition => ({
    ...theirs,
    enabled,
    parts: [...user.parts, ...theirs.parts],
  });
  const refs = (definitions: readonly ServerDefinition[], approvals: Approvals): unknown => {
    const { servers, shadowed } = rankServers([{ agent: 'opencode', definitions }], approvals);
    return [servers.map(({ ref }) => ref), shadowed.map(({ ref }) => ref)];
  };
  expect(refs([user, mixed(true)], nobody)).toEqual([['x'], ['x@opencode:project']]);
  expect(refs([user, mixed(false)], nobody)).toEqual([['x'], []]);
  expect(refs([user, mixed(true)], everybody)).toEqual([['x'], []]);
  expect(refs([user, theirs], nobody)).toEqual([['x'], []]);
});

test("an order of the project's agents swaps only the project's definitions of one scope", () => {
  const samples: readonly Sample[] = [
    { agent: 'cursor', scope: 'project' },
    { agent: 'codex', scope: 'project' },
    { agent: 'zed', scope: 'local' },
    { agent: 'vscode', scope: 'user' },
  ];
  const order: readonly AgentId[] = ['codex', 'cursor', 'zed', 'vscode'];
  const ranked = (rank?: (agent: AgentId) => number): readonly AgentId[] =>
    rankServers(groupsOf(samples), everybody, rank).candidates.map(
      ({ definition }) => definition.origin.agent,
    );
  expect(ranked()).toEqual(['zed', 'cursor', 'codex', 'vscode']);
  expect(ranked((agent) => order.indexOf(agent))).toEqual(['zed', 'codex', 'cursor', 'vscode']);
});
