/** Options that nobody can mean are told with their place, what was given and what there is. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from 'vitest';

import { HoltError } from '../kernel/errors.ts';
import { openHost } from './library-host.ts';
import type { HostOptions } from './host.ts';
import { requireOptions } from './require-options.ts';

function errorsOf(options: unknown): readonly string[] {
  try {
    requireOptions(options as HostOptions); // what a program without types hands over
    return [];
  } catch (error) {
    if (!HoltError.is(error, 'config-invalid')) throw error;
    expect(error.message).toBe(`Invalid options: ${error.details.errors.join('; ')}`);
    return error.details.errors;
  }
}

const ownSelf: Record<string, unknown> = { command: 'x' };
ownSelf['env'] = { back: ownSelf };
const grumpy = {
  command: 'x',
  get args(): never {
    throw new Error('a secret');
  },
};

test.each<readonly [string, unknown, readonly string[]]>([
  ['has no name for the program', { app: { version: '1' } }, ['app has no name']],
  [
    'has a page of the program that is no web page',
    { app: { name: 'acme', url: 'file:///etc/passwd' } },
    ['app.url must be an http or https URL, but is a string'],
  ],
  [
    'leads back to itself',
    { servers: { good: { command: 'x' }, odd: ownSelf } },
    ['servers.odd.env.back leads back to an object that contains it'],
  ],
  [
    'has a BigInt',
    { servers: { odd: { command: 'x', args: ['y', 5n] } } },
    ['servers.odd.args.1 must be a number or a string, but is a BigInt'],
  ],
  ['is a BigInt', { servers: { odd: 5n } }, ['servers.odd must be a number or a string, but is a BigInt']],
  [
    'comes from a plugin',
    { plugins: [{ servers: { odd: ownSelf } }] },
    ['plugins[0].servers.odd.env.back leads back to an object that contains it'],
  ],
  ['cannot be read', { servers: { odd: grumpy } }, ['servers.odd cannot be read as JSON']],
])('a definition that no file could hold because it %s is refused by its name', (_, options, errors) => {
  expect(errorsOf(options)).toEqual(errors);
});

test('an object that stands in two places of a definition is no circle', () => {
  const env = { A: '1' };
  expect(
    errorsOf({ servers: { one: { command: 'x', env }, two: { command: 'y', env, more: { env } } } }),
  ).toEqual([]);
});

test('such a definition is refused as well when it is added later', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'holt-options-'));
  await using host = await openHost({ home, cwd: home });
  const reason = 'odd.env.back leads back to an object that contains it';
  await expect(host.add('odd', ownSelf as never)).rejects.toMatchObject({
    code: 'config-invalid',
    message: `Invalid server config: ${reason}`,
    details: { errors: [reason] },
  });
  await rm(home, { recursive: true });
});

const run = (): undefined => undefined;
const policyFields = 'an object with default, deny, ask, allow';

test.each<readonly [unknown, readonly string[]]>([
  [null, ['options must be an object, but is null']],
  [{ naming: 'foo' }, ['naming must be "double" or "single" or "plain" or "bare", but is "foo"']],
  [{ naming: 5 }, ['naming must be "double" or "single" or "plain" or "bare", but is 5']],
  [{ cwd: 5, home: {} }, ['cwd must be a string, but is 5', 'home must be a string, but is an object']],
  [{ env: 'A=1' }, ['env must be an object, but is a string']],
  [{ agents: 'cursor' }, ['agents must be a list of agents, but is a string']],
  [{ agents: ['cursor', 5] }, ['agents[1] must be a string, but is 5']],
  [{ client: 'cursr' }, ['client names an unknown agent "cursr" (did you mean "cursor"?)']],
  [{ client: 5 }, ['client must be a string, but is 5']],
  [{ servers: null }, ['servers must be an object, but is null']],
  [{ servers: [] }, ['servers must be an object, but is a list']],
  [new Map(), ['options must be an object, but is a Map']],
  [Promise.resolve({}), ['options must be an object, but is a Promise']],
  [{ servers: new Map() }, ['servers must be an object, but is a Map']],
  [{ servers: Promise.resolve({}) }, ['servers must be an object, but is a Promise']],
  [{ servers: { a: new Map() } }, ['servers.a must be a plain value, but is a Map']],
  [
    { servers: { a: { url: 'http://a', headers: new Headers() } } },
    ['servers.a.headers must be a plain value, but is a Headers'],
  ],
  [{ plugins: {} }, ['plugins must be a list of plugins, but is an object']],
  [{ plugins: [{ servers: 'x' }] }, ['plugins[0].servers must be an object, but is a string']],
  [{ watch: 'yes' }, ['watch must be true or false, but is a string']],
  [{ trust: { digests: 'x' } }, ['trust.digests must be a list of digests, but is a string']],
  [{ trust: { digest: [] } }, ['trust has no "digest" (did you mean "digests"?)']],
  [{ interaction: { elicit: 'x' } }, ['interaction.elicit must be a function, but is a string']],
  [{ interaction: { ellicit: run } }, ['interaction has no "ellicit" (did you mean "elicit"?)']],
  [{ polcy: {} }, ['unknown option "polcy" (did you mean "policy"?)']],
  [{ somethingElse: 1 }, [expect.stringMatching(/^unknown option "somethingElse" \(known are cwd, home, /)]],
  [
    { hooks: { 'tool.execute.befor': run } },
    ['hooks has no "tool.execute.befor" (did you mean "tool.execute.before"?)'],
  ],
  [
    { plugins: [{ hooks: { 'tool.executed.after': run } }] },
    ['plugins[0].hooks has no "tool.executed.after" (did you mean "tool.execute.after"?)'],
  ],
  [{ stores: { pin: {} } }, ['stores has no "pin" (did you mean "pins"?)']],
  [{ logger: { warn: 'x' } }, ['logger.warn must be a function, but is a string']],
  [
    { hooks: { 'tool.execute.before': 'x' } },
    ['hooks.tool.execute.before must be a function, but is a string'],
  ],
  [
    { hooks: { 'tool.execute.after': [() => undefined, {}] } },
    ['hooks.tool.execute.after[1].run must be a function, but is missing'],
  ],
])('%j is refused', (options, errors) => {
  expect(errorsOf(options)).toEqual(errors);
});

test.each<readonly [unknown, readonly string[]]>([
  [null, [`policy must be ${policyFields}, but is null`]],
  ['allow', [`policy must be ${policyFields}, but is a string`]],
  [['mcp__s'], [`policy must be ${policyFields}, but is a list`]],
  [{ default: 'maybe' }, ['policy.default must be "deny" or "ask" or "allow", but is "maybe"']],
  [{ alow: ['mcp__s'] }, ['policy has no "alow" (did you mean "allow"?)']],
  [{ default: 'allow', deny: 'mcp__s' }, ['policy.deny must be a list of rules, but is a string']],
  [{ deny: [5] }, ['policy.deny[0] must be a rule as text, but is 5']],
])('the policy %j is refused', (policy, errors) => {
  expect(errorsOf({ policy })).toEqual(errors);
});

const limit = 'a number of milliseconds, 0 for no limit,';

test.each<readonly [unknown, readonly string[]]>([
  [{ startMs: -1 }, [`timeouts.startMs must be ${limit}, but is -1`]],
  [{ startMs: 'x' }, [`timeouts.startMs must be ${limit}, but is a string`]],
  [{ idleMs: Number.NaN }, [`timeouts.idleMs must be ${limit}, but is NaN`]],
  [{ phases: { ready: 'x' } }, [`timeouts.phases.ready must be ${limit}, but is a string`]],
  [{ phase: 3 }, ['timeouts has no "phase" (did you mean "phases"?)']],
  [{ phases: { listing: 5 } }, [expect.stringMatching(/^timeouts\.phases has no "listing" \(/)]],
])('the timeouts %j are refused', (timeouts, errors) => {
  expect(errorsOf({ timeouts })).toEqual(errors);
});

test('whatever fits is taken, as is what was left out', () => {
  const whole = {
    cwd: '/x',
    home: undefined,
    env: { A: undefined },
    agents: ['*'],
    servers: {},
    plugins: [{ name: 'p', servers: {}, hooks: {} }],
    naming: 'bare',
    policy: { default: 'deny', allow: [], ask: undefined, deny: ['mcp__s'] },
    hooks: { 'tool.execute.before': [run, { run, required: true }], 'tool.execute.after': run },
    timeouts: { startMs: 0, idleMs: 1.5, totalMs: Infinity, phases: { connecting: 5 } },
    watch: false,
    trust: { digests: [] },
    interaction: { elicit: run, confirmTrust: undefined },
    stores: { pins: {} },
    logger: console,
  };
  const nothing = Object.fromEntries(Object.keys(whole).map((key) => [key, undefined]));
  expect([errorsOf(whole), errorsOf(nothing), errorsOf({})]).toEqual([[], [], []]);
  expect(errorsOf({ cwd: null, naming: null, logger: null, interaction: null, timeouts: null })).toEqual([]);
  const others = {
    hooks: { x: null },
    interaction: { elicit: null, x: undefined },
    timeouts: { x: null },
    x: null,
  };
  expect(errorsOf(others)).toEqual([]);
});

test('an object of a class may keep what it likes beside its answers', () => {
  class Person {
    readonly name = 'ada';
    readonly elicit = run;
  }
  expect(errorsOf({ interaction: new Person() })).toEqual([]);
});

test('who is asked by null is asked by nobody, and the others as before', () => {
  class Person {
    readonly askPermission = null;
    elicit(): string {
      return 'asked';
    }
  }
  const given: object = new Person();
  const { interaction } = requireOptions({ interaction: given });
  expect([interaction?.askPermission, interaction?.elicit]).toEqual([undefined, Person.prototype.elicit]);
  const whole: object = { interaction: { elicit: undefined } };
  expect(requireOptions(whole)).toBe(whole);
});

test('no host is opened with them', async () => {
  const options: object = { naming: 'foo' };
  await expect(openHost(options)).rejects.toMatchObject({ code: 'config-invalid' });
});

test.each<readonly [string, unknown, string]>([
  [
    'a field of the wrong type',
    { command: 'node', args: 'x' },
    'servers.a: "args" must be a list of strings',
  ],
  [
    'a switch that is no boolean',
    { command: 'node', disabled: 'yes' },
    'servers.a: "disabled" must be true or false',
  ],
])('openHost refuses a definition with %s, as host.add does', async (_, definition, reason) => {
  const home = await mkdtemp(path.join(tmpdir(), 'holt-options-'));
  const opening = openHost({ home, cwd: home, agents: [], servers: { a: definition as never } });
  await expect(opening).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining(reason) as unknown,
  });
  await rm(home, { recursive: true });
});
