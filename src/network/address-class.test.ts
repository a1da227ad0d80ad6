import { expect, test } from 'vitest';

import { classifyAddress, classifyHost } from './address-class.ts';

test.each([
  ['93.184.216.34', 'public'],
  ['2606:2800:220:1::1', 'public'],
  ['10.1.2.3', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.0.1', 'private'],
  ['100.64.0.1', 'private'],
  ['100.100.100.200', 'reserved'],
  ['fd00::1', 'private'],
  ['fd00:ec2::254', 'reserved'],
  ['127.0.0.1', 'loopback'],
  ['127.255.0.9', 'loopback'],
  ['::1', 'loopback'],
  ['169.254.169.254', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['0.0.0.0', 'reserved'],
  ['::', 'reserved'],
  ['224.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:a9fe:a9fe', 'link-local'],
  ['::127.0.0.1', 'loopback'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['64:ff9b::5db8:d822', 'public'],
  ['2002:7f00:1::', 'loopback'],
  ['2002:0a00:0001::', 'private'],
  ['not an address', 'reserved'],
] as const)('%s is %s', (address, expected) => {
  expect(classifyAddress(address)).toBe(expected);
});

test.each([
  ['localhost', 'loopback'],
  ['LOCALHOST.', 'loopback'],
  ['api.localhost', 'loopback'],
  ['[::1]', 'loopback'],
  ['10.0.0.1', 'private'],
  ['localhost.example.com', undefined],
  ['example.com', undefined],
] as const)('the host %s is %s without asking anybody', (host, expected) => {
  expect(classifyHost(host)).toBe(expected);
});
