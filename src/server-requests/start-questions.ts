/**
 * Questions to people that stand before the start of a server: whether to trust it, a value that it needs, whose login it may
 * use. Whoever waits for a start with a time of their own is not charged for them. A question does not always say which
 * server it is about, so it is for all that wait.
 */

/** A time that can be stopped; the answer lets it go on. */
interface Deadline {
  hold(): () => void;
}

type Ask<Question, Answer> = (question: Question) => Promise<Answer>;

export interface StartQuestions {
  /** The same question, with a look at how long people take to answer. */
  watch<Question, Answer>(ask: Ask<Question, Answer> | undefined): Ask<Question, Answer> | undefined;
  /** Stops this time whenever somebody is asked, until the answer is called. */
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
