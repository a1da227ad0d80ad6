/** Tests of saving: what a file has already is somebody's, and only what this host wrote is its own to replace. */

import { expect, test } from 'vitest';

import { makeEditFixture, type EditFixture } from '../../tests/support/edit-fixture.ts';
import { literalValues } from '../roster/runtime-servers.ts';
import { Saver } from './save-changes.ts';

const first = { command: 'first', args: ['-v'], env: { B: '1', A: '2' } };
const second = { command: 'second' };
const own = '~/.holt/mcp.json';
const saverOf = ({ parts, roster }: EditFixture): Saver =>
  new Saver({
    ...parts,
    loadDefinitions: async () => (await roster()).candidates.map(({ definition }) => definition),
  });

test('a name that is taken is refused, and nothing is written', async () => {
  await using world = await makeEditFixture();
  await saverOf(world).added('fs', first, {});
  const before = await world.read(own);

  await expect(saverOf(world).added('fs', second, {})).rejects.toMatchObject({
    code: 'server-exists',
    message: `Server "fs" already exists in ${world.place(own)}`,
    remedy: 'Choose another name, remove it first, or rewrite it with --replace.',
  });
  expect(await world.read(own)).toBe(before);
});

test.each([
  [own, {}],
  ['~/.codex/config.toml', { agent: 'codex' }],
] as const)('%s: what the host saved itself it may replace, again and again', async (name, target) => {
  await using world = await makeEditFixture();
  const saver = saverOf(world);
  await saver.added('fs', first, target);
  await saver.added('fs', second, target);
  await saver.added('fs', { command: 'third' }, target);
  expect((await world.definition('fs')).launch).toMatchObject({ command: 'third' });
  expect(await world.read(name)).not.toContain('second');
});

test('what somebody has changed since is not the host’s own any more', async () => {
  await using world = await makeEditFixture();
  const saver = saverOf(world);
  await saver.added('fs', first, {});
  const edited = (await world.read(own)).replace('"first"', '"mine"');
  await world.write(own, edited);
  await expect(saver.added('fs', second, {})).rejects.toMatchObject({ code: 'server-exists' });
  expect(await world.read(own)).toBe(edited);
});

test('values that only look like placeholders are saved as what they are, or not at all', async () => {
  await using world = await makeEditFixture();
  const saver = saverOf(world);
  await saver.added('kept', { command: 'x', env: { A: '!run' }, [literalValues]: true }, {});
  expect(JSON.parse(await world.read(own))).toMatchObject({ mcpServers: { kept: { env: { A: '!!run' } } } });
  const odd = { command: 'x', args: ['a', '${HOME}'], [literalValues]: true };
  const reason = `it cannot be written to ${world.place(own)} as it is: args (reads differently there)`;
  await expect(saver.added('odd', odd, {})).rejects.toMatchObject({
    code: 'config-invalid',
    details: { errors: [reason] },
  });
  expect(await world.read(own)).not.toContain('odd');
});
