/** Tests of servers that a program hands over: one rule for their names, and whose values are taken as they are. */

import { expect, test } from 'vitest';

import { readMachine } from '../platform/machine-facts.ts';
import { literalValues, readRuntimeServers } from './runtime-servers.ts';
import { validateServerConfig } from './validate-server-config.ts';

const machine = readMachine({ home: '/h', cwd: '/h', env: {} });
const config = { command: 'x' };

test.each(['@scope/pkg', 'a/b', 'x y', 'ümläut'])('"%s" is a valid name, as in a file', (name) => {
  expect(validateServerConfig(config, name).ok).toBe(true);
  const { definitions, problems } = readRuntimeServers({ [name]: config }, machine);
  expect([definitions.map((definition) => definition.name), problems]).toEqual([[name], []]);
});

test.each([' ', '', 'a\u0007', 'a\u200bb', 'x'.repeat(101)])(
  'the invalid name "%s" is rejected as by host.add, and only its entry is dropped',
  (name) => {
    const verdict = validateServerConfig(config, name);
    const { definitions, problems } = readRuntimeServers({ [name]: config, fine: config }, machine);
    expect(definitions.map((definition) => definition.name)).toEqual(['fine']);
    expect(problems.map(({ severity, code, message }) => ({ severity, code, message }))).toEqual([
      { severity: 'error', code: 'entry-invalid', message: verdict.ok ? '' : verdict.errors[0] },
    ]);
  },
);

test('names such as __proto__ are ordinary names', () => {
  const servers = JSON.parse('{"__proto__": {"command": "x"}, "constructor": {"command": "x"}}');
  const { definitions, problems } = readRuntimeServers(servers, machine);
  expect([definitions.map(({ name }) => name), problems]).toEqual([['__proto__', 'constructor'], []]);
});

test('literal values contain no placeholders, also in a copy of the config', () => {
  const given = { ...config, env: { A: '${B}' }, [literalValues]: true };
  const { definitions } = readRuntimeServers({ given, copy: { ...given }, usual: config }, machine);
  expect(definitions.map(({ name, dialect }) => [name, dialect])).toEqual([
    ['given', 'none'],
    ['copy', 'none'],
    ['usual', 'holt'],
  ]);
});

test('in opencode’s shape, placeholders and `timeout` have opencode’s meaning', () => {
  const given = { type: 'local', command: ['x', 'a'], timeout: 4000 };
  const { definitions, problems } = readRuntimeServers(
    { given: { ...given, phase_timeouts: { connecting: 9 } } },
    machine,
  );
  expect(problems).toEqual([]);
  expect(definitions).toMatchObject([
    {
      dialect: 'opencode',
      launch: { command: 'x', args: ['a'] },
      timeouts: { phases: { connecting: 9000, initializing: 4000, listing_tools: 4000 } },
    },
  ]);
  expect(definitions[0]?.timeouts.idleMs).toBeUndefined();
  expect(validateServerConfig(given)).toMatchObject({ ok: true });
});

test('in Claude’s shape, `timeout` is the limit of a call, and phase_timeouts applies', () => {
  const given = { ...config, timeout: 4000, phase_timeouts: { initializing: 20 } };
  expect(readRuntimeServers({ given }, machine).definitions).toMatchObject([
    { dialect: 'holt', timeouts: { idleMs: 4000, phases: { initializing: 20_000 } } },
  ]);
});
