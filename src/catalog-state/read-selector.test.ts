import { expect, test } from 'vitest';

import { possibleOwners, readSelector, toolIn } from './tool-finder.ts';

test('every reading that the servers allow is one', () => {
  expect(readSelector('a.b.c', ['a', 'a.b', 'b', 'c'])).toEqual([
    { server: 'a', tool: 'b.c' },
    { server: 'a.b', tool: 'c' },
  ]);
  expect(readSelector('fs@cursor/read', ['fs', 'fs@cursor'])).toEqual([
    { server: 'fs@cursor', tool: 'read' },
  ]);
  expect(readSelector('a.', ['a'])).toEqual([]);
  expect(readSelector('ab', ['a'])).toEqual([]);
});

test('a public name points to the servers it may belong to, in every profile', () => {
  const refs = ['s1', 's2', 'my server', 'my'];
  expect(possibleOwners('mcp__s1__read', refs)).toEqual(['s1']);
  expect(possibleOwners('my_server_read', refs)).toEqual(['my server', 'my']);
  // The profile without digits cannot tell.
  expect(possibleOwners('mcp_s_read', refs)).toEqual(['s1', 's2']);
  expect(possibleOwners('read', refs)).toEqual([]);
});

test.each([
  ['mcp__d__x', 'd', 'x'],
  ['mcp__my_server__read_file', 'my server', 'read_file'],
  ['mcp_s_read', 's1', 'read'],
  ['my_server_read', 'my server', 'read'],
  ['d.x', 'd', 'x'],
  ['read', 'd', 'read'],
  ['mcp__d__', 'd', 'mcp__d__'],
])('%s asks %s for %s', (name, ref, tool) => {
  expect(toolIn(name, ref)).toBe(tool);
});
