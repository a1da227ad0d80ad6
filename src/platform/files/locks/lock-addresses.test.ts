import { expect, test } from 'vitest';

import type { OperatingSystem } from '../../../kernel/machine.ts';
import { lockAddresses } from '../lock.ts';

const addresses = (os: OperatingSystem, name: string, user = '1000') =>
  lockAddresses(name, { os, user, folder: '/home/ada/.holt/run/locks' });

test('each system has its own place for a lock', () => {
  const linux = addresses('linux', '/home/ada/.mcp.json');
  const digest = linux.held.slice('\0holt-'.length);

  expect(digest).toMatch(/^[0-9a-f]{40}$/);
  expect(linux).toEqual({ held: `\0holt-${digest}`, next: `\0holt-${digest}-next` });
  expect(addresses('macos', '/home/ada/.mcp.json')).toEqual({
    held: `/home/ada/.holt/run/locks/holt-${digest}.lock`,
    next: `/home/ada/.holt/run/locks/holt-${digest}-next.lock`,
  });
  expect(addresses('windows', '/home/ada/.mcp.json')).toEqual({
    held: `\\\\.\\pipe\\holt-${digest}`,
    next: `\\\\.\\pipe\\holt-${digest}-next`,
  });
});

test('another name or another user is another lock', () => {
  const rooms = [addresses('linux', '/a'), addresses('linux', '/b'), addresses('linux', '/a', '1001')].map(
    ({ held }) => held,
  );

  expect(new Set(rooms).size).toBe(3);
});

test('where file names differ in case alone, it is one lock', () => {
  expect(addresses('macos', '/Users/Ada')).toEqual(addresses('macos', '/users/ada'));
  expect(addresses('windows', 'C:\\Users\\Ada')).toEqual(addresses('windows', 'c:\\users\\ada'));
  expect(addresses('linux', '/Ada')).not.toEqual(addresses('linux', '/ada'));
});

test('the socket name stays within what Linux takes', () => {
  expect(Buffer.byteLength(addresses('linux', 'x'.repeat(5000)).next)).toBeLessThan(108);
});
