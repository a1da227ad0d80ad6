/** The person at the terminal as an `Interaction`. Without a terminal nothing is asked, and the answer is no. */

import { consentScreen } from '../commands/consent-screen.ts';
import { showLongText } from '../commands/long-text.ts';
import type { Interaction, TrustAnswer, TrustQuestion } from '../kernel/interaction.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { createStyle } from '../terminal/style.ts';
import { createLoginInteraction } from './login-interaction.ts';
import type { Person } from './person.ts';

export function createInteraction(person: Person): Interaction {
  const { askLine, askHidden } = person;
  const logins = createLoginInteraction(person);
  if (askLine === undefined || askHidden === undefined) return logins;
  const tell = (lines: readonly string[]): void => {
    if (lines.length > 0) person.error(`${lines.join('\n')}\n`);
  };
  return {
    ...logins,
    confirmTrust: (question) => confirmTrust(question, person, askLine),
    askSecret: ({ label, password }) => (password ? askHidden : askLine)(`${escapeLine(label)}: `),
    askPermission: async (question) => {
      const { askPermission } = await import('../commands/ask-permission.ts');
      return askPermission(question, { ask: askLine, tell });
    },
    elicit: async (request) => {
      const [{ askElicit }, { openUrl }] = await Promise.all([
        import('../commands/ask-form.ts'),
        import('../platform/open-url.ts'),
      ]);
      return askElicit(request, { ask: askLine, tell, openUrl: (url) => openUrl(url, person) });
    },
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
