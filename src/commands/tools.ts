/** `holt tools` and `holt search`: list tools as readable signatures. */

import { signatureOf } from '../catalog/signature.ts';
import type { ToolInfo, WithheldTool } from '../catalog/tool-info.ts';
import type { Host } from '../host/host.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { Style } from '../terminal/style.ts';
import { type Command, defineCommand, usage, valueOf } from './command.ts';
import { errorsOf, isNothing, reportErrors, withoutListWord, type OfferErrors } from './show/offers.ts';
import { unlistedServer } from './unlisted-server.ts';
import { withHost } from './with-host.ts';

interface ToolsData extends OfferErrors {
  readonly tools: readonly ToolInfo[];
  readonly withheld: readonly WithheldTool[];
  readonly isSearch: boolean;
}

const searchLimit = 20;

export const tools = defineCommand<ToolsData>({
  name: 'tools',
  wrapsLines: true,
  summary: 'The tools that can be called, with their arguments',
  usage: 'tools [SERVER|URL] [--search WORDS]',
  options: {
    search: { type: 'value', placeholder: 'WORDS', summary: 'only tools that match, best first' },
  },
  completes: 'servers',

  async run(words, context) {
    const input = await withoutListWord(words, context);
    const [given, ...extra] = input.positionals;
    if (extra.length > 0)
      throw usage(
        'holt tools takes one server',
        'Write holt tools SERVER, or holt tools for all.',
        extra.join(' '),
      );
    const unlisted = given === undefined ? undefined : unlistedServer(given);
    const query = valueOf(input, 'search');
    return withHost(
      context,
      async (host, _signal, line) => {
        const server = unlisted?.name ?? given;
        if (server !== undefined) line.amongServers([server]);
        const found = await toolsOf(host, server, query);
        const withheld = host.withheld().filter((tool) => server === undefined || tool.server === server);
        const missing = reportErrors(errorsOf(host, 'tools', server), context);
        return { tools: found, withheld, ...missing, isSearch: query !== undefined };
      },
      unlisted?.servers,
    );
  },

  render: ({ tools: found, withheld, errors, isSearch }, style) => [
    ...(isSearch ? found.flatMap((tool) => toolLines(tool, style, tool.name)) : groupLines(found, style)),
    ...(found.length === 0 && isNothing(errors) ? ['No tools.'] : []),
    ...withheld.map((tool) => withheldLine(tool, style)),
  ],
  json: ({ tools: found, withheld, errors }) => ({
    tools: found.map((tool) => ({
      name: tool.name,
      server: tool.server,
      tool: tool.tool,
      title: tool.title,
      description: tool.description,
      inputSchema: tool.inputSchema,
      outputSchema: tool.outputSchema,
      annotations: tool.annotations,
      decision: tool.decision,
    })),
    ...(withheld.length === 0 ? {} : { withheld }),
    errors,
  }),
  exitCode: ({ exit }) => exit,
});

export const search: Command<ToolsData> = {
  ...tools,
  name: 'search',
  summary: 'The tools that match some words, best first',
  usage: 'search WORDS…',
  options: {},
  completes: [],
  run: (input, context) => {
    if (input.positionals.length === 0)
      throw usage('holt search needs words to look for', 'Write holt search WORDS.');
    const values = { ...input.values, search: [input.positionals.join(' ')] };
    return tools.run({ ...input, positionals: [], values }, context);
  },
};

async function toolsOf(
  host: Host,
  server: string | undefined,
  query: string | undefined,
): Promise<readonly ToolInfo[]> {
  if (server !== undefined) await host.connect(server, { ifEnabled: true });
  const all = await host.tools({ wait: 'fresh', server });
  if (query === undefined) return all;
  const matches = await host.searchTools(query, { limit: searchLimit, server });
  return matches.map(({ tool }) => tool);
}

function groupLines(found: readonly ToolInfo[], style: Style): readonly string[] {
  const servers = [...new Set(found.map(({ server }) => server))];
  return servers.flatMap((server) => [
    style.bold(escapeLine(server)),
    ...found
      .filter((tool) => tool.server === server)
      .flatMap((tool) => toolLines(tool, style, tool.tool).map((line) => `  ${line}`)),
  ]);
}

const decisionNotes = { allow: '', ask: '', deny: 'denied' } as const;

function toolLines(tool: ToolInfo, style: Style, shown: string): readonly string[] {
  const note = decisionNotes[tool.decision];
  const signature = escapeLine(signatureOf({ name: shown, inputSchema: tool.inputSchema }));
  const about = firstSentence(tool.description ?? tool.title ?? '');
  return [
    note === '' ? signature : `${signature}  ${style.red(note)}`,
    ...(about === '' ? [] : [`  ${style.dim(escapeLine(about))}`]),
  ];
}

const aboutLength = 110;

function firstSentence(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  const sentence = /^.*?[.!?](?=\s)/u.exec(line)?.[0] ?? line;
  if (sentence.length <= aboutLength) return sentence;
  return `${Array.from(sentence).slice(0, aboutLength).join('')}…`;
}

function withheldLine({ server, tool, unchecked }: WithheldTool, style: Style): string {
  const name = `${server}.${tool}`;
  return unchecked === undefined
    ? `${style.yellow('changed')}  ${escapeLine(name)} is held back: holt pin diff ${escapeLine(nameWord(name))}`
    : `${style.yellow('unchecked')}  ${escapeLine(name)} is held back: ${escapeLine(unchecked)}`;
}
