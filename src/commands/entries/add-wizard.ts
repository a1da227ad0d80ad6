/** Asks for the fields of a server when `holt add` has no arguments. */

import { usage } from '../command.ts';
import { splitWords } from '../../kernel/shell-words.ts';
import { isWritableName } from '../../roster/validate-server-config.ts';
import { agentOf, isUrl, pairs } from './add-options.ts';
import type { WriteRequest } from './write-entry.ts';

type Ask = (question: string) => Promise<string | undefined>;

export async function askForServer(ask: Ask): Promise<Omit<WriteRequest, 'dryRun'>> {
  const name = await askUntil(ask, 'Name: ', (text) => (isWritableName(text) ? undefined : nameRule));
  const kind = await askUntil(ask, 'Local program or remote server? [l/r]: ', (text) =>
    /^[lr]/i.test(text) ? undefined : 'Type l or r.',
  );
  const config = /^r/i.test(kind) ? await askRemote(ask) : await askProgram(ask);
  const scope = await askUntil(ask, 'Scope, project, user or local [project]: ', (text) =>
    ['', 'project', 'user', 'local'].includes(text) ? undefined : 'Type project, user or local.',
  );
  const agent = agentOf((await answer(ask, 'Agent whose file is written [holt]: ')) || 'holt');
  const chosen = scope === 'user' || scope === 'local' ? scope : 'project';
  return { name, config, scope: chosen, agent, replace: false, ask: true, trust: false };
}

/** Asks for the name of a server with a known URL. Enter accepts the proposal. */
export async function askName(ask: Ask, proposal: string): Promise<string> {
  const name = await askUntil(ask, `Name [${proposal}]: `, (text) =>
    text === '' || isWritableName(text) ? undefined : nameRule,
  );
  return name === '' ? proposal : name;
}

const nameRule = 'Letters, digits, dots, dashes and underscores, at most 100.';

async function askProgram(ask: Ask): Promise<Record<string, unknown>> {
  const line = await askUntil(ask, 'Command line: ', (text) =>
    (splitWords(text) ?? []).length > 0 ? undefined : 'A program and its arguments; close every quote.',
  );
  const [command, ...args] = splitWords(line) ?? [];
  const env = pairs(
    await askMany(ask, 'Variable K=V (empty to continue): '),
    /=/,
    'A variable is written K=V',
  );
  return {
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

async function askRemote(ask: Ask): Promise<Record<string, unknown>> {
  const url = await askUntil(ask, 'URL: ', (text) =>
    isUrl(text) && URL.canParse(text) ? undefined : 'A URL that begins with http, https, ws or wss.',
  );
  const headers = pairs(
    await askMany(ask, 'Header "K: V" (empty to continue): '),
    /[:=]/,
    'A header is written K: V',
  );
  return {
    type: /^wss?:/i.test(url) ? 'ws' : 'http',
    url,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}

async function askMany(ask: Ask, question: string): Promise<readonly string[]> {
  const given: string[] = [];
  for (let text = await answer(ask, question); text !== ''; text = await answer(ask, question))
    given.push(text);
  return given;
}

/** Repeats the question, with the reason, until the answer is valid. */
async function askUntil(
  ask: Ask,
  question: string,
  objection: (text: string) => string | undefined,
): Promise<string> {
  let text = await answer(ask, question);
  for (let reason = objection(text); reason !== undefined; reason = objection(text))
    text = await answer(ask, `${reason}\n${question}`);
  return text;
}

/** Asks once. Throws `usage-invalid` at the end of the input, so that nothing is written. */
async function answer(ask: Ask, question: string): Promise<string> {
  const text = await ask(question);
  if (text === undefined) throw usage('Nothing was written: the input ended.', 'Start again with holt add.');
  return text.trim();
}
