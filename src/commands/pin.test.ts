import { expect, test } from 'vitest';

import { findPinTarget } from './pin.ts';

const servers = ['fs', 'fs.read', 'my.server'];

test.each([
  ['fs', 'fs', undefined],
  ['fs.read', 'fs.read', undefined],
  ['fs.write', 'fs', 'write'],
  ['fs.read.all', 'fs.read', 'all'],
  ['my.server', 'my.server', undefined],
  ['my.server.a.b', 'my.server', 'a.b'],
  ['fs.', 'fs.', undefined],
  ['gone.tool', 'gone.tool', undefined],
  ['fs@cursor', 'fs@cursor', undefined],
  ['fs@cursor:user.read', 'fs@cursor:user', 'read'],
])('%s means %s and %s', (word, server, tool) => {
  expect(findPinTarget(word, servers)).toEqual({ server, tool });
});
