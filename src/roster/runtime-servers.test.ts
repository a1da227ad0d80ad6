/** Tests of servers that a program hands over: one rule for their names, and whose values are taken as they are. */

import { expect, test } from 'vitest';

import { readMachine } from '../platform/machine-facts.ts';
import { literalValues, readRuntimeServers } from './runtime-servers.ts';
import { validateServerConfig } from './validate-server-config.ts';

const machine = readMachine({ home: '/h', cwd: '/h', env: {} });
const config = { command: 'x' };

test.each(['@scope/pkg', 'a/b', 'x y', 'ümläut'])('"%s", which a file may have, is a name', (name) => {
  expect(validateServerConfig(config, name).ok).toBe(true);
  const { definitions, problems } = readRuntimeServers({ [name]: config }, machine);
  expect([definitions.map((definition) => definition.name), problems]).toEqual([[name], []]);
});

test.each([' ', '', 'a\u0007', 'a\u200bb', 'x'.repeat(101)])(
  'the name "%s" is refused as it is when it is added later, and costs one entry',
  (name) => {
    const verdict = validateServerConfig(config, name);
    const { definitions, problems } = readRuntimeServers({ [name]: config, fine: config }, machine);
    expect(definitions.map((definition) => definition.name)).toEqual(['fine']);
    expect(problems.map(({ severity, code, message }) => ({ severity, code, message }))).toEqual([
      { severity: 'error', code: 'entry-invalid', message: verdict.ok ? '' : verdict.errors[0] },
    ]);
  },
);

test('names that hurt elsewhere are ordinary names', () => {
  const servers = JSON.parse('{"__proto__": {"command": "x"}, "constructor": {"command": "x"}}');
  const { definitions, problems } = readRuntimeServers(servers, machine);
  expect([definitions.map(({ name }) => name), problems]).toEqual([['__proto__', 'constructor'], []]);
});

test('values that are what they are hold no placeholders, also in a copy of the config', () => {
  const given = { ...config, env: { A: '${B}' }, [literalValues]: true };
  const { definitions } = readRuntimeServers({ given, copy: { ...given }, usual: config }, machine);
  expect(definitions.map(({ name, dialect }) => [name, dialect])).toEqual([
    ['given', 'none'],
    ['copy', 'none'],
    ['usual', 'holt'],
  ]);
});

test('in opencode’s shape placeholders and `timeout` mean what they mean there', () => {
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

test('in Claude’s shape `timeout` stays the limit of a call, and phase_timeouts counts', () => {
  const given = { ...config, timeout: 4000, phase_timeouts: { initializing: 20 } };
  expect(readRuntimeServers({ given }, machine).definitions).toMatchObject([
    { dialect: 'holt', timeouts: { idleMs: 4000, phases: { initializing: 20_000 } } },
  ]);
});
