/** Implements `Interaction` with the person at the terminal. Without one, nothing is asked or allowed. */

import { consentScreen } from '../commands/asking/consent-screen.ts';
import { showLongText } from '../commands/asking/long-text.ts';
import { isYes } from '../commands/command.ts';
import type {
  ElicitAnswer,
  ElicitRequest,
  FolderAnswer,
  FolderQuestion,
  Interaction,
  PermissionAnswer,
  PermissionQuestion,
  TrustAnswer,
  TrustQuestion,
} from '../kernel/interaction.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { inConversation } from '../terminal/ask.ts';
import { createStyle } from '../terminal/style.ts';
import type { Ask, Person } from './context-io.ts';
import { createLoginInteraction } from './login-interaction.ts';

export function createInteraction(person: Person): Interaction {
  const { askLine, askHidden } = person;
  const logins = createLoginInteraction(person);
  if (askLine === undefined || askHidden === undefined) return logins;
  const speaker = { askLine, askHidden, error: person.error };
  return {
    ...logins,
    confirmTrust: async (question, signal) =>
      (await converse(speaker, (talk) => confirmTrust(question, person, talk), signal)) ?? 'undecided',
    confirmFolder: async (question, signal) =>
      (await converse(speaker, (talk) => confirmFolder(question, talk), signal)) ?? 'undecided',
    askSecret: ({ label, password }, signal) =>
      converse(
        speaker,
        ({ ask, askSecretly }) => (password ? askSecretly : ask)(`${escapeLine(label)}: `),
        signal,
      ),
    askPermission: async (question, signal) =>
      (await converse(speaker, (talk) => mayCall(question, talk), signal)) ?? 'deny',
    elicit: async (request, signal) =>
      (await converse(speaker, (talk) => elicit(request, person, talk), signal)) ?? { action: 'cancel' },
    toast: ({ text }) => person.error(`${escapeLine(text)}\n`),
  };
}

// Modules are loaded within the conversation, so that questions are asked in the order they were requested.

async function mayCall(question: PermissionQuestion, talk: Conversation): Promise<PermissionAnswer> {
  const { askPermission } = await import('../commands/asking/ask-permission.ts');
  return askPermission(question, { ask: talk.askFreshly, print: talk.print });
}

async function elicit(
  request: ElicitRequest,
  person: Person,
  { ask, askFreshly, print }: Conversation,
): Promise<ElicitAnswer> {
  const [{ askElicit }, { openUrl }] = await Promise.all([
    import('../commands/asking/ask-form.ts'),
    import('../platform/processes/open-url.ts'),
  ]);
  return askElicit(request, { ask, askFreshly, print, openUrl: (url) => openUrl(url, person) });
}

async function confirmTrust(
  question: TrustQuestion,
  person: Person,
  talk: Conversation,
): Promise<TrustAnswer> {
  const { place } = question;
  const style = createStyle({ isTerminal: true, env: person.env, columns: person.columns?.() });
  talk.print([
    ...(place === undefined ? [] : [...(place.at > 1 ? [''] : []), style.dim(`${place.at} of ${place.of}`)]),
    ...consentScreen(question, style),
  ]);
  const { folder } = question;
  const letters = folder === undefined ? 'yd' : 'yfd';
  const answer = await choose('Let it run? y = yes, d = never, Enter = not now [y/N/d]: ', letters, talk);
  if (answer === 'd') return 'deny';
  if (answer === undefined) return 'undecided';
  for (const variable of question.loaderVariables) {
    const value = showLongText(question.definition.env?.[variable] ?? '');
    const also = await choose(
      `${escapeLine(variable)}=${value} makes the program run other code. Allow that too? [y/N]: `,
      'y',
      talk,
    );
    if (also !== 'y') return 'undecided';
  }
  return answer === 'f' ? 'allow-and-trust-folder' : 'allow';
}

/** Enter declines, so that the question is asked only once. `holt trust --folder` changes it later. */
async function confirmFolder(
  { folder, homeFolder, server }: FolderQuestion,
  { askFreshly, print }: Conversation,
): Promise<FolderAnswer> {
  print([
    `"${escapeLine(server)}" is one of your own servers, and ${escapeLine(folder)} is not trusted.`,
    `  In a folder that is not trusted your servers start in ${escapeLine(homeFolder)}, so that files here cannot choose the code they run.`,
  ]);
  const answer = await askFreshly('Trust this folder and start your servers in it? [y/N]: ');
  if (answer === undefined) return 'undecided';
  return isYes(answer) ? 'trust' : 'decline';
}

/** Asks until the answer is one of the letters. Undefined means no. */
async function choose(
  question: string,
  letters: string,
  { askFreshly, print }: Conversation,
): Promise<string | undefined> {
  for (;;) {
    const typed = (await askFreshly(question))?.trim().toLowerCase() ?? '';
    if (['', 'n', 'no'].includes(typed)) return undefined;
    const meant = typed === 'yes' ? 'y' : typed;
    if (meant.length === 1 && letters.includes(meant)) return meant;
    print([`"${escapeLine(typed)}" is not a valid answer.`]);
  }
}

type AskHere = (question: string) => Promise<string | undefined>;

export interface Conversation {
  readonly ask: AskHere;
  readonly askSecretly: AskHere;
  /** Ignores input typed before the question is shown. For questions that grant permission. */
  readonly askFreshly: AskHere;
  readonly print: (lines: readonly string[]) => void;
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
    let pending = '';
    const asking =
      (ask: Ask, fresh: boolean): AskHere =>
      (question) => {
        const whole = pending + question;
        pending = '';
        return ask(whole, signal, fresh);
      };
    try {
      return await work({
        ask: asking(askLine, false),
        askSecretly: asking(askHidden, false),
        askFreshly: asking(askLine, true),
        print: (lines) => {
          pending += lines.map((line) => `${line}\n`).join('');
        },
      });
    } finally {
      if (pending !== '') error(pending);
    }
  }, signal);
}
