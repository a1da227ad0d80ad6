/**
 * What every process of the soak has in common: it writes its part of the history, a line at a time and at once, so that
 * whoever is killed has told all it did. Times are the machine's own monotonic clock, the same for all processes.
 */
import { appendFileSync } from 'node:fs';

export const now = () => Number(process.hrtime.bigint() / 1000n) / 1000;

export function openNotes(file, by) {
  return (kind, facts = {}) => appendFileSync(file, `${JSON.stringify({ at: now(), by, kind, ...facts })}\n`);
}

/** Numbers that follow from a seed (mulberry32). */
export function createRandom(seed) {
  let state = 2_166_136_261;
  for (const byte of Buffer.from(String(seed))) state = Math.imul(state ^ byte, 16_777_619);
  const next = () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    /** A whole number, both ends included. */
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (list) => list[Math.floor(next() * list.length)],
    chance: (share) => next() < share,
  };
}

/** Which of these stand in the text: as they are, or as headers and addresses carry them. */
export function canariesIn(text, canaries) {
  return canaries.filter((canary) =>
    [canary, encodeURIComponent(canary), Buffer.from(canary).toString('base64')].some((form) =>
      text.includes(form),
    ),
  );
}

/** A program that runs until its input ends, and whose end by anything that nobody caught is wrong. */
export function followInput(note, owner) {
  const state = { isOver: false };
  process.stdin.resume().on('end', () => {
    state.isOver = true;
  });
  for (const kind of ['uncaughtException', 'unhandledRejection'])
    process.on(kind, (error) => {
      note('wrong', { what: `${kind} in ${owner}: ${error?.stack ?? error}` });
      process.exit(70);
    });
  return () => state.isOver;
}
