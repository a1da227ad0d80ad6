import { expect, test } from 'vitest';

import type { OperatingSystem } from '../../../kernel/machine.ts';
import { lockAddresses } from './lock-addresses.ts';

const addresses = (os: OperatingSystem, name: string, user = '1000') =>
  lockAddresses(name, { os, user, folder: '/home/ada/.holt/run/locks' });

test('each system has its own place for a lock', () => {
  const linux = addresses('linux', '/home/ada/.mcp.json');
  const digest = linux.room.slice('\0holt-'.length);

  expect(digest).toMatch(/^[0-9a-f]{40}$/);
  expect(linux).toEqual({ room: `\0holt-${digest}`, door: `\0holt-${digest}-next` });
  expect(addresses('macos', '/home/ada/.mcp.json')).toEqual({
    room: `/home/ada/.holt/run/locks/holt-${digest}.lock`,
    door: `/home/ada/.holt/run/locks/holt-${digest}-next.lock`,
  });
  expect(addresses('windows', '/home/ada/.mcp.json')).toEqual({
    room: `\\\\.\\pipe\\holt-${digest}`,
    door: `\\\\.\\pipe\\holt-${digest}-next`,
  });
});

test('another name or another user is another lock', () => {
  const rooms = [addresses('linux', '/a'), addresses('linux', '/b'), addresses('linux', '/a', '1001')].map(
    ({ room }) => room,
  );

  expect(new Set(rooms).size).toBe(3);
});

test('where file names differ in case alone, it is one lock', () => {
  expect(addresses('macos', '/Users/Ada')).toEqual(addresses('macos', '/users/ada'));
  expect(addresses('windows', 'C:\\Users\\Ada')).toEqual(addresses('windows', 'c:\\users\\ada'));
  expect(addresses('linux', '/Ada')).not.toEqual(addresses('linux', '/ada'));
});

test('the socket name stays within what Linux takes', () => {
  expect(Buffer.byteLength(addresses('linux', 'x'.repeat(5000)).door)).toBeLessThan(108);
});
