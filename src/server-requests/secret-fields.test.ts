import { expect, test } from 'vitest';

import { asksForSecret } from './secret-fields.ts';

const form = (name: string, field: object = { type: 'string' }): Record<string, unknown> => ({
  type: 'object',
  properties: { fine: { type: 'string' }, [name]: field },
});

test.each([
  'password',
  'userPassword',
  'api_key',
  'apiKey',
  'APIKEY',
  'access-token',
  'token',
  'client secret',
  'ｐassword',
])('T58 "%s" asks for a secret', (name) => expect(asksForSecret(form(name))).toBe(name));

test.each(['name', 'tokens', 'maxTokens', 'keyboard', 'secretary', 'passenger'])('"%s" does not', (name) =>
  expect(asksForSecret(form(name))).toBeUndefined(),
);

test('a title or a format can ask for one, a yes or no cannot', () => {
  expect(asksForSecret(form('x', { type: 'string', title: 'Your password' }))).toBe('x');
  expect(asksForSecret(form('x', { type: 'string', format: 'password' }))).toBe('x');
  expect(asksForSecret(form('savePassword', { type: 'boolean' }))).toBeUndefined();
  expect(asksForSecret({ type: 'object' })).toBeUndefined();
});
