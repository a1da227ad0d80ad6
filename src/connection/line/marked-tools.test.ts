import type { Tool } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';

import { createMarkedStore, readMarks, withoutFaultyMarks } from './marked-tools.ts';

const marked = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });
const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object' as const,
  properties,
  ...more,
});
const tool = (name: string, inputSchema: unknown) => ({ name, inputSchema }) as Tool; // schemas here are wrong on purpose

describe('marks of a tool', () => {
  test.each([
    ['none', object({ a: { type: 'string' } }), 0],
    [
      'some, at any depth',
      object({ a: marked('A'), b: object({ c: marked('C', 'integer'), d: marked('D', 'boolean') }) }),
      3,
    ],
    ['an argument that is only called so', object({ 'x-mcp-header': { type: 'string' } }), 0],
    ['an example that has it', object({ a: { type: 'object', default: { 'x-mcp-header': '' } } }), 0],
  ])('may be %s', (_, schema, count) => {
    expect(readMarks(schema)).toEqual({ count });
  });

  test.each([
    ['without a name', object({ a: marked('') })],
    ['that is no text', object({ a: marked(7) })],
    ['with a space', object({ a: marked('A B') })],
    ['with a line break', object({ a: marked('A\r\nB') })],
    ['at a number', object({ a: marked('A', 'number') })],
    ['at an object', object({ a: marked('A', 'object') })],
    ['at nothing in particular', object({ a: { 'x-mcp-header': 'A' } })],
    ['twice, but for the case', object({ a: marked('Region'), b: marked('REGION') })],
    ['at the whole', object({}, { 'x-mcp-header': 'A' })],
    ['in a list', object({ a: { type: 'array', items: marked('A') } })],
    ['in one of several', object({ a: { anyOf: [marked('A')] } })],
    ['below a list, however deep', object({ a: { type: 'array', items: object({ b: marked('A') }) } })],
    ['in a definition', object({}, { $defs: { x: marked('A') } })],
  ])('T50: %s are faulty', (_, schema) => {
    expect(readMarks(schema).fault).toEqual(expect.stringContaining('x-mcp-header'));
  });

  test('T50: that are faulty cost that tool, with a warning', () => {
    const tools = [tool('good', object({ a: marked('A') })), tool('bad', object({ a: marked('') }))];
    const warnings: string[] = [];
    expect(
      withoutFaultyMarks(tools, (code, message) => warnings.push(`${code}: ${message}`)).map(
        ({ name }) => name,
      ),
    ).toEqual(['good']);
    expect(warnings).toEqual([
      'entry-malformed: tool "bad" left out: x-mcp-header is not the name of a header',
    ]);
  });

  test('of a schema nested without end are not looked for without end', () => {
    let schema: Record<string, unknown> = marked('A');
    for (let depth = 0; depth < 5000; depth += 1) schema = object({ a: schema });
    expect(readMarks(schema)).toEqual({ count: 0 });
  });
});

describe('what the client remembers', () => {
  test('is the marked tools alone, without what their results look like', () => {
    const tools = [
      { ...tool('m', object({ a: marked('A') })), outputSchema: { type: 'object' as const } },
      tool('plain', object({})),
    ];
    const store = createMarkedStore(() => tools);
    const key = { method: 'tools/list' };
    expect(store.get(key)).toEqual({
      value: JSON.stringify({ tools: [tool('m', object({ a: marked('A') }))] }),
      stamp: 1,
      expiresAt: 0,
      scope: 'private',
    });
    expect(store.get(key)).toMatchObject({ stamp: 1 });
    expect(store.get({ method: 'resources/read', params: 'x' })).toBeUndefined();
  });

  test('follows the list, and what the client itself has just read', () => {
    let tools = [tool('m', object({ a: marked('A') }))];
    const store = createMarkedStore(() => tools);
    const key = { method: 'tools/list' };
    void store.set(key, { value: JSON.stringify({ tools: [tool('m', object({ a: marked('B') }))] }) });
    expect(store.get(key)).toMatchObject({ value: expect.stringContaining('"B"') });
    tools = [tool('plain', object({}))];
    expect(store.get(key)).toBeUndefined();
  });
});
