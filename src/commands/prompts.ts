/** `holt prompts` and `holt prompt`: list the prompts that servers offer, and get one. */

import type { JsonObject } from '../kernel/json.ts';
import type { PromptInfo } from '../catalog/tool-info.ts';
import { escapeBlock, escapeLine } from '../masking/escape-text.ts';
import type { Style } from '../terminal/style.ts';
import { askingForTrust, withHost } from './with-host.ts';
import { defineCommand, usage } from './command.ts';
import { isNothing, listOffers, type OfferErrors } from './show/offers.ts';

interface PromptsData extends OfferErrors {
  readonly prompts: readonly PromptInfo[];
}

export const prompts = defineCommand<PromptsData>({
  name: 'prompts',
  wrapsLines: true,
  summary: 'The prompts that servers offer',
  usage: 'prompts [SERVER]',
  mostWords: 1,
  options: {},
  completes: 'servers',

  run: (input, context) =>
    listOffers('prompts', input, context, async (host, server) => ({
      prompts: await host.prompts({ server }),
    })),
  render: ({ prompts: found, errors }, style) => [
    ...found.flatMap((prompt) => promptLines(prompt, style)),
    ...(found.length === 0 && isNothing(errors) ? ['No prompts.'] : []),
  ],
  json: ({ prompts: found, errors }) => ({ prompts: found, errors }),
  exitCode: ({ exit }) => exit,
});

function promptLines(prompt: PromptInfo, style: Style): readonly string[] {
  const words = prompt.arguments.map(({ name, required }) => (required ? `${name}=…` : `[${name}=…]`));
  const line = ['holt prompt', prompt.server, prompt.name, ...words].map(escapeLine).join(' ');
  const about = prompt.description ?? prompt.title ?? '';
  return [line, ...(about === '' ? [] : [`  ${style.dim(escapeLine(about))}`])];
}

export const prompt = defineCommand<JsonObject>({
  name: 'prompt',
  summary: 'Get one prompt, filled in',
  usage: 'prompt SERVER NAME [K=V…]',
  options: {},
  completes: 'servers',

  run: ({ positionals: [server, name, ...words] }, context) => {
    if (server === undefined || name === undefined)
      throw usage(
        'holt prompt takes a server and a prompt',
        'holt prompt SERVER NAME K=V…; holt prompts lists them.',
      );
    const args = Object.fromEntries(words.map(pairOf));
    return withHost(context, (host, signal, line) => {
      line.waitFor(`${server} ${name}`);
      return askingForTrust(
        context,
        () => host.prompt(server, name, args, { signal }),
        () => host.connect(server, { ifEnabled: true }),
      );
    });
  },
  render: ({ messages }) =>
    (Array.isArray(messages) ? (messages as JsonObject[]) : []).flatMap(({ role, content }) => [
      `${escapeLine(String(role))}:`,
      escapeBlock(textOf(content)),
    ]),
  json: (answer) => answer,
});

function pairOf(word: string): readonly [string, string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw usage(`Invalid argument "${word}"`, 'Arguments are written K=V.', word);
}

function textOf(content: unknown): string {
  if (typeof content !== 'object' || content === null) return '';
  if ('text' in content && typeof content.text === 'string') return content.text;
  return `(${'type' in content ? String(content.type) : 'content'} is not shown; --json has it)`;
}
