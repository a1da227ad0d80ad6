import { expect, test } from 'vitest';

import { makeMachine } from '../../tests/support/agent-machine.ts';
import { requireOwnHoltHome } from './holt-home.ts';

const plain = (place: string): string => place;

test('T07: a folder of holt’s inside the project is refused, by name or through a link', () => {
  for (const [home, realPath] of [
    ['/srv/shop/.holt-home', plain],
    ['/srv/shop', plain],
    ['/tmp/innocent', () => '/srv/shop/x'],
  ] as const) {
    const machine = makeMachine({ env: { HOLT_HOME: home } });
    expect(() => requireOwnHoltHome(machine, realPath)).toThrow(
      expect.objectContaining({ code: 'folder-unsafe', details: { folder: home, reason: 'in-project' } }),
    );
  }
});

test.each([
  ['the usual one', {}],
  ['one elsewhere', { env: { HOLT_HOME: '/srv/shopping/.holt' } }],
  ['one in a home that is the project itself', { projectRoot: '/home/ada' }],
  ['one in a home inside a project', { projectRoot: '/home' }],
])('%s is used', (_what, agentCase) => {
  expect(requireOwnHoltHome(makeMachine(agentCase), plain)).toBeUndefined();
});
