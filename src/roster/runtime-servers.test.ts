/** Tests of servers that a program hands over: one rule for their names, and whose values are taken as they are. */

import { expect, test } from 'vitest';

import { readMachine } from '../platform/machine-facts.ts';
import { literalValues } from './literal-values.ts';
import { readRuntimeServers } from './runtime-servers.ts';
import { validateServerConfig } from './validate-server-config.ts';

const machine = readMachine({ home: '/h', cwd: '/h', env: {} });
const config = { command: 'x' };

test.each(['My Srv', ' ', '', 'a/b', 'ümläut', 'x'.repeat(101)])(
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
