/**
 * Calls that wait for a person's yes. A question is asked only while somebody listens who may answer it; otherwise the
 * answer is no at once, and the caller is told which rule to write.
 */

import type { PermissionAnswer, PermissionQuestion } from '../kernel/interaction.ts';
import { Refusal } from './status-codes.ts';

/** As it is shown: with the id that the answer names. */
export interface OpenQuestion extends PermissionQuestion {
  readonly question: string;
}

export interface QuestionParts {
  readonly newId: () => string;
  readonly setTimer: (ms: number, fire: () => void) => () => void;
  readonly hasAnswerer: () => boolean;
  readonly onAsked: (question: OpenQuestion) => void;
  readonly onAnswered: (id: string) => void;
}

export interface Questions {
  ask(question: PermissionQuestion): Promise<PermissionAnswer>;
  /** Throws when nobody waits for it any more. */
  answer(id: string, answer: PermissionAnswer): void;
  open(): readonly OpenQuestion[];
  /** Answers all that is open with no. */
  close(): void;
}

const patienceMs = 120_000;
const mostOpen = 100;

export function createQuestions(parts: QuestionParts): Questions {
  const waiting = new Map<
    string,
    { readonly question: OpenQuestion; readonly settle: (answer: PermissionAnswer) => void }
  >();
  return {
    ask: (asked) => {
      if (!parts.hasAnswerer() || waiting.size >= mostOpen) return Promise.resolve('deny');
      const id = parts.newId();
      const question = { ...asked, question: id };
      return new Promise((resolve) => {
        const settle = (answer: PermissionAnswer): void => {
          cancel();
          waiting.delete(id);
          parts.onAnswered(id);
          resolve(answer);
        };
        const cancel = parts.setTimer(patienceMs, () => settle('deny'));
        waiting.set(id, { question, settle });
        parts.onAsked(question);
      });
    },
    answer: (id, answer) => {
      const found = waiting.get(id);
      if (found === undefined) throw new Refusal('question-unknown');
      found.settle(answer);
    },
    open: () => [...waiting.values()].map(({ question }) => question),
    close: () => {
      for (const { settle } of waiting.values()) settle('deny');
    },
  };
}
