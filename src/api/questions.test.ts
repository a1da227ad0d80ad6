import { expect, test } from 'vitest';

import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { createQuestions } from './questions.ts';

const asked = { server: 's', tool: 't', name: 'mcp__s__t', arguments: { a: 1 }, reason: 'no rule' };

function setUp(hasAnswerer = true) {
  const told: unknown[] = [];
  const clock = createFakeClock();
  let count = 0;
  const questions = createQuestions({
    newId: () => `q${(count += 1)}`,
    setTimer: (ms, fire) => clock.setTimer(ms, fire),
    hasAnswerer: () => hasAnswerer,
    onAsked: ({ question }) => told.push(['asked', question]),
    onAnswered: (question) => told.push(['answered', question]),
  });
  return { questions, told, clock };
}

test('a question waits for its answer, and both are announced', async () => {
  const { questions, told } = setUp();
  const answer = questions.ask(asked);
  expect(questions.open()).toEqual([{ ...asked, question: 'q1' }]);
  questions.answer('q1', 'run');
  expect([await answer, questions.open(), told]).toEqual([
    'run',
    [],
    [
      ['asked', 'q1'],
      ['answered', 'q1'],
    ],
  ]);
});

test('a question is denied immediately if no client can answer it', async () => {
  const { questions, told } = setUp(false);
  expect([await questions.ask(asked), told]).toEqual(['deny', []]);
});

test('a question without an answer is denied after two minutes', async () => {
  const { questions, clock } = setUp();
  const answer = questions.ask(asked);
  await clock.advance(120_000);
  expect([await answer, questions.open()]).toEqual(['deny', []]);
});

test('a second answer is refused', () => {
  const { questions } = setUp();
  void questions.ask(asked);
  questions.answer('q1', 'once');
  expect(() => questions.answer('q1', 'always')).toThrow('Unknown question');
});

test('closing denies every open question', async () => {
  const { questions } = setUp();
  const answers = [questions.ask(asked), questions.ask(asked)];
  questions.close();
  expect(await Promise.all(answers)).toEqual(['deny', 'deny']);
});
