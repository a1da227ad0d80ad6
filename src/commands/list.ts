/** `holt list`: all servers as a plain table for grep and awk. Reads files, connects nothing. */

import { isAgentId, agentIds } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import type { Problem } from '../kernel/problems.ts';
import { scopes, type Scope } from '../kernel/servers.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { RosterEntry } from '../roster/rank.ts';
import { formatTable } from '../terminal/table.ts';
import { defineCommand, valueOf, type CommandInput } from './command.ts';
import { serverRow, sourceText, type ServerRow } from './server-row.ts';

export interface ListData {
  readonly servers: readonly ServerRow[];
  readonly shadowed: readonly (ServerRow & { readonly ref: string })[];
  readonly problems: readonly Problem[];
  readonly all: boolean;
}

export const list = defineCommand<ListData>({
  name: 'list',
  aliases: ['ls'],
  summary: 'The servers as a plain table',
  usage: 'list [--all] [--agent A] [--scope S]',
  options: {
    all: { type: 'flag', short: 'a', summary: 'also those whose name another one has, as name@agent' },
    agent: {
      type: 'value',
      placeholder: 'AGENT',
      summary: 'only servers from this agent’s files',
      completes: 'agents',
    },
    scope: {
      type: 'value',
      short: 's',
      placeholder: 'SCOPE',
      summary: 'only servers of this scope',
      completes: 'scopes',
    },
  },

  async run(input, context) {
    refuseWords(input);
    const keep = filterOf(input);
    const roster = await context.loadRoster();
    return {
      servers: roster.servers.filter(keep).map(serverRow),
      shadowed: roster.shadowed.filter(keep).map((entry) => ({ ref: entry.ref, ...serverRow(entry) })),
      problems: roster.problems.filter(({ severity }) => severity !== 'info'),
      all: input.flags.has('all'),
    };
  },

  render({ servers, shadowed, all }) {
    const rows: (readonly [string, ServerRow])[] = servers.map((server) => [server.name, server]);
    if (all) rows.push(...shadowed.map((server) => [server.ref, server] as const));
    const cells = rows
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, server]) => [
        escapeLine(name),
        server.transport,
        escapeLine(server.connect),
        sourceText(server),
      ]);
    return formatTable([['NAME', 'TRANSPORT', 'CONNECT', 'SOURCE'], ...cells]);
  },

  json: ({ servers, shadowed, problems }) => ({ servers, shadowed, problems }),
});

/** Somebody who names a server gets all of them otherwise, and takes that for the answer. */
function refuseWords({ positionals }: CommandInput): void {
  const [word] = positionals;
  if (word === undefined) return;
  throw new HoltError(
    'usage-invalid',
    'holt list takes no name',
    { given: word },
    { remedy: `holt get ${nameWord(word)} shows one server.` },
  );
}

function filterOf(input: CommandInput): (entry: RosterEntry) => boolean {
  const agent = valueOf(input, 'agent');
  const scope = valueOf(input, 'scope');
  if (agent !== undefined && !isAgentId(agent)) throw unknownWord('agent-unknown', agent);
  if (scope !== undefined && !(scopes as readonly string[]).includes(scope)) {
    throw new HoltError(
      'usage-invalid',
      `"${scope}" is no scope`,
      { given: scope },
      { remedy: `Scopes are ${scopes.join(', ')}.` },
    );
  }
  return ({ definition: { origin, alsoIn } }) =>
    [origin, ...alsoIn].some(
      (place) =>
        (agent === undefined || place.agent === agent) &&
        (scope === undefined || place.scope === (scope as Scope)),
    );
}

function unknownWord(code: 'agent-unknown', agent: string): HoltError {
  const near = nearest(agent, agentIds);
  const remedy =
    near === undefined ? 'holt doctor -v lists the agents holt knows.' : `Did you mean "${near}"?`;
  return new HoltError(
    code,
    `"${agent}" is no agent holt knows`,
    { agent, ...(near === undefined ? {} : { nearest: near }) },
    { remedy },
  );
}
