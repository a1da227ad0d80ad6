import { describe, expect, test } from 'vitest';

import type { ElicitAnswer, ElicitRequest } from '../../kernel/interaction.ts';
import { askElicit } from './ask-form.ts';

interface Session {
  readonly answer: ElicitAnswer;
  /** What was shown and asked, as on a screen. */
  readonly screen: readonly string[];
  readonly opened: readonly string[];
  /** To these, what was typed before is no answer. */
  readonly fresh: readonly string[];
}

/** A person who types these lines and then goes away. */
async function answerWith(
  request: Partial<ElicitRequest>,
  lines: readonly string[],
  canOpen = true,
): Promise<Session> {
  const left = [...lines];
  const screen: string[] = [];
  const opened: string[] = [];
  const fresh: string[] = [];
  const ask = async (question: string): Promise<string | undefined> => {
    const line = left.shift();
    screen.push(`${question}${line ?? '^D'}`);
    return line;
  };
  const answer = await askElicit(
    { server: 'shop', mode: 'form', message: 'Who are you?', ...request },
    {
      ask,
      askFreshly: (question) => {
        fresh.push(question.slice(0, question.indexOf('?')));
        return ask(question);
      },
      print: (printed) => screen.push(...printed),
      openUrl: async (url) => {
        opened.push(url);
        return canOpen;
      },
    },
  );
  return { answer, screen, opened, fresh };
}

const requestedSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'As on the badge' },
    size: { type: 'string', enum: ['s', 'm'], default: 'm' },
    age: { type: 'integer' },
  },
  required: ['name'],
};

describe('a form at a terminal', () => {
  test('is filled in field by field, looked over and sent', async () => {
    expect(await answerWith({ requestedSchema }, ['y', 'Ada', '', '36', 'y'])).toEqual({
      answer: { action: 'accept', content: { name: 'Ada', size: 'm', age: 36 } },
      screen: [
        '"shop" asks you:',
        '  Who are you?',
        'Answer? y = yes, d = decline, Enter = not now [y/N/d]: y',
        '  As on the badge',
        'Name (needed): Ada',
        '  1. s',
        '  2. m',
        'size (Enter = m): ',
        'age (Enter leaves it out): 36',
        '  name: Ada',
        '  size: m',
        '  age: 36',
        'Send this to "shop"? y = yes, e = change it, Enter = no [y/e/N]: y',
      ],
      opened: [],
      fresh: ['Answer', 'Send this to "shop"'],
    });
  });

  test('asks again for a value that is invalid or missing', async () => {
    const { answer, screen } = await answerWith({ requestedSchema }, ['y', '', 'Ada', 's', 'old', '', 'y']);
    expect(answer).toEqual({ action: 'accept', content: { name: 'Ada', size: 's' } });
    expect(screen).toEqual(
      expect.arrayContaining(['This field is required. Press Esc to cancel.', 'It should be a number.']),
    );
  });

  test('can be changed before it is sent, with the typed values as defaults', async () => {
    const { answer } = await answerWith({ requestedSchema }, ['y', 'Ada', '', '36', 'e', '', 's', '', 'y']);
    expect(answer).toEqual({ action: 'accept', content: { name: 'Ada', size: 's', age: 36 } });
  });

  test.each([
    ['Enter at the first question', [''], 'cancel'],
    ['d', ['d'], 'decline'],
    ['the end of the input', [], 'cancel'],
    ['the end of the input in the middle', ['y', 'Ada'], 'cancel'],
    ['Enter at the last question', ['y', 'Ada', '', '', ''], 'cancel'],
    ['a word that begins with y', ['yesterday'], 'cancel'],
  ])('%s sends nothing', async (_what, lines, action) => {
    expect((await answerWith({ requestedSchema }, lines)).answer).toEqual({ action });
  });

  test('that cannot be shown at a terminal is cancelled', async () => {
    const schema = { type: 'object', properties: { deep: { type: 'object' } } };
    const { answer, screen } = await answerWith({ requestedSchema: schema }, ['y']);
    expect([answer, screen.at(-1)]).toEqual([
      { action: 'cancel' },
      'Its form cannot be filled in at a terminal.',
    ]);
  });

  test('escapes text from the server, so that it can neither hide nor move the cursor', async () => {
    const { screen } = await answerWith(
      {
        server: 'sh\u001b[2Jop',
        message: 'one\ntwo\u202e',
        requestedSchema: {
          properties: { a: { type: 'string', title: 'T\u0007', description: 'D\r', enum: ['\u001b]0;x'] } },
        },
      },
      ['y', '1', 'y'],
    );
    expect(screen.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
    expect(screen.slice(0, 3)).toEqual([String.raw`"sh\x1b[2Jop" asks you:`, '  one', '  two⟨U+202E⟩']);
  });
});

describe('a page at a terminal', () => {
  const page = { mode: 'url', url: 'https://pay.example/x?y=1', message: 'Pay first' } as const;

  test('is opened only after a yes, and the full address and the site are shown first', async () => {
    expect(await answerWith(page, ['y'])).toEqual({
      answer: { action: 'accept' },
      screen: [
        '"shop" asks you to open a page:',
        '  Pay first',
        '  site:    pay.example',
        '  address: https://pay.example/x?y=1',
        'Open it? y = yes, d = decline, Enter = not now [y/N/d]: y',
      ],
      opened: ['https://pay.example/x?y=1'],
      fresh: ['Open it'],
    });
  });

  test.each([
    ['Enter', '', 'cancel'],
    ['d', 'd', 'decline'],
  ])('is not opened after %s', async (_what, line, action) => {
    expect(await answerWith(page, [line])).toMatchObject({ answer: { action }, opened: [] });
  });

  test('is left to the person where no browser opens', async () => {
    const { answer, screen } = await answerWith(page, ['y'], false);
    expect([answer, screen.at(-1)]).toEqual([
      { action: 'accept' },
      'No browser could be opened here. Open the address yourself.',
    ]);
  });

  test.each(['file:///etc/passwd', 'javascript:alert(1)', ''])('that is %j is never offered', async (url) => {
    expect(await answerWith({ ...page, url }, ['y'])).toEqual({
      answer: { action: 'cancel' },
      screen: [],
      opened: [],
      fresh: [],
    });
  });

  test('in letters of another alphabet shows the site as it is dialled, and that http is not encrypted', async () => {
    const { screen } = await answerWith({ ...page, url: 'http://раураl.example/' }, ['']);
    expect(screen[2]).toBe('  site:    xn--l-7sba6dbr.example (not encrypted)');
  });
});
