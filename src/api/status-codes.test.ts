import { expect, test } from 'vitest';

import { HoltError } from '../kernel/errors.ts';
import { Refusal, errorReply, malformedReply } from './status-codes.ts';

test('an error of ours is told by code and sentence, with what to do', () => {
  const error = new HoltError(
    'server-not-found',
    'Unknown server "x"',
    { server: 'x', known: [] },
    { remedy: 'holt list shows the servers there are.' },
  );
  expect(errorReply(error)).toEqual({
    status: 404,
    body: {
      error: {
        code: 'server-not-found',
        message: 'Unknown server "x". holt list shows the servers there are.',
      },
    },
  });
});

test('what a stranger threw is not told', () => {
  expect(errorReply(new Error('/home/me/secret-token'))).toEqual({
    status: 500,
    body: { error: { code: 'internal-error', message: 'holt failed' } },
  });
});

test('a refusal says what does not fit', () => {
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
