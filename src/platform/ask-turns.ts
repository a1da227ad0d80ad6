/** One question at a time, in the order in which they were asked. */

import { createTurns } from './locks/turns.ts';

/** Undefined when the signal aborted before the turn came. */
export type InTurn = <Answer>(
  work: () => Promise<Answer>,
  signal?: AbortSignal,
) => Promise<Answer | undefined>;

export function createQuestionQueue(): InTurn {
  const turns = createTurns();
  return async (work, signal = new AbortController().signal) => {
    const passOn = await turns.take('question', { signal, onWait: () => undefined }).catch(() => undefined);
    if (passOn === undefined) return undefined;
    try {
      return await work();
    } finally {
      passOn();
    }
  };
}

/** A process has one person in front of it: what takes several questions is not mixed with what others ask. */
export const inConversation: InTurn = createQuestionQueue();
