/** What somebody accepts in one place, a host that runs in another one on the same home takes up. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import { HoltError } from '../../src/kernel/errors.ts';
import { nextEvent, openHostFixture, type HostFixture } from '../support/host-fixture.ts';

interface TwoHosts {
  /** Both withhold `write`, which is another thing than it was. */
  readonly here: Host;
  readonly elsewhere: Host;
}

async function openBoth(fixture: HostFixture): Promise<TwoHosts> {
  const file = path.join(fixture.home, 'description.txt');
  const servers = { s: fixture.program('changes-tool-descriptions', fixture.startsFile, file) };
  const open = (): Promise<Host> =>
    fixture.open({ policy: { default: 'allow' }, pinning: 'withhold', servers });
  await writeFile(file, 'Writes');
  const first = await open();
  await first.tools();
  await first.close();
  await writeFile(file, 'Writes all');
  const [here, elsewhere] = await Promise.all([open(), open()]);
  await Promise.all([here.tools({ wait: 'settled' }), elsewhere.tools({ wait: 'settled' })]);
  expect(await outcome(here)).toBe('tool-changed');
  return { here, elsewhere };
}

const outcome = (host: Host): Promise<string> =>
  host.call('mcp__s__write').then(
    ({ text }) => text,
    (error: unknown) => (HoltError.is(error) ? error.code : String(error)),
  );

test('a tool that another process accepted can be called and emits an event, without a reload', async () => {
  await using fixture = await openHostFixture();
  const { here, elsewhere } = await openBoth(fixture);
  const told = nextEvent(here, 'mcp.tools.changed');
  await elsewhere.acceptPins('s', 'write');
  expect(await outcome(here)).toBe('write');
  expect(await told).toMatchObject({ server: 's' });
  expect(here.withheld()).toEqual([]);
});

test('a tool that another process accepted is listed', async () => {
  await using fixture = await openHostFixture();
  const { here, elsewhere } = await openBoth(fixture);
  await elsewhere.acceptPins('s', 'write');
  expect((await here.tools()).map(({ tool }) => tool)).toEqual(['read', 'write']);
});

test('reload() reads the pins again, also for tools that were offered', async () => {
  await using fixture = await openHostFixture();
  const { here, elsewhere } = await openBoth(fixture);
  await elsewhere.acceptPins('s', 'write');
  await here.reload();
  expect(here.withheld()).toEqual([]);

  // Elsewhere the server has changed once more and was accepted so; here it still is what it was.
  await writeFile(path.join(fixture.home, 'description.txt'), 'Writes nothing');
  await elsewhere.disconnect('s');
  await elsewhere.connect('s');
  await elsewhere.acceptPins('s', 'write');
  await here.reload();
  expect(here.withheld()).toMatchObject([{ server: 's', tool: 'write' }]);
  expect(await outcome(here)).toBe('tool-changed');
});
