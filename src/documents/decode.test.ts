import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { decodeText, encodeLike } from './decode.ts';

const text = '{"a": "ä😀"}\r\n';
const utf8 = Buffer.from(text);
const little = Buffer.from(text, 'utf16le');
const big = Buffer.from(text, 'utf16le').swap16();
const written = {
  'UTF-8': { bytes: utf8, bom: false, utf16: false },
  'UTF-8 with a mark': { bytes: Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), utf8]), bom: true, utf16: false },
  'UTF-16 little endian': { bytes: little, bom: false, utf16: true },
  'UTF-16 little endian with a mark': {
    bytes: Buffer.concat([Buffer.of(0xff, 0xfe), little]),
    bom: true,
    utf16: true,
  },
  'UTF-16 big endian': { bytes: big, bom: false, utf16: true },
  'UTF-16 big endian with a mark': {
    bytes: Buffer.concat([Buffer.of(0xfe, 0xff), big]),
    bom: true,
    utf16: true,
  },
};

test.each(Object.entries(written))('%s is read, and written back as it was', (_, { bytes, bom, utf16 }) => {
  expect(decodeText(bytes)).toEqual({ text, bom, utf16 });
  expect(encodeLike(bytes, text)).toEqual(bytes);
  expect(decodeText(encodeLike(bytes, '{"b": 1}') ?? bytes)).toEqual({ text: '{"b": 1}', bom, utf16 });
});

test('bytes inside a bigger buffer are read from where they begin', () => {
  const bytes = Buffer.concat([Buffer.from('xx'), utf8, Buffer.from('yy')]).subarray(2, 2 + utf8.length);
  expect(decodeText(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)).text).toBe(text);
});

test('an empty file is an empty text', () => {
  expect(decodeText(new Uint8Array())).toEqual({ text: '', bom: false, utf16: false });
  expect(encodeLike(new Uint8Array(), 'a')).toEqual(Buffer.from('a'));
});

test.each([
  ['a byte that is not UTF-8', Buffer.of(0x7b, 0xff, 0x7d)],
  ['half a UTF-16 character', Buffer.of(0xff, 0xfe, 0x7b, 0x00, 0x7d)],
  ['half a big UTF-16 character', Buffer.of(0xfe, 0xff, 0x00, 0x7b, 0x00)],
])('%s is not written back', (_, bytes) => {
  expect(encodeLike(bytes, 'new')).toBeUndefined();
});

test('no bytes make it throw, and what can be written back comes back the same', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
      const same = encodeLike(bytes, decodeText(bytes).text);
      expect(same === undefined || Buffer.from(same).equals(bytes)).toBe(true);
    }),
  );
});
