/** Every failure is reported with a remedy. */

import { expect, test } from 'vitest';

import { HoltError, type ErrorCode } from '../kernel/errors.ts';
import { exitCodes } from './exit-codes.ts';
import { remedyOf } from './remedies.ts';

/** Every field that any of them looks at. */
const details = {
  server: 'fs',
  file: '/x/mcp.json',
  folder: '/x',
  field: 'env.A',
  matches: ['fs@one', 'fs@two'],
  writable: ['holt'],
  scopes: ['user'],
};

function untold(code: ErrorCode): HoltError {
  return new HoltError(code, 'It failed', details);
}

test.each(Object.keys(exitCodes) as ErrorCode[])('%s has one, in a whole sentence', (code) => {
  expect(remedyOf(untold(code))).toMatch(/^(?:[A-Z]|holt )(?!.*undefined).+\.$/);
});

test('a name in it is safe to paste', () => {
  const named = (code: ErrorCode, server: string): string =>
    remedyOf(new HoltError(code, 'It failed', { ...details, server }));
  expect([named('server-exited', '$(touch X)'), named('trust-required', '--all')]).toEqual([
    "See holt logs '$(touch X)'.",
    'Look at it and approve it with holt trust -- --all.',
  ]);
});

test('the remedy of the error itself takes precedence', () => {
  const error = new HoltError('undo-empty', 'Nothing', { folder: '/x' }, { remedy: 'Rest.' });
  expect([remedyOf(error), remedyOf(untold('server-disabled'))]).toEqual([
    'Rest.',
    'Run holt enable fs first.',
  ]);
});
