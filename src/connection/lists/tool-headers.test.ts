import type { Tool } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';

import { headersOf, readHeaderArguments, withoutInvalidHeaders } from './tool-headers.ts';

const declared = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });
const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object' as const,
  properties,
  ...more,
});
const tool = (name: string, inputSchema: unknown) => ({ name, inputSchema }) as Tool; // schemas here are wrong on purpose

describe('arguments that a tool declares as headers', () => {
  test.each([
    ['none', object({ a: { type: 'string' } }), 0],
    [
      'some, at any depth',
      object({ a: declared('A'), b: object({ c: declared('C', 'integer'), d: declared('D', 'boolean') }) }),
      3,
    ],
    ['an argument of that name', object({ 'x-mcp-header': { type: 'string' } }), 0],
    ['an example that has it', object({ a: { type: 'object', default: { 'x-mcp-header': '' } } }), 0],
  ])('may be %s', (_, schema, count) => {
    expect(readHeaderArguments(schema).all).toHaveLength(count);
  });

  test.each([
    ['without a name', object({ a: declared('') })],
    ['that is not a string', object({ a: declared(7) })],
    ['with a space', object({ a: declared('A B') })],
    ['with a line break', object({ a: declared('A\r\nB') })],
    ['at a number', object({ a: declared('A', 'number') })],
    ['at an object', object({ a: declared('A', 'object') })],
    ['without a type', object({ a: { 'x-mcp-header': 'A' } })],
    ['twice, apart from upper case', object({ a: declared('Region'), b: declared('REGION') })],
    ['at the top level', object({}, { 'x-mcp-header': 'A' })],
    ['in a list', object({ a: { type: 'array', items: declared('A') } })],
    ['in one of several', object({ a: { anyOf: [declared('A')] } })],
    ['below a list, however deep', object({ a: { type: 'array', items: object({ b: declared('A') }) } })],
    ['in a definition', object({}, { $defs: { x: declared('A') } })],
  ])('T50: are invalid %s', (_, schema) => {
    expect(readHeaderArguments(schema).fault).toEqual(expect.stringContaining('x-mcp-header'));
  });

  test('T50: drop the tool if they are invalid, with a warning', () => {
    const tools = [tool('good', object({ a: declared('A') })), tool('bad', object({ a: declared('') }))];
    const warnings: string[] = [];
    expect(
      withoutInvalidHeaders(tools, (code, message) => warnings.push(`${code}: ${message}`)).map(
        ({ name }) => name,
      ),
    ).toEqual(['good']);
    expect(warnings).toEqual([
      'entry-malformed: tool "bad" left out: x-mcp-header is not the name of a header',
    ]);
  });

  test('are searched to a limited depth', () => {
    let schema: Record<string, unknown> = declared('A');
    for (let depth = 0; depth < 5000; depth += 1) schema = object({ a: schema });
    expect(readHeaderArguments(schema).all).toEqual([]);
  });
});

describe('the headers of a call', () => {
  const schema = object({
    a: declared('A'),
    b: object({ c: declared('C', 'integer') }),
    d: declared('D', 'boolean'),
  });

  test('are those of the arguments that are given, at any depth', () => {
    expect(headersOf(tool('t', schema), { a: 'x', b: { c: 7 }, other: 1 })).toEqual({
      'Mcp-Param-A': 'x',
      'Mcp-Param-C': '7',
    });
    expect(headersOf(tool('t', schema), { d: false })).toEqual({ 'Mcp-Param-D': 'false' });
    expect(headersOf(tool('t', object({})), { a: 'x' })).toBeUndefined();
  });

  test.each([
    ['ü', '=?base64?w7w=?='],
    ['', '=?base64??='],
    [' a', '=?base64?IGE=?='],
    ['a\r\nb', '=?base64?YQ0KYg==?='],
    ['=?base64?eA==?=', '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
    ['a b\t!', 'a b\t!'],
  ])('encode a value that no header can carry: %j', (value, header) => {
    expect(headersOf(tool('t', schema), { a: value })).toEqual({ 'Mcp-Param-A': header });
  });

  test.each([null, {}, 2 ** 60, Number.NaN])('leave out values that have no text: %j', (value) => {
    expect(headersOf(tool('t', schema), { a: value })).toEqual({});
  });
});
