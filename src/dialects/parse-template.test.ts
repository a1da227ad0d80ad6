import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';

import type { DialectId } from '../kernel/servers.ts';
import { dialects, type Dialect } from './dialects.ts';
import { parseTemplate } from './parse-template.ts';
import { scan, type FieldRules } from './scanner.ts';
import { fieldKinds, rawOf, type TemplatePart } from './template.ts';

const isDialectId = (id: string): id is DialectId => Object.hasOwn(dialects, id);
const dialectIds = Object.keys(dialects).filter(isDialectId);

const isText = (part: TemplatePart | undefined): boolean => part?.kind === 'text';
const reasons = (text: string, dialect: DialectId): unknown[] =>
  parseTemplate(text, dialect, 'env').map((part) => part.kind === 'unsupported' && part.reason);

describe('parts', () => {
  test('text around placeholders is kept, neighbouring text is one part', () => {
    expect(parseTemplate('a${} $b${SET}c', 'claude', 'args')).toEqual([
      { kind: 'text', text: 'a${} $b' },
      { kind: 'variable', raw: '${SET}', name: 'SET', whenUnset: 'literal' },
      { kind: 'text', text: 'c' },
    ]);
  });

  test('a default says whether it also stands in for an empty variable', () => {
    const [claude] = parseTemplate('${V:-d}', 'claude', 'args');
    const [holt] = parseTemplate('${V:-d}', 'holt', 'args');

    expect(claude).toEqual({
      kind: 'variable',
      raw: '${V:-d}',
      name: 'V',
      fallback: { text: 'd', whenEmpty: false },
      whenUnset: 'literal',
    });
    expect(holt).toEqual({
      kind: 'variable',
      raw: '${V:-d}',
      name: 'V',
      fallback: { text: 'd', whenEmpty: true },
      whenUnset: 'fail',
    });
  });

  test('commands say whether their dialect has a shell run them', () => {
    expect(parseTemplate('!pass show k', 'omp', 'env')).toEqual([
      { kind: 'command', raw: '!pass show k', line: 'pass show k', shell: true },
    ]);
    expect(parseTemplate('!pass show k', 'pi', 'headers')).toEqual([
      { kind: 'command', raw: '!pass show k', line: 'pass show k', shell: true },
    ]);
    expect(parseTemplate('!pass show k', 'holt', 'env')).toEqual([
      { kind: 'command', raw: '!pass show k', line: 'pass show k', shell: false },
    ]);
  });

  test('a value that may name a variable is a part of its own', () => {
    expect(parseTemplate('TOKEN', 'omp', 'headers')).toEqual([{ kind: 'bare', raw: 'TOKEN', name: 'TOKEN' }]);
    expect(parseTemplate('TOKEN', 'omp', 'url')).toEqual([{ kind: 'text', text: 'TOKEN' }]);
  });

  test('an escape keeps how it is written', () => {
    expect(parseTemplate('!!x', 'pi', 'env')).toEqual([
      { kind: 'escaped', raw: '!!', text: '!' },
      { kind: 'text', text: 'x' },
    ]);
    expect(parseTemplate('\\${V:-d}', 'mcporter', 'args')).toEqual([
      { kind: 'escaped', raw: '\\${V:-d}', text: '${V:-d}' },
    ]);
  });

  test('what only the agent can fill in says why', () => {
    expect(reasons('${config:a}', 'vscode')).toEqual(['a setting of the editor is not known here']);
    expect(reasons('${lineNumber}', 'vscode')).toEqual(['what the editor shows is not known here']);
    expect(reasons('{file:{env:A}}', 'opencode')).toEqual([
      'a placeholder inside the path of a file is not filled in',
      false,
    ]);
    expect(reasons('{{session_id}}', 'grok')).toEqual(['the session of the agent is not known here']);
    expect(reasons('${{ env.A }}', 'continue')).toEqual(['a name of the hub is not known here']);
    expect(reasons('${env:A}', 'mcporter')).toEqual(['the agent itself refuses ${env:…}']);
    expect(reasons('!', 'omp')).toEqual(['no command after "!"']);
  });

  test('an empty text has no parts, in any dialect and field', () => {
    for (const dialect of dialectIds) {
      for (const field of fieldKinds) expect(parseTemplate('', dialect, field)).toEqual([]);
    }
  });
});

const fragment = fc.oneof(
  fc.constantFrom(
    '${',
    '}',
    '$',
    '{',
    '{env:',
    '{file:',
    '${env:',
    '${input:',
    '${{',
    '}}',
    ':-',
    ':',
    '-',
    '%',
  ),
  fc.constantFrom(
    '!',
    '!!',
    '\\',
    '`',
    '$(',
    ')',
    '(',
    '"',
    "'",
    ' ',
    '\n',
    'secrets.',
    'inputs.',
    'user_config.',
  ),
  fc.constantFrom('A', 'SET', 'workspaceFolder', '$env:', '{{session_id}}', '/'),
  fc.string(),
);
const anyText = fc.array(fragment, { maxLength: 12 }).map((fragments) => fragments.join(''));
const anyDialect = fc.constantFrom(...dialectIds);
const anyField = fc.constantFrom(...fieldKinds);

describe('any text, in any dialect and field', () => {
  test('is the raws of its parts, joined', () => {
    fc.assert(
      fc.property(anyText, anyDialect, anyField, (text, dialect, field) => {
        expect(parseTemplate(text, dialect, field).map(rawOf).join('')).toBe(text);
      }),
      { numRuns: 5000 },
    );
  });

  test('has no empty part and no two text parts in a row', () => {
    fc.assert(
      fc.property(anyText, anyDialect, anyField, (text, dialect, field) => {
        const parts = parseTemplate(text, dialect, field);
        expect(parts.filter((part) => rawOf(part) === '')).toEqual([]);
        expect(parts.filter((part, index) => isText(part) && isText(parts[index - 1]))).toEqual([]);
      }),
      { numRuns: 5000 },
    );
  });

  test('without a sign of any dialect is plain text, but for whole names', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9 .:/=-]* $/), anyDialect, anyField, (text, dialect, field) => {
        expect(parseTemplate(text, dialect, field)).toEqual([{ kind: 'text', text }]);
      }),
    );
  });
});

describe('a hostile text, by any rules', () => {
  const allRules = new Set<FieldRules>();
  for (const dialect of dialectIds) {
    const row: Dialect = dialects[dialect];
    for (const field of fieldKinds) if (row[field] !== undefined) allRules.add(row[field]);
  }

  /** Read in a time that grows with the square of its length, one of these would take minutes. */
  test.each(['${', '${a:-', '{env:', '$("', '\\${a '])(
    'a hundred thousand times %j is read to its end',
    (piece) => {
      const text = `${piece.repeat(100_000)}${piece.endsWith(' ') ? '}' : ''}`;
      for (const rules of allRules) expect(scan(text, rules).map(rawOf).join('').length).toBe(text.length);
    },
  );

  test.each(['${', '${a', '${env:', '${env:a ', '${ ', '${{', '{env:', '{file:', '$(', '%a', '\\${a'])(
    'openers without an end, such as many %j, are searched for an end a few times only',
    (piece) => {
      const text = piece.repeat(1000);
      const search = vi.spyOn(String.prototype, 'indexOf');
      for (const rules of allRules) scan(text, rules);
      const searches = search.mock.contexts.filter((searched) => String(searched) === text).length;
      search.mockRestore();

      expect(searches).toBeLessThanOrEqual(2 * allRules.size);
    },
  );
});
