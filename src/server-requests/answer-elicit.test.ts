/** What a handler answers goes to the server only when it is an answer. */

import { expect, test } from 'vitest';

import { answerElicit } from './answer-elicit.ts';

const form = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string', default: 'Ada' } } },
};

async function answered(params: object, answer: () => unknown): Promise<unknown> {
  const told: string[] = [];
  const elicit = async (): Promise<never> => answer() as never; // also what the types forbid
  const parts = {
    server: 's',
    elicit,
    refused: (reason: string) => void told.push(reason),
    debug: (message: string) => void told.push(`debug ${message}`),
  };
  return [await answerElicit({ ...params }, parts), ...told];
}

const page = { mode: 'url', message: 'Go', url: 'https://example.com/', elicitationId: '1' };
const odd = 'the handler returned none of accept, decline and cancel';

test.each<readonly [unknown, object, readonly string[]]>([
  [{ action: 'accept', content: { name: 'Grace' } }, { action: 'accept', content: { name: 'Grace' } }, []],
  [{ action: 'accept' }, { action: 'accept', content: { name: 'Ada' } }, []],
  [{ action: 'accept', content: null }, { action: 'accept', content: { name: 'Ada' } }, []],
  [{ action: 'decline', content: { name: 'x' } }, { action: 'decline' }, []],
  [{ action: 'cancel' }, { action: 'cancel' }, []],
  [{ action: 'bogus' }, { action: 'cancel' }, [odd]],
  [{ action: 'accept', content: 'Grace' }, { action: 'cancel' }, [odd]],
  [{ action: 'accept', content: ['Grace'] }, { action: 'cancel' }, [odd]],
  [{}, { action: 'cancel' }, [odd]],
  ['accept', { action: 'cancel' }, [odd]],
  [true, { action: 'cancel' }, [odd]],
  [['accept'], { action: 'cancel' }, [odd]],
  [null, { action: 'cancel' }, [odd]],
  [undefined, { action: 'cancel' }, [odd]],
])('%j to a form', async (answer, sent, told) => {
  expect(await answered(form, () => answer)).toEqual([sent, ...told]);
});

test('an invalid answer to a page cancels it', async () => {
  expect(await answered(page, () => ({ action: 'accept' }))).toEqual([{ action: 'accept' }]);
  expect(await answered(page, () => 'accept')).toEqual([{ action: 'cancel' }, odd]);
});

test('a handler that throws cancels; the error goes to the debug log only', async () => {
  const fails = (): never => {
    throw new Error('the terminal is gone');
  };
  expect(await answered(form, fails)).toEqual([
    { action: 'cancel' },
    'the handler failed',
    'debug s: the handler of questions failed: Error: the terminal is gone',
  ]);
});
