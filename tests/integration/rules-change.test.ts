/** Rules that were changed hold from the moment the host has read them, for the very next call. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { HoltError } from '../../src/kernel/errors.ts';
import { openHostFixture } from '../support/host-fixture.ts';

test('a tool that is denied now is not called after reload(), and one that is allowed again is', async () => {
  await using fixture = await openHostFixture();
  const write = async (permissions: object): Promise<void> =>
    writeFile(path.join(fixture.home, '.holt', 'config.json'), JSON.stringify({ permissions }));
  await mkdir(path.join(fixture.home, '.holt'));
  await write({ allow: ['mcp__s__echo'] });
  const host = await fixture.open({ servers: { s: fixture.program('echo') } });
  const outcome = (): Promise<string> =>
    host.call('mcp__s__echo', { text: 'hello' }).then(
      ({ text }) => text,
      (error: unknown) => (HoltError.is(error) ? error.code : String(error)),
    );
  expect(await outcome()).toBe('hello');
  await write({ deny: ['mcp__s__echo'] });
  await host.reload();
  // The second one finds what the first has looked up.
  expect([await outcome(), await outcome()]).toEqual(['call-denied', 'call-denied']);
  await write({ allow: ['mcp__s__echo'] });
  await host.reload();
  expect(await Promise.all([outcome(), outcome(), outcome()])).toEqual(['hello', 'hello', 'hello']);
});

test.each([
  ['is cut off', '{"permissions": {"deny": ["mcp__s"]}', 1],
  ['is a list', '["mcp__s"]', 1],
  ['has rules that are no texts', '{"permissions": {"deny": [5]}}', 1],
  ['has rules that can be read', '{"permissions": {"deny": ["mcp__s"]}}', 0],
])('a rules file that %s is reported each time its content is new', async (_how, text, times) => {
  await using fixture = await openHostFixture();
  const file = path.join(fixture.home, '.holt', 'config.json');
  await mkdir(path.dirname(file));
  await writeFile(file, text);
  const { host, ready } = await fixture.openWithin();
  const told: unknown[] = [];
  host.on('mcp.warning', ({ code, message }) => told.push([code, message]));
  await ready();
  await host.reload();
  const message = `Rules for tools cannot be read in ${file}: what they may have held back is asked for. holt doctor says more.`;
  expect(told).toEqual(Array.from({ length: times }, () => ['rules-unreadable', message]));
});
