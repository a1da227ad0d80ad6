/** Rules that were changed hold from the moment the host has read them, for the very next call. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { HoltError } from '../../src/kernel/errors.ts';
import { openHostWorld } from '../support/host-world.ts';

test('a tool that is denied now is not called after reload(), and one that is allowed again is', async () => {
  await using world = await openHostWorld();
  const write = async (permissions: object): Promise<void> =>
    writeFile(path.join(world.home, '.holt', 'config.json'), JSON.stringify({ permissions }));
  await mkdir(path.join(world.home, '.holt'));
  await write({ allow: ['mcp__s__echo'] });
  const host = await world.open({ servers: { s: world.program('echo') } });
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
