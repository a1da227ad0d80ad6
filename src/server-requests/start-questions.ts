/**
 * Pauses deadlines while the user answers questions before a server starts: whether to trust it, which value
 * to use, whether it may use a login. The time for answering does not count against callers that wait for a
 * start with a deadline. A question does not always name its server, so it pauses all waiting deadlines.
 */

/** A deadline that can be paused; the returned function resumes it. */
interface Deadline {
  hold(): () => void;
}

type Ask<Question, Answer> = (question: Question) => Promise<Answer>;

export interface StartQuestions {
  /** Wraps `ask` so that deadlines pause while it runs. */
  watch<Question, Answer>(ask: Ask<Question, Answer> | undefined): Ask<Question, Answer> | undefined;
  /** Pauses this deadline during every question, until the returned function is called. */
  hold(deadline: Deadline): () => void;
}

export function createStartQuestions(): StartQuestions {
  const waiting = new Map<Deadline, (() => void) | undefined>();
  let asked = 0;
  const release = (deadline: Deadline): void => {
    waiting.get(deadline)?.();
    if (waiting.has(deadline)) waiting.set(deadline, undefined);
  };
  const end = (): void => {
    asked -= 1;
    if (asked === 0) for (const deadline of waiting.keys()) release(deadline);
  };
  const begin = (): void => {
    asked += 1;
    if (asked === 1) for (const deadline of waiting.keys()) waiting.set(deadline, deadline.hold());
  };
  return {
    watch: (ask) => {
      if (ask === undefined) return undefined;
      return async (question) => {
        begin();
        try {
          return await ask(question);
        } finally {
          end();
        }
      };
    },
    hold: (deadline) => {
      waiting.set(deadline, asked > 0 ? deadline.hold() : undefined);
      return () => {
        release(deadline);
        waiting.delete(deadline);
      };
    },
  };
}
