import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DialectId } from '../kernel/servers.ts';
import { canonicalText } from './parse-template.ts';
import type { FieldKind } from './template.ts';

type Written = readonly [text: string, dialect: DialectId, field?: FieldKind];
const inFolder = (path: string, folder: string): string =>
  canonicalText(`{file:${path}}`, 'opencode', 'env', folder);
const canonical = ([text, dialect, field = 'env']: Written): string => canonicalText(text, dialect, field);

describe('means the same', () => {
  test.each<[string, Written, Written]>([
    ['a variable of Cursor and of Claude Code', ['x${env:TOKEN}', 'cursor'], ['x${TOKEN}', 'claude']],
    ['a variable of opencode and of Gemini', ['{env:TOKEN}', 'opencode'], ['$TOKEN', 'gemini']],
    [
      'a secret of Continue and a variable of VS Code',
      ['${{ secrets.T }}', 'continue'],
      ['${env:T}', 'vscode'],
    ],
    ['a default that only an unset variable needs', ['${T:-d}', 'claude'], ['${T-d}', 'crush']],
    ['a default that an empty variable needs too', ['${T:-d}', 'holt'], ['${T:-d}', 'mcporter']],
    ['a whole variable of mcporter and of Claude Code', ['${T}', 'mcporter'], ['${T}', 'claude']],
    ['a path separator in two spellings', ['${/}', 'cursor'], ['${pathSeparator}', 'vscode']],
    ['a workspace of Roo and of VS Code', ['${workspaceFolder}', 'roo'], ['${workspaceFolder}', 'vscode']],
    ['an escaped text and the text', ['!!x', 'pi'], ['!x', 'none']],
    ['an escaped placeholder and the text in a dialect without', ['\\${T}', 'mcporter'], ['${T}', 'none']],
    ['a shell command of omp and of pi', ['!pass k', 'omp'], ['! pass k', 'pi']],
    ['an input of VS Code and of Continue', ['${input:r}', 'vscode'], ['${{ inputs.r }}', 'continue']],
    ['plain text in any two dialects', ['a b', 'goose'], ['a b', 'crush']],
    ['an absolute file of opencode and of Windsurf', ['{file:/s}', 'opencode'], ['${file:/s}', 'windsurf']],
  ])('%s', (_what, one, other) => {
    expect(canonical(one)).toBe(canonical(other));
  });
});

describe('does not mean the same', () => {
  test.each<[string, Written, Written]>([
    ['a placeholder and a text that looks like one', ['${T}', 'claude'], ['${T}', 'none']],
    [
      'a placeholder and the same text in another field',
      ['${T}', 'claude', 'env'],
      ['${T}', 'claude', 'cwd'],
    ],
    ['a placeholder and its encoding as a text', ['${T}', 'claude'], ['["variable","T"]', 'none']],
    ['a text and its encoding', ['a', 'none'], ['["a"]', 'none']],
    ['two variables', ['${A}', 'claude'], ['${B}', 'claude']],
    ['a variable with and without a default', ['${A:-}', 'claude'], ['${A}', 'claude']],
    ['two defaults', ['${A:-x}', 'claude'], ['${A:-y}', 'claude']],
    ['a default for unset and one for empty too', ['${A:-x}', 'claude'], ['${A:-x}', 'holt']],
    ['a name that may be a variable and a text', ['TOKEN', 'omp'], ['TOKEN', 'none']],
    ['a name that may be a variable and a variable', ['TOKEN', 'omp'], ['${TOKEN}', 'omp']],
    ['a command with and without a shell', ['!pass k', 'omp'], ['!pass k', 'holt']],
    ['a command and a text', ['!pass k', 'omp'], ['!pass k', 'none']],
    ['the same refused text of two agents', ['${env:X}', 'mcporter'], ['${command:X}', 'vscode']],
    ['a variable and an input', ['${env:X}', 'vscode'], ['${input:X}', 'vscode']],
    ['where the text is cut', ['a${B}', 'claude'], ['${B}a', 'claude']],
    ['two inputs', ['${input:a}', 'vscode'], ['${input:b}', 'vscode']],
    ['two files', ['{file:/a}', 'opencode'], ['{file:/b}', 'opencode']],
  ])('%s', (_what, one, other) => {
    expect(canonical(one)).not.toBe(canonical(other));
  });

  test('one relative file in two folders', () => {
    expect(inFolder('./key', '/a')).not.toBe(inFolder('./key', '/b'));
    expect(inFolder('./key', '/a')).toBe(inFolder('./key', '/a'));
    for (const path of ['/key', '~/key', '\\\\host\\key', 'C:\\key']) {
      expect(inFolder(path, '/a')).toBe(inFolder(path, '/b'));
    }
  });
});

test('the form is a list of texts and placeholders', () => {
  expect(canonicalText('Bearer ${T:-d}!', 'holt', 'args')).toBe('["Bearer ",["variable","T","d",true],"!"]');
  expect(canonicalText('', 'holt', 'args')).toBe('[]');
  expect(canonicalText('!!x${/}', 'pi', 'env')).toBe('["!x${/}"]');
});

test('different texts of one dialect without escapes or synonyms differ in their canonical form', () => {
  const dialect = fc.constantFrom<DialectId>('holt', 'claude', 'opencode', 'none');
  const text = fc.array(
    fc.constantFrom('${', '}', 'A', ':-', '{env:', '"', '[', ',', 'variable', '\ud800', '\\ud800'),
  );
  fc.assert(
    fc.property(dialect, text, text, (id, one, other) => {
      const [left, right] = [one.join(''), other.join('')];
      fc.pre(left !== right);
      expect(canonicalText(left, id, 'args')).not.toBe(canonicalText(right, id, 'args'));
    }),
    { numRuns: 3000 },
  );
});
