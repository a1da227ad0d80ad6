/**
 * Calls that wait for a person's permission. A question is asked only while a client is connected that may
 * answer it. Otherwise the call is denied immediately, and the error says which rule to write.
 */

import type { PermissionAnswer, PermissionQuestion } from '../kernel/interaction.ts';
import { Refusal } from './status-codes.ts';

/** A question as clients see it, with the id to answer it by. */
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
  /** Throws `Refusal` with `question-unknown` when the question is not open, or not open any more. */
  answer(id: string, answer: PermissionAnswer): void;
  open(): readonly OpenQuestion[];
  /** Denies all open questions. */
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
