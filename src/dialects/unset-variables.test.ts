/** Which variables a definition lacks, by the rules of its own dialect. */

import { expect, test } from 'vitest';
import { plainDefinition } from '../../tests/support/plain-definition.ts';
import type { DialectId, Launch } from '../kernel/servers.ts';
import { fieldName, unsetVariables } from './mentions.ts';

const stdio = { kind: 'stdio', command: 'c', args: [], env: {}, envFrom: {} } as const;
const http = { kind: 'http', url: 'https://h/', headers: {}, headersFrom: {} } as const;

function missing(dialect: DialectId, launch: Launch): readonly string[] {
  return unsetVariables(plainDefinition(dialect, launch), (name) => name === 'SET').map(
    ({ name, path }) => `${name} in ${fieldName(path)}`,
  );
}

test.each<readonly [string, DialectId, Launch, readonly string[]]>([
  ['once, where it first stands', 'holt', { ...stdio, args: ['${GONE}', 'x${GONE}'] }, ['GONE in args[0]']],
  ['not when it is set', 'holt', { ...stdio, env: { K: '${SET}${GONE}' } }, ['GONE in env.K']],
  ['not when there is a default', 'holt', { ...stdio, args: ['${GONE:-x}'] }, []],
  ['not as a bare name, which may be a text', 'omp', { ...stdio, env: { K: 'GONE' } }, []],
  ['not where its agent leaves it empty', 'gemini', { ...stdio, env: { K: '$GONE' } }, []],
  ['also where the literal is sent', 'claude', { ...stdio, env: { K: '${GONE}' } }, ['GONE in env.K']],
  ['not after a dollar alone, which may be a password’s', 'qwen', { ...stdio, env: { K: 'pass$GONE' } }, []],
  ['in an argument of a program, too', 'claude', { ...stdio, args: ['${GONE}'] }, ['GONE in args[0]']],
  ['not in one that the program fills in', 'claude', { ...stdio, args: ['${GONE}'], env: { GONE: 'x' } }, []],
  [
    'nor in one that it fills in from a variable',
    'claude',
    { ...stdio, args: ['${GONE}'], envFrom: { GONE: { variable: 'SET', prefix: '', suffix: '' } } },
    [],
  ],
  ['in a header', 'claude', { ...http, headers: { A: '${GONE}' } }, ['GONE in headers.A']],
])('a variable is missed %s', (_where, dialect, launch, found) => {
  expect(missing(dialect, launch)).toEqual(found);
});
