/** Queues questions to the user, so that only one is open at a time. */

import { createTurns } from '../platform/turns.ts';

/** Runs `work` when all earlier work is done. Resolves to undefined when the signal aborts before that. */
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

/**
 * The queue for dialogues of several questions. A process has only one user, so dialogues must not
 * interleave.
 */
export const inConversation: InTurn = createQuestionQueue();
