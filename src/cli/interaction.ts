/** The person at the terminal as an `Interaction`. Without a terminal nothing is asked, and the answer is no. */

import { consentScreen } from '../commands/consent-screen.ts';
import { showLongText } from '../commands/long-text.ts';
import type { Interaction, TrustAnswer, TrustQuestion } from '../kernel/interaction.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { createStyle } from '../terminal/style.ts';

export interface Person {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  readonly askLine?: ((question: string) => Promise<string | undefined>) | undefined;
  readonly askHidden?: ((question: string) => Promise<string | undefined>) | undefined;
  error(text: string): void;
}

export function createInteraction(person: Person): Interaction {
  const { askLine, askHidden } = person;
  if (askLine === undefined || askHidden === undefined) return {};
  return {
    confirmTrust: (question) => confirmTrust(question, person, askLine),
    askSecret: ({ label, password }) => (password ? askHidden : askLine)(`${escapeLine(label)}: `),
    toast: ({ text }) => person.error(`${escapeLine(text)}\n`),
  };
}

async function confirmTrust(
  question: TrustQuestion,
  person: Person,
  askLine: NonNullable<Person['askLine']>,
): Promise<TrustAnswer> {
  const style = createStyle({ isTerminal: true, env: person.env });
  person.error(`${consentScreen(question, style).join('\n')}\n`);
  const answer = word(await askLine('Let it run? y = yes, d = never, Enter = not now [y/N/d]: '));
  if (answer === 'd') return 'deny';
  if (!isYes(answer)) return 'undecided';
  for (const variable of question.loaderVariables) {
    const value = showLongText(question.definition.env?.[variable] ?? '');
    const also = await askLine(
      `${escapeLine(variable)}=${value} makes the program run other code. Allow that too? [y/N]: `,
    );
    if (!isYes(word(also))) return 'undecided';
  }
  return 'allow';
}

function word(line: string | undefined): string {
  return line?.trim().toLowerCase() ?? '';
}

function isYes(answer: string): boolean {
  return answer === 'y' || answer === 'yes';
}
