/** Secrets in use are taken out of everything, however they are written. */

import { inspect } from 'node:util';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { HoltError } from '../kernel/errors.ts';
import { SecretValue, createRedactor, type Redactor } from './redactor.ts';
import { cpuMs } from '../../tests/support/cpu-time.ts';

const odd = `p@ss w/ö+rd"&=?\\x'`;

function knowing(...secrets: string[]): Redactor {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

const lower = (text: string): string => text.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase());

describe('T25: redact', () => {
  const url = new URL('https://x.example');
  url.username = odd;
  url.searchParams.set('k', odd);

  test.each([
    ['raw', odd],
    ['percent-encoded', encodeURIComponent(odd)],
    ['percent-encoded, small letters', lower(encodeURIComponent(odd))],
    ['as a form', new URLSearchParams({ k: odd }).toString().slice(2)],
    ['as a form, small letters', lower(new URLSearchParams({ k: odd }).toString().slice(2))],
    ['as a whole URL', encodeURI(odd)],
    ['in user-info', url.username],
    ['in a query as written', new URL(`https://x.example/?${odd.replace('#', '')}`).search.slice(1)],
    ['as JSON', JSON.stringify(odd).slice(1, -1)],
    ['as JSON in JSON', JSON.stringify(JSON.stringify(odd)).slice(3, -3)],
    [
      'as ASCII JSON',
      JSON.stringify(odd)
        .slice(1, -1)
        .replace('ö', String.raw`\u00f6`),
    ],
    [
      'as ASCII JSON, capitals',
      JSON.stringify(odd)
        .slice(1, -1)
        .replace('ö', String.raw`\u00F6`),
    ],
    [
      'as JSON with slashes escaped',
      JSON.stringify(odd)
        .slice(1, -1)
        .replace('/', String.raw`\/`),
    ],
    ['in base64', base64(odd)],
    ['in base64 for URLs', Buffer.from(odd, 'utf8').toString('base64url')],
    ['in base64, percent-encoded', encodeURIComponent(base64(odd))],
  ])('finds it %s', (_, spelling) => {
    expect(knowing(odd).redact(`before ${spelling} after`)).toBe('before [secret] after');
  });

  test.each(['', 'u', 'us', 'use', 'user:', 'client-id:'])(
    'finds it behind %j in Basic credentials',
    (prefix) => {
      const secret = 'tok_4f1c9a7be2';
      const header = `Basic ${base64(prefix + secret)}`;
      const shown = knowing(secret).redact(header);
      expect(shown).toMatch(/^Basic [A-Za-z\d]{0,14}\[secret\]$/);
      expect(
        knowing(odd).redact(base64(`id:${new URLSearchParams({ k: odd }).toString().slice(2)}`)),
      ).toContain('[secret]');
    },
  );

  test('finds it in the middle of base64, whatever surrounds it', () => {
    const word = fc.stringMatching(/^[!-~]{0,9}$/);
    const secret = fc.stringMatching(/^[!-~]{8,40}$/);
    fc.assert(
      fc.property(word, secret, word, (before, value, after) => {
        fc.pre(!'[secret]'.includes(value));
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = Buffer.from(before + value + after, 'utf8').toString(encoding);
          expect(knowing(value).redact(text)).toContain('[secret]');
        }
      }),
    );
  });

  test('leaves none of many secrets in any text', () => {
    const secret = fc.stringMatching(/^[A-Z0-9]{6,20}$/);
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 8 }),
        fc.array(fc.string(), { maxLength: 8 }),
        (secrets, texts) => {
          const mixed = secrets.map((value, index) => `${texts[index] ?? ''}|${value}|`).join('');
          const shown = knowing(...secrets).redact(mixed);
          for (const value of secrets) expect(shown).not.toContain(value);
        },
      ),
    );
  });

  test('the longest of several that fit is taken', () => {
    expect(knowing('abcdef', 'abcdefgh').redact('abcdefgh abcdefx')).toBe('[secret] [secret]x');
  });

  test('a token is found without its scheme, a key line by line', () => {
    const key = [
      '-----BEGIN PRIVATE KEY-----',
      'MIIEvQIBADANBgkqhkiG9w0B',
      'AQEFAASCBKcwggSjAgEAAoIB',
      '-----END PRIVATE KEY-----',
    ].join('\n');
    const redactor = knowing('Bearer tok_4f1c9a7be2', key);
    expect(redactor.redact('got tok_4f1c9a7be2')).toBe('got [secret]');
    expect(redactor.redact('line 2: MIIEvQIBADANBgkqhkiG9w0B')).toBe('line 2: [secret]');
    expect(redactor.redact(JSON.stringify({ key }))).toBe('{"key":"[secret]"}');
  });

  test('text without secrets stays as it is', () => {
    const text = 'nothing here, not even hunter1';
    expect([createRedactor().redact(text), knowing('hunter2').redact(text)]).toEqual([text, text]);
  });

  test('values under six characters are not looked for, nor parts of the replacement', () => {
    expect(knowing('abcde', '', 'secret', '      ').redact('abcde secret       x')).toBe(
      'abcde secret       x',
    );
  });

  test('a secret added twice has to be removed twice', () => {
    const redactor = knowing('hunter2');
    redactor.add(new SecretValue('hunter2'));
    redactor.remove('hunter2');
    expect(redactor.redact('hunter2')).toBe('[secret]');
    redactor.remove(new SecretValue('hunter2'));
    redactor.remove('hunter2');
    expect(redactor.redact('hunter2')).toBe('hunter2');
    redactor.add('hunter2');
    expect(redactor.redact('hunter2')).toBe('[secret]');
  });

  test('half a surrogate pair in a secret does no harm', () => {
    expect(knowing('abc\ud83ddef').redact('xabc\ud83ddefx')).toBe('x[secret]x');
  });

  test('many secrets in much text cost little time', () => {
    const secrets = Array.from({ length: 200 }, (_, index) =>
      base64(`secret number ${index * 7919} of many`),
    );
    const redactor = knowing(...secrets);
    const text = `${'Some words and c2VjcmV0IG51bWJlciA and more. '.repeat(24_000)}${secrets[7]}`;
    redactor.redact('');
    const startedAt = cpuMs();
    expect(redactor.redact(text).endsWith('more. [secret]')).toBe(true);
    expect(cpuMs() - startedAt).toBeLessThan(1500);
  });
});

