import { expect, test } from 'vitest';

import type { Posting } from './postings.ts';
import { createScoreBoard } from './score-board.ts';

function posting(rows: readonly (readonly [tool: number, score: number, inName?: 1])[]): Posting {
  return {
    tools: Uint32Array.from(rows.map(([tool]) => tool)),
    scores: Float32Array.from(rows.map(([, score]) => score)),
    inName: Uint8Array.from(rows.map(([, , inName]) => inName ?? 0)),
  };
}

const rules = { words: 2, nameLengths: Uint16Array.of(2, 2, 2), wanted: () => true, limit: 9 };

test('points count by the share of the words that were found', () => {
  const board = createScoreBoard(3);
  board.mark(
    posting([
      [0, 8],
      [1, 4],
    ]),
    1,
  );
  board.nextWord();
  board.mark(posting([[1, 2]]), 1);
  board.nextWord();
  expect(board.finish(rules)).toEqual([
    { at: 1, score: 6 },
    { at: 0, score: 4 },
  ]);
});

test('points count more the more of the name is found', () => {
  const board = createScoreBoard(3);
  board.mark(
    posting([
      [0, 4],
      [1, 4, 1],
      [2, 4, 1],
    ]),
    1,
  );
  board.nextWord();
  board.mark(
    posting([
      [0, 4],
      [1, 4],
      [2, 4, 1],
    ]),
    1,
  );
  board.nextWord();
  expect(board.finish(rules)).toEqual([
    { at: 2, score: 12 },
    { at: 1, score: 10 },
    { at: 0, score: 8 },
  ]);
});

test('of several meanings of one word only the best counts, and of equals the first comes first', () => {
  const board = createScoreBoard(3);
  board.mark(
    posting([
      [2, 4],
      [1, 4],
    ]),
    0.5,
  );
  board.mark(posting([[1, 4]]), 1);
  board.mark(
    posting([
      [0, 4],
      [2, 4],
    ]),
    1,
  );
  board.nextWord();
  expect(board.finish({ ...rules, words: 1, limit: 2 })).toEqual([
    { at: 0, score: 4 },
    { at: 1, score: 4 },
  ]);
});
