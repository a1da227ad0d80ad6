/** Holds one conversation at a time with the person. Text from `tell` is shown with the next question. */

import { inConversation } from '../terminal/ask-turns.ts';
import type { Ask, Person } from './person.ts';

type AskHere = (question: string) => Promise<string | undefined>;

export interface Conversation {
  readonly ask: AskHere;
  readonly askSecretly: AskHere;
  /** Ignores input typed before the question is shown. For questions that grant permission. */
  readonly askFreshly: AskHere;
  readonly tell: (lines: readonly string[]) => void;
}

interface Speaker extends Pick<Person, 'error'> {
  readonly askLine: Ask;
  readonly askHidden: Ask;
}

/** Resolves to undefined if the signal aborts before its turn comes. */
export function converse<Answer>(
  { askLine, askHidden, error }: Speaker,
  work: (talk: Conversation) => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  return inConversation(async () => {
    let told = '';
    const asking =
      (ask: Ask, fresh: boolean): AskHere =>
      (question) => {
        const whole = told + question;
        told = '';
        return ask(whole, signal, fresh);
      };
    try {
      return await work({
        ask: asking(askLine, false),
        askSecretly: asking(askHidden, false),
        askFreshly: asking(askLine, true),
        tell: (lines) => {
          told += lines.map((line) => `${line}\n`).join('');
        },
      });
    } finally {
      if (told !== '') error(told);
    }
  }, signal);
}
