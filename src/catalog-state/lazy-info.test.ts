/** A tool that was not looked at yet is like any other, and is looked at only by those who ask. */

import type { Tool } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import type { ToolPart } from '../catalog/cached-catalog.ts';
import { lazyInfo, noRedaction } from './tool-views.ts';

const tool: Tool = { name: 'read', description: 'Reads', inputSchema: { type: 'object' } };
const whose = { name: 'mcp__fs__read', server: 'fs', tool: 'read', agent: 'holt' };
const schema = { type: 'object', properties: {} };

function listed(parts?: readonly ToolPart[]): { readonly looks: () => number; readonly info: object } {
  let looks = 0;
  const found = {
    name: 'read',
    digest: 'x',
    ...(parts === undefined ? {} : { parts }),
    get tool() {
      looks += 1;
      return tool;
    },
  };
  return { info: lazyInfo(whose, found, 'ask', noRedaction), looks: () => looks };
}

test('a tool from the cache is a plain object with all its fields, in the usual order', () => {
  const { info } = listed(['description', 'inputSchema']);
  const plain = { ...whose, description: 'Reads', inputSchema: schema, decision: 'ask' };
  expect({ ...info }).toStrictEqual(plain);
  expect(structuredClone(info)).toStrictEqual(plain);
  expect(JSON.stringify(info)).toBe(JSON.stringify(plain));
  expect(Object.getPrototypeOf(info)).toBe(Object.prototype);
});

test('nothing is looked at before somebody asks for what only the tool can tell', () => {
  const { info, looks } = listed(['description', 'inputSchema']);
  expect([Object.keys(info), looks()]).toEqual([
    ['name', 'server', 'tool', 'agent', 'description', 'inputSchema', 'decision'],
    0,
  ]);
});

test('a schema that had to be completed is the same one each time', () => {
  const { info } = listed(['inputSchema']);
  expect(Reflect.get(info, 'inputSchema')).toBe(Reflect.get(info, 'inputSchema'));
});

test('where nobody knows what a tool has, every field can be asked for', () => {
  const { info } = listed();
  expect({ ...info }).toEqual({ ...whose, description: 'Reads', inputSchema: schema, decision: 'ask' });
});
