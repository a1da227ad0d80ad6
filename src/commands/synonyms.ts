/** Commands that people know from other tools. */

import type { SourceSummary } from '../discovery/discover.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { formatTable } from '../terminal/table.ts';
import { defineCommand } from './command.ts';
import { importCommand } from './import.ts';

export const version = defineCommand<string>({
  name: 'version',
  summary: 'The version of holt',
  usage: 'version',
  mostWords: 0,
  options: {},
  run: (_input, context) => Promise.resolve(context.version),
  render: (text) => [text],
  json: (text) => ({ version: text }),
});

interface AgentsData {
  readonly sources: readonly SourceSummary[];
}

export const agents = defineCommand<AgentsData>({
  name: 'agents',
  summary: 'The agents whose config files are here, with the number of servers in each file',
  usage: 'agents [--verbose]',
  mostWords: 0,
  options: {},
  run: async (_input, context) => {
    const { sources } = await context.loadRoster();
    return { sources: context.verbose ? sources : sources.filter(({ exists }) => exists) };
  },
  render: ({ sources }, style) =>
    sources.length === 0
      ? ['No agent has a config file here.']
      : formatTable(
          [
            ['AGENT', 'SCOPE', 'SERVERS', 'FILE'],
            ...sources.map(({ agent, scope, servers, file, exists }) => [
              agent,
              scope,
              exists ? String(servers) : '–',
              escapeLine(file),
            ]),
          ],
          style.columns,
        ),
  json: ({ sources }) => ({
    agents: [...new Set(sources.map(({ agent }) => agent))].map((agent) => ({
      agent,
      files: sources
        .filter((source) => source.agent === agent)
        .map(({ scope, file, exists, servers }) => ({ scope, file, exists, servers })),
    })),
  }),
});

const { from: _from, ...importOptions } = importCommand.options;

export const addFromClaudeDesktop: typeof importCommand = {
  ...importCommand,
  name: 'add-from-claude-desktop',
  aliases: [],
  summary: 'The same as holt import --from claude-desktop',
  usage: 'add-from-claude-desktop [--to AGENT] [NAME…]',
  options: importOptions,
  run: (input, context) =>
    importCommand.run({ ...input, values: { ...input.values, from: ['claude-desktop'] } }, context),
};
