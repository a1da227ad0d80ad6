import { describe, expect, test } from 'vitest';

import { makeMachine, memoryFiles } from '../../tests/support/agent-machine.ts';
import { stdio } from '../../tests/support/expected.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { applyOverrides, loadOverrides, overrideKey, type Override } from './overrides.ts';

const machine = makeMachine();
const load = (text: string) =>
  loadOverrides(machine, memoryFiles(machine, { '~/.holt/overrides.json': text }));
const file = '/home/ada/.holt/overrides.json';
const key = { agent: 'cursor', scope: 'user', file: '/home/ada/.cursor/mcp.json', name: 'a' } as const;
const definition = (more: Partial<ServerDefinition> = {}): ServerDefinition => ({
  name: 'a',
  launch: stdio('a'),
  enabled: true,
  timeouts: {},
  dialect: 'cursor',
  origin: { agent: key.agent, scope: key.scope, file: key.file, line: 1, column: 1 },
  guarded: false,
  parts: [],
  alsoIn: [],
  ...more,
});

describe('reading', () => {
  test('without a file there are no overrides', () => {
    expect(loadOverrides(machine, memoryFiles(machine, {}))).toEqual({ overrides: [], problems: [] });
  });

  test('valid overrides apply, comments are allowed, and invalid ones are reported', () => {
    const text = `{ // mine\n"overrides": [\n${JSON.stringify({ ...key, enabled: false, inheritEnv: ['A'] })},\n{"name": "x"}, 7 ] }`;
    expect(load(text)).toEqual({
      overrides: [{ ...key, enabled: false, inheritEnv: ['A'], line: 3 }],
      problems: [4, 4].map((line, index) => ({
        severity: 'warning',
        code: 'field-invalid',
        file,
        line,
        column: index === 0 ? 1 : 16,
        message: 'this is not an override; it is ignored',
      })),
    });
  });

  test('a file that cannot be parsed overrides nothing', () => {
    expect(load('{')).toMatchObject({
      overrides: [],
      problems: [{ severity: 'error', code: 'file-syntax', file }],
    });
  });

  test('fields of a wrong type are ignored', () => {
    expect(
      load(JSON.stringify({ overrides: [{ ...key, enabled: 'no', inheritEnv: 'none' }] })).overrides,
    ).toEqual([{ ...key, line: 1 }]);
  });

  test('overrides for another project are ignored', () => {
    const local = { ...key, scope: 'local', enabled: false };
    const list = ['/srv/shop', '/srv/other'].map((project) => ({ ...local, project }));
    expect(load(JSON.stringify({ overrides: list })).overrides).toEqual([
      { ...local, project: '/srv/shop', line: 1 },
    ]);
  });
});

describe('applying', () => {
  const off: Override = { ...key, enabled: false };

  test('an override changes only its own definition', () => {
    const others = [
      definition({ name: 'b' }),
      definition({ origin: { ...definition().origin, agent: 'vscode' } }),
      definition({ origin: { ...definition().origin, scope: 'project' } }),
      definition({ origin: { ...definition().origin, file: '/elsewhere' } }),
    ];
    expect(applyOverrides([definition(), ...others], [off], '/o.json')).toEqual([
      definition({ enabled: false, offBy: [{ kind: 'override', file: '/o.json', line: 1 }] }),
      ...others,
    ]);
  });

  test('an override sets the environment that a server inherits', () => {
    expect(applyOverrides([definition()], [{ ...key, inheritEnv: 'safe' }], '/o.json')).toEqual([
      definition({ launch: stdio('a', { inheritEnv: 'safe' }) }),
    ]);
  });

  test('a server that an administrator disabled stays off; others can be disabled', () => {
    const origin = { ...definition().origin, scope: 'managed' } as const;
    const managed = { ...key, scope: 'managed' } as const;
    expect(
      applyOverrides([definition({ origin, enabled: false })], [{ ...managed, enabled: true }], '/o.json')[0]
        ?.enabled,
    ).toBe(false);
    expect(
      applyOverrides([definition({ origin })], [{ ...managed, enabled: false }], '/o.json')[0]?.enabled,
    ).toBe(false);
  });

  test('local servers are separate for each project', () => {
    const origin = { ...definition().origin, scope: 'local' } as const;
    expect(overrideKey(definition({ origin }), machine)).toEqual({
      ...key,
      scope: 'local',
      project: '/srv/shop',
    });
    expect(overrideKey(definition(), machine)).toEqual(key);
  });
});
