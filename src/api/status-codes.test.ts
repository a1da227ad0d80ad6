import { expect, test } from 'vitest';

import { HoltError } from '../kernel/errors.ts';
import { Refusal, errorReply, malformedReply } from './status-codes.ts';

test('one of our errors is sent with its code, its message and its remedy', () => {
  const error = new HoltError(
    'server-not-found',
    'Unknown server "x"',
    { server: 'x', known: [] },
    { remedy: 'Run holt list to see all servers.' },
  );
  expect(errorReply(error)).toEqual({
    status: 404,
    body: {
      error: {
        code: 'server-not-found',
        message: 'Unknown server "x". Run holt list to see all servers.',
      },
    },
  });
});

test('the message of an unknown error is not sent', () => {
  expect(errorReply(new Error('/home/me/secret-token'))).toEqual({
    status: 500,
    body: { error: { code: 'internal-error', message: 'holt failed' } },
  });
});

test('a refusal names what is invalid', () => {
  expect(errorReply(new Refusal('request-invalid', 'name: too short'))).toEqual({
    status: 422,
    body: {
      error: { code: 'request-invalid', message: 'The request does not fit its schema: name: too short' },
    },
  });
});

test.each([
  [408, 'request-timeout'],
  [431, 'headers-too-large'],
  [400, 'request-malformed'],
])('what was no proper request is answered %s', (status, code) => {
  const told = malformedReply(status);
  expect([told.status, told.body.error.code]).toEqual([status, code]);
});
