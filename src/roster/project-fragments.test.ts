/** A project's fragment merged into a user's server, with real files: listed, but without effect until it is approved. */

import { expect, test } from 'vitest';

import { createSandbox, type Sandbox } from '../../tests/support/holt-command.ts';
import { createRealLaunch } from '../../tests/support/real-launch.ts';
import type { Roster } from './load-roster.ts';

const shown = ({ servers, shadowed }: Roster): readonly unknown[] =>
  [...servers, ...shadowed].map(({ ref, trust, definition }) => [
    ref,
    trust,
    definition.enabled ? 'on' : 'off',
    definition.alsoIn.map(({ scope }) => scope),
  ]);

/** What there is before anybody approves, and once the fragment of the project is approved. */
async function beforeAndAfter({ project, home }: Sandbox): Promise<readonly (readonly unknown[])[]> {
  const launch = createRealLaunch({ cwd: project, home });
  const before = await launch.load();
  const approvals = launch.gate.loadApprovals();
  const digests = before.candidates
    .filter(({ definition }) => definition.guarded)
    .map(({ definition }) => approvals.fingerprintOf(definition).digest);
  const after = await createRealLaunch({ cwd: project, home, digests }).load();
  return [shown(before), shown(after)];
}

const places = {
  opencode: ['~/.config/opencode/opencode.json', './opencode.json'],
  kilo: ['~/.config/kilo/kilo.json', './kilo.json'],
} as const;

async function merged(agent: keyof typeof places, user: object, project: object): Promise<Sandbox> {
  const sandbox = await createSandbox();
  const [own, theirs] = places[agent];
  await sandbox.write(own, JSON.stringify({ mcp: { x: { type: 'local', command: ['node'], ...user } } }));
  await sandbox.write(theirs, JSON.stringify({ mcp: { x: project } }));
  return sandbox;
}

test.each(['opencode', 'kilo'] as const)(
  'a fragment for %s that enables a server is shadowed, and takes the name once approved',
  async (agent) => {
    await using sandbox = await merged(agent, { enabled: false }, { enabled: true });
    expect(await beforeAndAfter(sandbox)).toEqual([
      [
        ['x', 'open', 'off', []],
        [`x@${agent}:project`, 'untrusted', 'on', []],
      ],
      [['x', 'approved', 'on', ['user']]],
    ]);
  },
);

test('so is a fragment that changes a field that equality ignores', async () => {
  const whole = { type: 'local', command: ['node'], timeout: 5 };
  await using sandbox = await merged('kilo', {}, whole);
  expect(await beforeAndAfter(sandbox)).toEqual([
    [
      ['x', 'open', 'on', []],
      ['x@kilo:project', 'untrusted', 'on', []],
    ],
    [['x', 'approved', 'on', ['user']]],
  ]);
});

test('a fragment that changes nothing is one more origin of the same server', async () => {
  await using sandbox = await merged('opencode', { enabled: true }, { enabled: true });
  expect((await beforeAndAfter(sandbox))[0]).toEqual([['x', 'open', 'on', ['project']]]);
});

test('a fragment that only disables applies immediately', async () => {
  await using sandbox = await merged('opencode', {}, { enabled: false });
  expect((await beforeAndAfter(sandbox))[0]).toEqual([['x', 'open', 'off', []]]);
});