describe('T25: redactValue', () => {
  const redactor = knowing('hunter2');

  test('reaches every text in a value, keys too', () => {
    const value = {
      text: 'x hunter2',
      list: ['hunter2', 1, null, true, undefined],
      'key-hunter2': { deep: [{ deeper: 'hunter2' }] },
      map: new Map([['hunter2', { a: 'hunter2' }]]),
      set: new Set(['hunter2']),
    };
    expect(redactor.redactValue(value)).toEqual({
      text: 'x [secret]',
      list: ['[secret]', 1, null, true, undefined],
      'key-[secret]': { deep: [{ deeper: '[secret]' }] },
      map: new Map([['[secret]', { a: '[secret]' }]]),
      set: new Set(['[secret]']),
    });
  });

  test('errors keep their class and lose the secret, causes and stacks included', () => {
    const cause = new AggregateError([new TypeError('inner hunter2')], 'many hunter2');
    const error = new HoltError(
      'internal-error',
      'failed with hunter2',
      { reason: 'hunter2' },
      { cause, remedy: 'not hunter2' },
    );
    const shown = redactor.redactValue(error);
    expect(HoltError.is(shown, 'internal-error')).toBe(true);
    expect([shown.message, shown.details, shown.remedy]).toEqual([
      'failed with [secret]',
      { reason: '[secret]' },
      'not [secret]',
    ]);
    expect(inspect(shown, { depth: 9, showHidden: true })).not.toContain('hunter2');
    expect(shown.stack).toContain('failed with [secret]');
    expect(inspect(shown, { depth: 9 })).toContain('inner [secret]');
    expect(error.message).toBe('failed with hunter2');
  });

  test('cycles, deep nesting and odd keys do no harm', () => {
    const cycle: { self?: unknown; text: string } = { text: 'hunter2' };
    cycle.self = cycle;
    const copy = redactor.redactValue(cycle);
    expect([copy.self === copy, copy.text]).toEqual([true, '[secret]']);

    let deep: unknown = 'hunter2';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(JSON.stringify(redactor.redactValue(deep))).toContain('[too deep]');

    const hostile: unknown = JSON.parse('{"__proto__":{"polluted":"hunter2"}}');
    expect(JSON.stringify(redactor.redactValue(hostile))).toBe('{"__proto__":{"polluted":"[secret]"}}');
  });

  test('dates, bytes and boxed secrets pass, a URL becomes text', () => {
    const date = new Date(0);
    const bytes = new Uint8Array([1]);
    const secret = new SecretValue('hunter2');
    expect(redactor.redactValue([date, bytes, secret, new URL('https://u:hunter2@x.example/')])).toEqual([
      date,
      bytes,
      secret,
      'https://u:[secret]@x.example/',
    ]);
  });
});

describe('T25: redactStream', () => {
  test('finds a secret that is cut in two', () => {
    const stream = knowing('hunter2-long').redactStream();
    expect([stream.push('a hunter'), stream.push('2-lo'), stream.push('ng b'), stream.end()]).toEqual([
      'a ',
      '',
      '[secret] b',
      '',
    ]);
  });

  test('holds back only what may be the beginning of a secret', () => {
    const stream = knowing('hunter2-long').redactStream();
    expect([
      stream.push('Password: '),
      stream.push('hunt'),
      stream.push('ing'),
      stream.push('h'),
      stream.end(),
    ]).toEqual(['Password: ', '', 'hunting', '', 'h']);
  });

  test('gives the same text as the whole at once, wherever it is cut', () => {
    const secret = fc.stringMatching(/^[ab]{6,12}$/);
    const piece = fc.oneof(fc.stringMatching(/^[abc]{0,8}$/), secret);
    fc.assert(
      fc.property(
        fc.array(secret, { maxLength: 4 }),
        fc.array(piece, { maxLength: 12 }),
        (secrets, pieces) => {
          const redactor = knowing(...secrets);
          const stream = redactor.redactStream();
          const streamed = pieces.map((text) => stream.push(text)).join('') + stream.end();
          expect(streamed).toBe(redactor.redact(pieces.join('')));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('learns of secrets while it runs', () => {
    const redactor = createRedactor();
    const stream = redactor.redactStream();
    const first = stream.push('hunter2 ');
    redactor.add('hunter2');
    expect([first, stream.push('hunter2 '), stream.end()]).toEqual(['hunter2 ', '[secret] ', '']);
  });
});
