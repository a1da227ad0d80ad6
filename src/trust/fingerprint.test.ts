import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { makeMachine, memoryFiles } from '../../tests/support/agent-machine.ts';
import { projectProgram, projectRemote } from '../../tests/support/sample-servers.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { changedFiles, diffFields, fingerprint } from './fingerprint.ts';

const machine = makeMachine();
const files = memoryFiles(machine, {});
const digestOf = (definition: ServerDefinition, on = machine): string =>
  fingerprint(definition, on, files).digest;

const base = projectProgram(
  'node',
  ['--flag', 'value'],
  { env: { A: '1', B: '2' }, cwd: 'sub' },
  { name: 'a' },
);
const web = projectRemote('https://shop.test/mcp', { headers: { 'X-A': '1' } });
const launchOf = (definition: ServerDefinition): object => definition.launch;
const withLaunch = (definition: ServerDefinition, launch: object): ServerDefinition => ({
  ...definition,
  launch: { ...launchOf(definition), ...launch } as ServerDefinition['launch'],
});

describe('a digest', () => {
  test('is a SHA-256 and the same for the same entry', () => {
    expect(digestOf(base)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(digestOf(structuredClone(base))).toBe(digestOf(base));
  });

  const changes: readonly (readonly [string, ServerDefinition])[] = [
    ['the name', { ...base, name: 'b' }],
    ['the agent', { ...base, origin: { ...base.origin, agent: 'cursor' } }],
    ['the dialect', { ...base, dialect: 'claude' }],
    ['the file', { ...base, parts: [{ ...base.origin, file: '/srv/shop/mcp.json' }] }],
    ['the command', withLaunch(base, { command: 'deno' })],
    ['an argument', withLaunch(base, { args: ['--flag', 'valuE'] })],
    ['the order of arguments', withLaunch(base, { args: ['value', '--flag'] })],
    ['where one argument ends', withLaunch(base, { args: ['--flag value'] })],
    ['a value of a variable', withLaunch(base, { env: { A: '1', B: '3' } })],
    ['the name of a variable', withLaunch(base, { env: { A: '1', C: '2' } })],
    [
      'a variable that is handed on',
      withLaunch(base, { envFrom: { T: { variable: 'T', prefix: '', suffix: '' } } }),
    ],
    ['the folder', withLaunch(base, { cwd: 'other' })],
    ['what is inherited', withLaunch(base, { inheritEnv: 'all' })],
    ['a placeholder', withLaunch(base, { env: { A: '1', B: '${B}' } })],
    ['a command for a value', withLaunch(base, { env: { A: '1', B: '!pass b' } })],
    ['the login', { ...base, auth: { type: 'oauth', credentialId: 'mcp:mine' } }],
    ['calls that go unasked', { ...base, tools: { autoApprove: ['delete'] } }],
  ];
  test.each(changes)('changes with %s', (_what, changed) => {
    expect(digestOf(changed)).not.toBe(digestOf(base));
  });

  const remoteChanges: readonly (readonly [string, object])[] = [
    ['the URL', { url: 'https://shop.test/mcp2' }],
    ['the transport', { kind: 'sse' }],
    ['a header', { headers: { 'X-A': '2' } }],
    ['a header from a variable', { headersFrom: { 'X-B': { variable: 'B', prefix: '', suffix: '' } } }],
    ['the helper for headers', { headersHelper: './headers.sh' }],
    ['an endpoint of the login', { oauth: { tokenEndpoint: 'https://other.test/token' } }],
    ['a login that is off', { oauth: false }],
    ['a certificate', { tls: { caFile: 'ca.pem' } }],
  ];
  test.each(remoteChanges)('of a remote server changes with %s', (_what, launch) => {
    expect(digestOf(withLaunch(web, launch))).not.toBe(digestOf(web));
  });

  test('differs between projects for the same entry', () => {
    expect(digestOf(base, makeMachine({ projectRoot: '/srv/clone' }))).not.toBe(digestOf(base));
  });

  test('does not change with switches, limits, other tools, line numbers or the order of variables', () => {
    const moved = { ...base.origin, line: 99, column: 1 };
    const same: ServerDefinition = {
      ...withLaunch(base, { env: { B: '2', A: '1' } }),
      enabled: false,
      timeouts: { idleMs: 1 },
      tools: { include: ['x'], exclude: ['y'] },
      origin: moved,
      parts: [moved],
      alsoIn: [{ ...moved, enabled: true }],
    };
    expect(digestOf(same)).toBe(digestOf(base));
  });

  test('includes the inputs that the entry asks for, and not those of other entries', () => {
    const input = { id: 'key', description: 'Key', password: true };
    const asking = projectProgram('x', ['${input:key}'], {}, { dialect: 'vscode', inputs: [input] });
    const neighbour = { ...asking, inputs: [input, { id: 'other', description: 'Other', password: false }] };
    const other = { ...asking, inputs: [{ ...input, description: 'Your password' }] };
    expect(digestOf(neighbour)).toBe(digestOf(asking));
    expect(digestOf(other)).not.toBe(digestOf(asking));
  });

  test('T09: includes the target when the config file is a link', () => {
    const linked = (target: string): string =>
      fingerprint(base, machine, files, (place) => (place === '/srv/shop/.mcp.json' ? target : place)).digest;
    expect(new Set([digestOf(base), linked('/etc/x.json'), linked('/etc/y.json')]).size).toBe(3);
    expect(linked('/srv/shop/.mcp.json')).toBe(digestOf(base));
  });

  test('differs between entries whose arguments only look alike when joined', () => {
    const args = fc.array(fc.string(), { maxLength: 4 });
    fc.assert(
      fc.property(args, args, (left, right) => {
        const same = JSON.stringify(left) === JSON.stringify(right);
        expect(digestOf(projectProgram('x', left)) === digestOf(projectProgram('x', right))).toBe(same);
      }),
    );
  });
});

describe('the stored fields', () => {
  test('contain no literal secret, complete or in part', () => {
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const definition = projectProgram('x', ['--token', secret], { env: { API_KEY: secret } });
    const { fields } = fingerprint(definition, machine, files);
    expect(JSON.stringify(fields)).not.toContain(secret.slice(4, 20));
    expect(fields.find(({ path }) => path === 'env.API_KEY')?.shown).toBe('***');
  });

  test('show the difference field by field', () => {
    const after = withLaunch(base, { args: ['-e', 'value', 'more'], env: { A: '1' } });
    const [old, now] = [base, after].map((definition) => fingerprint(definition, machine, files).fields);
    expect(diffFields(old ?? [], now ?? [])).toEqual([
      { path: 'args[0]', before: '--flag', after: '-e' },
      { path: 'env.B', before: '2', after: undefined },
      { path: 'args[2]', before: undefined, after: 'more' },
    ]);
  });

  test('show that a secret changed without showing the secret', () => {
    const with1 = projectProgram('x', [], { env: { API_KEY: 'abcdefgh1234567' } });
    const with2 = projectProgram('x', [], { env: { API_KEY: 'abcdefgh1234568' } });
    const [old, now] = [with1, with2].map((definition) => fingerprint(definition, machine, files).fields);
    expect(diffFields(old ?? [], now ?? [])).toEqual([{ path: 'env.API_KEY', before: '***', after: '***' }]);
  });

  test('T129: name the files that changed, even if the approval names none', () => {
    const program = projectProgram('node', ['a.js', 'b.js']);
    const fieldsOf = (a: string): ReturnType<typeof fingerprint>['fields'] =>
      fingerprint(program, machine, memoryFiles(machine, { './a.js': a, './b.js': 'same' })).fields;
    const old = fieldsOf('one').map(({ path, hash, shown }) => ({ path, hash, shown }));
    expect(changedFiles(fieldsOf('one'), fieldsOf('two'))).toEqual(['a.js']);
    expect(changedFiles(old, fieldsOf('two'))).toEqual(['a.js']);
    expect(changedFiles(old, fieldsOf('one'))).toEqual([]);
    const without = fingerprint(program, machine, memoryFiles(machine, { './b.js': 'same' })).fields;
    expect(changedFiles(fieldsOf('one'), without)).toEqual(['a.js']);
    expect(changedFiles(old, without)).toEqual([]);
  });
});
