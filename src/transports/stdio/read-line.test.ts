import { expect, test } from 'vitest';

import { readLine } from './line-framer.ts';

const read = (text: string): unknown => readLine(text);
const request = { jsonrpc: '2.0', id: 1, method: 'ping' };
const notice = { jsonrpc: '2.0', method: 'notifications/message', params: {} };

test.each([
  ['a request', request],
  ['a notification', notice],
  ['a result', { jsonrpc: '2.0', id: 'a', result: {} }],
  ['an error', { jsonrpc: '2.0', id: 2, error: { code: 1, message: 'no' } }],
  ['a result of a wrong type, which is for its caller to refuse', { jsonrpc: '2.0', id: 2, result: 'text' }],
])('%s is a message', (_name, message) => {
  expect(read(JSON.stringify(message))).toEqual({ kind: 'messages', messages: [message] });
});

test('several in one line are several, and what is none among them is left out', () => {
  expect(read(JSON.stringify([request, { hello: 1 }, notice]))).toEqual({
    kind: 'messages',
    messages: [request, notice],
  });
});

test('a byte order mark and spaces around are no matter', () => {
  expect(read(`\uFEFF  ${JSON.stringify(request)} `)).toEqual({ kind: 'messages', messages: [request] });
});

test.each([
  ['another version', { ...request, jsonrpc: '1.0' }],
  ['no version', { id: 1, method: 'ping' }],
  ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 7, result: {} }],
  ['an id that is none', { jsonrpc: '2.0', id: { a: 1 }, method: 'ping' }],
  ['an answer to nobody', { jsonrpc: '2.0', result: {} }],
  ['an empty object', {}],
  ['an empty list', []],
  ['a list of numbers', [1, 2]],
])('JSON with %s is foreign', (_name, value) => {
  expect(read(JSON.stringify(value))).toEqual({ kind: 'foreign' });
});

test.each([
  'npm warn deprecated',
  '[INFO] starting',
  '{ not json',
  '17',
  'null',
  '"text"',
  '\u001b[32mready\u001b[0m',
])('%j is noise', (line) => {
  expect(read(line)).toEqual({ kind: 'noise' });
});

test.each(['', '   ', '\t\r'])('%j is nothing', (line) => {
  expect(read(line)).toEqual({ kind: 'empty' });
});
