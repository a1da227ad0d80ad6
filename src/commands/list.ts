/** `holt list`: lists all servers in a plain table for grep and awk. Reads files, connects nothing. */

import type { Problem } from '../kernel/problems.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { onlyCopies } from '../roster/copies.ts';
import { formatTable } from '../terminal/table.ts';
import { readableAgent, readableScope } from './entries/add-options.ts';
import { warnOfFiles } from './diagnosis/host-warnings.ts';
import { type CommandInput, defineCommand, usage, valueOf } from './command.ts';
import { serverRow, sourceText, type ServerRow } from './show/server-row.ts';

export interface ListData {
  readonly servers: readonly ServerRow[];
  readonly shadowed: readonly (ServerRow & { readonly ref: string })[];
  readonly problems: readonly Problem[];
  readonly all: boolean;
  readonly long: boolean;
}

export const list = defineCommand<ListData>({
  name: 'list',
  aliases: ['ls', 'discover'],
  summary: 'The servers as a plain table',
  usage: 'list [--all] [--long] [--agent A] [--scope S]',
  options: {
    all: { type: 'flag', short: 'a', summary: 'also those whose name another one has, as name@agent' },
    long: { type: 'flag', short: 'l', summary: 'also the agent, the file and the line of each' },
    agent: {
      type: 'value',
      placeholder: 'AGENT',
      summary: 'only this agent’s copies, in its state',
      completes: 'agents',
    },
    scope: {
      type: 'value',
      short: 's',
      placeholder: 'SCOPE',
      summary: 'only copies of this scope, in their state',
      completes: 'scopes',
    },
  },

  async run(input, context) {
    refuseWords(input);
    const [agent, scope] = [valueOf(input, 'agent'), valueOf(input, 'scope')];
    const filter = {
      agent: agent === undefined ? undefined : readableAgent(agent),
      scope: scope === undefined ? undefined : readableScope(scope),
    };
    const roster = await context.loadRoster();
    warnOfFiles(roster.problems, context.warn);
    const isFiltered = filter.agent !== undefined || filter.scope !== undefined;
    const { servers, shadowed } = isFiltered ? onlyCopies(roster, filter) : roster;
    return {
      servers: servers.map(serverRow),
      shadowed: shadowed.map((entry) => ({ ref: entry.ref, ...serverRow(entry) })),
      problems: roster.problems.filter(({ severity }) => severity !== 'info'),
      all: input.flags.has('all'),
      long: input.flags.has('long'),
    };
  },

  render({ servers, shadowed, all, long }) {
    const rows: (readonly [string, ServerRow])[] = servers.map((server) => [server.name, server]);
    if (all) rows.push(...shadowed.map((server) => [server.ref, server] as const));
    const cells = rows
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, server]) => [
        escapeLine(name),
        server.transport,
        escapeLine(server.connect),
        ...(long ? [server.agent, escapeLine(`${server.file}:${server.line}`)] : []),
        sourceText(server),
      ]);
    const more = long ? ['AGENT', 'FILE:LINE'] : [];
    return formatTable([['NAME', 'TRANSPORT', 'CONNECT', ...more, 'SOURCE'], ...cells]);
  },

  json: ({ servers, shadowed, problems }) => ({ servers, shadowed, problems }),
});

/** Rejects a name, because otherwise the list of all servers would look like the answer for one. */
function refuseWords({ positionals }: CommandInput): void {
  const [word] = positionals;
  if (word === undefined) return;
  throw usage('holt list takes no name', `holt get ${nameWord(word)} shows one server.`, word);
}
