import { describe, expect, test } from 'vitest';

import { readFields, readTyped, type FormField, type Typed } from './form-fields.ts';

const form = (properties: Readonly<Record<string, unknown>>, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
});
const fieldsOf = (...args: Parameters<typeof form>): readonly FormField[] =>
  readFields({ ...form(...args) }) ?? [];
const typed = (schema: Readonly<Record<string, unknown>>, text: string): Typed | undefined => {
  const [field] = fieldsOf({ it: schema });
  return field === undefined ? undefined : readTyped(field, text);
};

describe('a form', () => {
  test('is read as fields in its own order', () => {
    const fields = fieldsOf(
      {
        name: { type: 'string', title: 'Your name', description: 'As on the badge' },
        age: { type: 'integer', default: 30 },
        ok: { type: 'boolean' },
        size: { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'] },
        colours: {
          type: 'array',
          items: { anyOf: [{ const: 'r', title: 'Red' }, { const: 'g' }] },
          default: ['r'],
        },
      },
      ['name'],
    );
    expect(fields).toMatchObject([
      {
        name: 'name',
        title: 'Your name',
        description: 'As on the badge',
        required: true,
        kind: 'text',
        choices: [],
        initial: undefined,
      },
      {
        name: 'age',
        title: 'age',
        description: '',
        required: false,
        kind: 'number',
        choices: [],
        initial: 30,
      },
      {
        name: 'ok',
        title: 'ok',
        description: '',
        required: false,
        kind: 'yes-no',
        choices: [],
        initial: undefined,
      },
      {
        name: 'size',
        title: 'size',
        description: '',
        required: false,
        kind: 'one-of',
        choices: [
          { value: 's', label: 'Small' },
          { value: 'm', label: 'Medium' },
        ],
        initial: undefined,
      },
      {
        name: 'colours',
        title: 'colours',
        description: '',
        required: false,
        kind: 'some-of',
        choices: [
          { value: 'r', label: 'Red' },
          { value: 'g', label: 'g' },
        ],
        initial: ['r'],
      },
    ]);
  });

  test.each([
    ['an object', { type: 'object' }],
    ['a free list', { type: 'array', items: { type: 'string' } }],
    ['nothing known', {}],
    ['no schema', 7],
  ])('with %s in it cannot be asked for', (_what, schema) => {
    expect(readFields({ ...form({ good: { type: 'string' }, bad: schema }) })).toBeUndefined();
  });
});

const text = { type: 'string' };
const pick = { type: 'string', oneOf: [{ const: 'a', title: 'First' }, { const: '1' }] };
const several = { type: 'array', items: { type: 'string', enum: ['x', 'y', 'z'] }, minItems: 1, maxItems: 2 };

test.each([
  ['a text', text, ' any ', ' any '],
  ['a number', { type: 'number', minimum: 0, maximum: 1 }, '0.5', 0.5],
  ['a whole number', { type: 'integer' }, '-3', -3],
  ['yes', { type: 'boolean' }, 'Y', true],
  ['no', { type: 'boolean' }, 'false', false],
  ['a choice by its value', pick, 'a', 'a'],
  ['a choice by its name', pick, 'First', 'a'],
  ['a choice by its number', { type: 'string', enum: ['p', 'q'] }, '2', 'q'],
  ['a choice whose value is a number before its place', pick, '1', '1'],
  ['several choices', several, 'z, 1', ['z', 'x']],
  ['one choice named twice', several, 'x,x', ['x']],
  ['an email address', { ...text, format: 'email' }, 'ada@x.example', 'ada@x.example'],
  ['an address', { ...text, format: 'uri' }, 'https://x.example', 'https://x.example'],
  ['a date', { ...text, format: 'date' }, '2026-07-28', '2026-07-28'],
  ['a time', { ...text, format: 'date-time' }, '2026-07-28T10:00:00+02:00', '2026-07-28T10:00:00+02:00'],
  ['a format nobody knows', { ...text, format: 'colour' }, 'red', 'red'],
])('%s is taken', (_what, schema, words, value) => {
  expect(typed(schema, words)).toEqual({ ok: true, value });
});

test.each([
  ['too short a text', { ...text, minLength: 3 }, 'ab', 'at least 3 characters'],
  ['too long a text', { ...text, maxLength: 3 }, 'abcd', 'at most 3 characters'],
  ['no number', { type: 'number' }, 'seven', 'a number'],
  ['an endless number', { type: 'number' }, 'Infinity', 'a number'],
  ['a part of a number', { type: 'integer' }, '1.5', 'a whole number'],
  ['too small a number', { type: 'number', minimum: 2 }, '1', '2 or more'],
  ['too large a number', { type: 'number', maximum: 2 }, '3', '2 or less'],
  ['perhaps', { type: 'boolean' }, 'perhaps', 'y or n'],
  ['a choice that is not there', pick, '3', 'one of the above'],
  ['one of several that is not there', several, 'x, w', 'some of the above, with commas between'],
  ['too many', several, 'x,y,z', 'at most 2 of the above'],
  ['none', several, ',', 'at least 1 of the above'],
  ['no email address', { ...text, format: 'email' }, 'ada', 'an email address'],
  ['no address', { ...text, format: 'uri' }, 'x', 'an address such as https://example.com'],
  ['no day', { ...text, format: 'date' }, '2026-13-01', 'a date such as 2026-07-28'],
  ['no time', { ...text, format: 'date-time' }, '2026-07-28', 'a time such as 2026-07-28T12:00:00Z'],
])('%s is not taken', (_what, schema, words, expected) => {
  expect(typed(schema, words)).toEqual({ ok: false, reason: `It should be ${expected}.` });
});
