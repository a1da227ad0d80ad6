import { expect, test } from 'vitest';

import { parseDocument } from '../../documents/parse-document.ts';
import type { DocFormat, ParsedDocument } from '../../documents/tree.ts';
import { findAt, findNamed } from './find-entry.ts';

const parse = async (text: string, format: DocFormat = 'json'): Promise<ParsedDocument> => {
  const document = await parseDocument(Buffer.from(text), format);
  if (!document.ok) throw new Error(document.message);
  return document;
};

test('by name: the last of equal keys, in the first map that has it', async () => {
  const { root } = await parse('{"a": {"x": 1, "x": 2}, "b": {"x": 3, "y": 4}}');
  const container = { kind: 'map', paths: [['a'], ['b']] } as const;
  expect([
    findNamed(root, container, 'x'),
    findNamed(root, container, 'y'),
    findNamed(root, container, 'z'),
  ]).toEqual([{ path: ['a'], key: 'x', value: 2 }, { path: ['b'], key: 'y', value: 4 }, undefined]);
});

test('by name in a list', async () => {
  const { root } = await parse('{"list": [{"name": "a"}, 7, {"name": "b", "c": 1}]}');
  const container = { kind: 'list', paths: [['list']] } as const;
  expect([findNamed(root, container, 'b'), findNamed(root, container, '7')]).toEqual([
    { path: ['list'], key: 2, value: { name: 'b', c: 1 } },
    undefined,
  ]);
});

test('by place: only what begins right there, under that name', async () => {
  const document = await parse('{\n  "a": { "x": 1 },\n  "b": { "x": 2 },\n  "c": [{ "name": "x" }]\n}');
  const at = (line: number, column: number, name = 'x') => findAt(document, { line, column }, name);
  expect([at(3, 10), at(3, 9), at(3, 10, 'y'), at(4, 9), at(4, 9, 'anything')]).toEqual([
    { path: ['b'], key: 'x', value: 2 },
    undefined,
    undefined,
    { path: ['c'], key: 0, value: { name: 'x' } },
    { path: ['c'], key: 0, value: { name: 'x' } },
  ]);
});

test('by place in TOML and YAML', async () => {
  const toml = await parse('[mcp_servers.a]\ncommand = "x"\n', 'toml');
  const yaml = await parse('extensions:\n  a:\n    cmd: x\n', 'yaml');
  expect([findAt(toml, { line: 1, column: 14 }, 'a'), findAt(yaml, { line: 2, column: 3 }, 'a')]).toEqual([
    { path: ['mcp_servers'], key: 'a', value: { command: 'x' } },
    { path: ['extensions'], key: 'a', value: { cmd: 'x' } },
  ]);
});
