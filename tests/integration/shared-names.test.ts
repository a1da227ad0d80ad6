/** A public name that two tools could have is nobody's, whichever server was faster; and what is said instead. */

import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { HoltError } from '../../src/kernel/errors.ts';
import type { ServerConfig } from '../../src/roster/server-config.ts';
import { openHostFixture, type HostFixture } from '../support/host-fixture.ts';

const allowed = { policy: { default: 'allow' } } as const;
const shared = 'mcp__a__b__c';

function hashed(server: string, tool: string): string {
  return `${shared}_${createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8)}`;
}

const both = [hashed('a', 'b__c'), hashed('a__b', 'c')];
const ambiguous = {
  code: 'tool-ambiguous',
  details: { tool: shared, matches: both },
  remedy: `Use one of these names: ${both.join(', ')}.`,
};

function pairIn(fixture: HostFixture): { readonly a: ServerConfig; readonly a__b: ServerConfig } {
  return { a: fixture.program('named-tools', 'b__c'), a__b: fixture.program('named-tools', 'c') };
}

function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'nothing',
    (error: unknown) => (HoltError.is(error) ? facts(error) : error),
  );
}

const facts = ({ code, details, remedy }: HoltError): object => ({ code, details, remedy });

test('it is refused even if one server had it first, and the error names both servers', async () => {
  await using fixture = await openHostFixture();
  const host = await fixture.open({ ...allowed, servers: pairIn(fixture) });
  await host.connect('a__b');
  await host.connect('a');
  const asked = [host.call(shared), host.findTool(shared), host.explain(shared)];
  expect(await Promise.all(asked.map(thrownBy))).toEqual([ambiguous, ambiguous, ambiguous]);
  expect((await host.tools()).map(({ name }) => name).toSorted()).toEqual(both.toSorted());
  expect((await host.call(both[0] ?? '')).server).toBe('a');
});

test('every server that may have it is listed before the name is used', async () => {
  await using fixture = await openHostFixture();
  const options = { ...allowed, servers: pairIn(fixture) };
  const hosts = await Promise.all([fixture.open(options), fixture.open(options)]);
  await Promise.all(hosts.map((host) => host.connect('a__b')));
  const [calling, finding] = hosts;
  const asked = [calling.call(shared), finding.findTool(shared)];
  expect(await Promise.all(asked.map(thrownBy))).toEqual([ambiguous, ambiguous]);
});

test('a name that was returned keeps its meaning when another server claims it', async () => {
  await using fixture = await openHostFixture();
  const { a, a__b } = pairIn(fixture);
  const host = await fixture.open({ ...allowed, servers: { a__b } });
  expect((await host.call(shared)).server).toBe('a__b');
  const told: string[] = [];
  host.on('mcp.tools.changed', ({ server }) => told.push(server));
  await host.add('a', a);
  await host.connect('a');
  expect((await host.tools()).map(({ name }) => name).toSorted()).toEqual(both.toSorted());
  expect(told.toSorted()).toEqual(['a', 'a__b']);
  expect((await host.call(shared)).server).toBe('a__b');
});

test('a mistyped name or selector is answered with the nearest one in the same form', async () => {
  await using fixture = await openHostFixture();
  const host = await fixture.open({ ...allowed, servers: { ex: fixture.program('named-tools', 'add') } });
  const refused = ['ex.ad', 'mcp__ex__ad'].map((name) => thrownBy(host.call(name)));
  expect(await Promise.all(refused)).toMatchObject([
    { code: 'tool-not-found', remedy: 'Did you mean "ex.add"?' },
    { code: 'tool-not-found', remedy: 'Did you mean "mcp__ex__add"?' },
  ]);
  expect(await thrownBy(host.findTool('ex.ad'))).toMatchObject({ remedy: 'Did you mean "ex.add"?' });
});

test('a search among the tools of an unknown server is refused, as a list of them is', async () => {
  await using fixture = await openHostFixture();
  const host = await fixture.open({ servers: {} });
  const asked = [host.tools({ server: 'nope' }), host.searchTools('x', { server: 'nope' })];
  expect(await Promise.all(asked.map(thrownBy))).toMatchObject([
    { code: 'server-not-found' },
    { code: 'server-not-found' },
  ]);
});
