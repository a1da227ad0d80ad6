/** A secret in a box. */

import { format, inspect } from 'node:util';

import { expect, test } from 'vitest';

import { SecretValue } from './redactor.ts';

const canary = 'canary-4f1c';

test('gives its text only when asked for it', () => {
  expect(new SecretValue(canary).reveal()).toBe(canary);
});

test('T25: prints as [secret] wherever it is printed', () => {
  const secret = new SecretValue(canary);
  const nested = { token: secret, list: [secret] };
  expect([
    String(secret),
    // oxlint-disable-next-line typescript/restrict-template-expressions, typescript/no-base-to-string -- what a slip would do
    `${secret}`,
    'x'.concat(String(secret)),
    JSON.stringify(nested),
    inspect(nested, { showHidden: true, depth: 9 }),
    format('%s %o %j', secret, secret, secret),
    Object.prototype.toString.call(secret),
  ]).toEqual([
    '[secret]',
    '[secret]',
    'x[secret]',
    '{"token":"[secret]","list":["[secret]"]}',
    expect.not.stringContaining(canary),
    '[secret] [secret] "[secret]"',
    '[object [secret]]',
  ]);
});

test('T25: has no field that a copy or a loop could read', () => {
  const secret = new SecretValue(canary);
  expect([Object.keys(secret), Reflect.ownKeys(secret), structuredClone(secret)]).toEqual([[], [], {}]);
});
