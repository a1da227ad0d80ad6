import { describe, expect, test } from 'vitest';

import type { Layer } from '../agents/agent-format.ts';
import { combine, formatOf, type Sample } from '../../tests/support/combine-fixture.ts';
import { plainDefinition } from '../../tests/support/plain-definition.ts';
import type { ReadLayer } from './load-source.ts';
import { applySharedSwitches, applySharedTimeouts, type SwitchList } from './switches.ts';

describe('lists that switch servers on and off', () => {
  const on = '{"a": {"command": "one"}, "b": {"command": "two", "enabled": false}}';
  const named = (name: string) => ({ name, at: 0 });
  const states = (samples: readonly Sample[]) =>
    Object.fromEntries(
      combine(formatOf('fields'), samples).shown.map(([name, , , , state]) => [name, state]),
    );

  test('off beats on, and on beats what the entry says', () => {
    expect(states([{ scope: 'user', text: on }])).toEqual({ a: 'on', b: 'off' });
    expect(states([{ scope: 'user', text: on, layer: { switches: { on: ['b'] } } }])).toEqual({
      a: 'on',
      b: 'on',
    });
    expect(
      states([{ scope: 'user', text: on, layer: { switches: { on: ['a', 'b'], off: [named('a')] } } }]),
    ).toEqual({
      a: 'off',
      b: 'on',
    });
  });

  test('one of several lists is enough', () => {
    const empty: Sample = { scope: 'user', text: '{}', layer: { switches: {} } };
    const list = (switches: Layer['switches'] & object): Sample => ({
      scope: 'user',
      text: on,
      layer: { switches },
    });
    expect(states([empty, list({ off: [named('a')] })])).toEqual({ a: 'off', b: 'off' });
    expect(states([empty, list({ on: ['b'] })])).toEqual({ a: 'on', b: 'on' });
  });

  test('what a list of the only ones leaves out is off', () => {
    expect(
      states([{ scope: 'user', text: on, layer: { switches: { only: { names: ['b'], at: 0 } } } }]),
    ).toEqual({
      a: 'off',
      b: 'off',
    });
    expect(
      states([{ scope: 'user', text: on, layer: { switches: { only: { names: ['a'], at: 0 } } } }]),
    ).toEqual({
      a: 'on',
      b: 'off',
    });
  });

  test('names are compared as the agent compares them', () => {
    const matches = (listed: string, name: string) => listed.toLowerCase() === name;
    expect(
      states([{ scope: 'user', text: on, layer: { switches: { off: [named('A')], matches } } }]),
    ).toEqual({
      a: 'off',
      b: 'off',
    });
    expect(states([{ scope: 'user', text: on, layer: { switches: { off: [named('A')] } } }])).toEqual({
      a: 'on',
      b: 'off',
    });
  });

  test("a project's list switches off what is the user's, and on only what is the project's", () => {
    const list = (switches: Layer['switches'] & object, more = '{}'): Sample => ({
      scope: 'project',
      guarded: true,
      text: more,
      layer: { switches },
    });
    const user: Sample = { scope: 'user', text: on };
    expect(states([user, list({ off: [named('a')] })])).toEqual({ a: 'off', b: 'off' });
    expect(states([user, list({ on: ['b'] })])).toEqual({ a: 'on', b: 'off' });
    const own = '{"c": {"command": "three", "enabled": false}}';
    expect(states([user, list({ on: ['c'] }, own)])).toEqual({ a: 'on', b: 'off', c: 'on' });
  });
});

describe('lists about the shared files of a project', () => {
  const [definition] = combine(formatOf('whole'), [
    { scope: 'project', guarded: true, text: '{"a": {"command": "one"}}' },
  ]).definitions;
  const list = (name: string, rejected: boolean): SwitchList => ({
    agent: 'claude-code',
    file: '/lists',
    guarded: false,
    switches: {},
    shared: [{ name, at: 7, rejected }],
    lineAt: (offset) => offset,
  });

  test('switch a server off, and say whether it was rejected', () => {
    if (definition === undefined) throw new Error('the sample has no server');
    const by = { kind: 'switch', file: '/lists', line: 7, agent: 'claude-code' };
    const off = applySharedSwitches(definition, [list('a', false), list('a', true)]);
    expect([off.enabled, off.offBy]).toEqual([false, [by, { ...by, rejected: true }]]);
    expect(applySharedSwitches(off, [list('a', false)]).offBy).toHaveLength(3);
    expect(applySharedSwitches(definition, [list('b', true)])).toBe(definition);
  });
});

describe('timeouts of a whole file', () => {
  const layerOf = (guarded: boolean, layer: Partial<Layer>): ReadLayer => {
    const location = { path: '/f', format: 'json', scope: 'user', guarded };
    return { file: { location } as ReadLayer['file'], layer: { entries: [], ...layer } }; // no other part is read
  };
  const own = { ...plainDefinition('holt', { kind: 'stdio', command: 'x', args: [], env: {}, envFrom: {} }) };
  const shared = { startMs: 5, idleMs: 6, phases: { connecting: 7 } };

  test('a file without timeouts changes nothing', () => {
    expect(applySharedTimeouts([own], [layerOf(false, {})])).toEqual([own]);
  });

  test("a server's own limits count before those of its file", () => {
    const limited = { ...own, timeouts: { startMs: 1, phases: { initializing: 2 } } };
    expect(
      applySharedTimeouts([own, limited], [layerOf(false, { timeouts: shared })]).map(
        ({ timeouts }) => timeouts,
      ),
    ).toEqual([shared, { startMs: 1, idleMs: 6, phases: { connecting: 7, initializing: 2 } }]);
    expect(applySharedTimeouts([own], [layerOf(false, { timeouts: { idleMs: 3 } })])[0]?.timeouts).toEqual({
      idleMs: 3,
    });
  });

  test("a project's file limits the project's servers only", () => {
    const limits = applySharedTimeouts(
      [own, { ...own, guarded: true }],
      [layerOf(true, { timeouts: shared })],
    );
    expect(limits.map(({ timeouts }) => timeouts)).toEqual([{}, shared]);
  });
});
