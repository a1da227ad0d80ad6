import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expandParts } from './expand.ts';
import { parseTemplate } from './parse-template.ts';
import { checkUrlTemplate } from './template.ts';

const check = (url: string): string | undefined => checkUrlTemplate(parseTemplate(url, 'holt', 'url'));

test.each([
  'https://h.example/mcp',
  'https://h.example/${A}',
  'https://h.example?k=${A}',
  'https://h.example#${A}',
  'https://h.example:8080/a/${A}/b?k=${B:-x}',
  'wss://h.example/${A}',
  'https:///h.example/${A}',
  'https:/h.example/${A}',
  'no url',
  '',
])('%j has its place written down', (url) => {
  expect(check(url)).toBeUndefined();
});

test.each([
  ['${A}', '${A}'],
  ['${A}/mcp', '${A}'],
  ['${A:-https}://h/', '${A:-https}'],
  ['http${A}://h/', '${A}'],
  ['https:${A}', '${A}'],
  ['https://${A}/mcp', '${A}'],
  ['https://h.${A}/mcp', '${A}'],
  ['https://h${A}', '${A}'],
  ['https://h:${A}/${B}', '${A}'],
  ['https://${A}@h/', '${A}'],
  ['https://u:${A}@h/', '${A}'],
  ['https:///${A}/x', '${A}'],
  ['https:/\t/${A}/x', '${A}'],
  ['https://\n/${A}/x', '${A}'],
  ['https://\\${A}/x', '${A}'],
  ['  ${A}', '${A}'],
  ['x https://h/${A}', '${A}'],
  ['/https://h/${A}', '${A}'],
])('%j is refused for %s', (url, raw) => {
  expect(check(url)).toBe(raw);
});

test('blanks and control characters in front do not matter', () => {
  expect(check(' \u0001https://h/${A}')).toBeUndefined();
});

test('an escaped text counts as text', () => {
  expect(checkUrlTemplate(parseTemplate('https://h/\\${A}/${B}', 'mcporter', 'url'))).toBeUndefined();
  expect(checkUrlTemplate(parseTemplate('https://\\${A}${B}', 'mcporter', 'url'))).toBe('${B}');
});

test('a URL that passes goes to the same origin whatever the values are', () => {
  const piece = fc.constantFrom(
    'https',
    ':',
    '/',
    '//',
    '\\',
    'h.example',
    '@',
    '?',
    '#',
    '${A}',
    '\t',
    '\n',
    ' ',
    '80',
  );
  const value = fc.oneof(
    fc.constantFrom('@evil.example', '/@evil.example', '//evil.example', '\\evil.example', ':1'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), value, (pieces, hostile) => {
      const parts = parseTemplate(pieces.join(''), 'holt', 'url');
      fc.pre(checkUrlTemplate(parts) === undefined);
      expect(originWith(parts, hostile)).toBe(originWith(parts, ''));
    }),
    { numRuns: 5000 },
  );
});

const none = (): undefined => undefined;

function originWith(parts: ReturnType<typeof parseTemplate>, value: string): string {
  const result = expandParts(parts, {
    variable: () => value,
    input: none,
    file: none,
    command: none,
    known: none,
  });
  return result.ok && URL.canParse(result.text) ? new URL(result.text).origin : 'no url';
}
