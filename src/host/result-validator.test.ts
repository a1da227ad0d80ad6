/** Results for the SDK's clients are checked by what the schema says, whatever it says. */

import { expect, test } from 'vitest';

import { resultValidator } from './result-validator.ts';

const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;

test('a result that keeps its promise is handed on, another is told where it breaks it', () => {
  const check = resultValidator.getValidator(number);
  expect(check({ n: 5 })).toEqual({ valid: true, data: { n: 5 }, errorMessage: undefined });
  expect(check({ n: 'five' })).toEqual({
    valid: false,
    data: undefined,
    errorMessage: expect.stringMatching(/n: expected number/) as unknown,
  });
});

test('a schema that is made to take for ever is given up, and the result with it', () => {
  const endless = {
    $ref: '#/$defs/a',
    $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } },
  };
  expect(resultValidator.getValidator(endless)({})).toMatchObject({
    valid: false,
    errorMessage: expect.stringContaining('not checked') as unknown,
  });
});
