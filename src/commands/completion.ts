/** `holt completion SHELL`: a script for the shell, and the words that script asks for. */

import { agentIds } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import { scopes } from '../kernel/servers.ts';
import type { Command, CommandContext, OptionSpec } from './command.ts';
import { defineCommand } from './command.ts';
import { completionScripts } from './completion-scripts.ts';

export interface CompletionData {
  readonly kind: 'script' | 'words';
  readonly lines: readonly string[];
}

const shells = Object.keys(completionScripts);

export const completion = defineCommand<CompletionData>({
  name: 'completion',
  summary: 'A script that completes names in your shell',
  usage: 'completion bash|zsh|fish',
  options: {},
  completes: shells,
  mostWords: 1,
  keepsRest: true,

  async run({ positionals: [what], rest }, context) {
    // The scripts call this back with the words typed so far, the last one unfinished.
    if (what === 'words') return { kind: 'words', lines: await completeWords(rest ?? [], context) };
    const script = Object.entries(completionScripts).find(([shell]) => shell === what)?.[1];
    if (script !== undefined && rest === undefined) return { kind: 'script', lines: script.split('\n') };
    throw new HoltError(
      'usage-invalid',
      what === undefined ? 'Which shell?' : `There are no completions for "${what}"`,
      { given: what ?? '' },
      {
        remedy: `Write holt completion ${shells.join('|')}.`,
      },
    );
  },

  render: ({ lines }) => lines,
  json: ({ kind, lines }) => (kind === 'script' ? { script: lines.join('\n') } : { words: lines }),
});

/** Names go to a shell: what has a meaning there is not offered. */
const harmless = /^[\w@%+=:,./-]+$/;

async function completeWords(typed: readonly string[], context: CommandContext): Promise<readonly string[]> {
  const words = typed[0] === 'mcp' ? typed.slice(1) : typed;
  const last = words.at(-1) ?? '';
  const candidates = await candidatesFor(words, context);
  return [...new Set(candidates)].filter((word) => word.startsWith(last) && harmless.test(word)).toSorted();
}

async function candidatesFor(words: readonly string[], context: CommandContext): Promise<readonly string[]> {
  const name = words.slice(0, -1).find((word) => !word.startsWith('-'));
  if (name === undefined) {
    const names = context.commands.flatMap((row) =>
      row.name === 'overview' ? [] : [row.name, ...row.aliases],
    );
    return words.at(-1)?.startsWith('-') === true ? globalWords : names;
  }
  const command = await context.commands
    .find((row) => row.name === name || row.aliases.includes(name))
    ?.load();
  if (command === undefined) return [];
  const before = words.at(-2) ?? '';
  const asked = Object.entries(command.options).find(
    ([option, { short }]) => before === `--${option}` || before === `-${short}`,
  )?.[1];
  if (asked?.type === 'value') return expand(asked.completes, context);
  if (words.at(-1)?.startsWith('-') === true) return [...globalWords, ...shownOptions(command)];
  return expand(command.completes, context);
}

function shownOptions({ options }: Command): readonly string[] {
  return Object.entries(options).flatMap(([name, { hidden }]) => (hidden === true ? [] : [`--${name}`]));
}

const globalWords = ['--json', '--cwd', '--home', '--quiet', '--verbose', '--help', '--version'];

async function expand(
  what: OptionSpec['completes'] | 'commands',
  context: CommandContext,
): Promise<readonly string[]> {
  switch (what) {
    case undefined:
    case 'files':
      return [];
    case 'agents':
      return agentIds;
    case 'scopes':
      return scopes;
    case 'commands':
      return context.commands.map((row) => row.name);
    case 'servers': {
      const { servers, shadowed } = await context.loadRoster();
      return [...servers, ...shadowed].map(({ ref }) => ref);
    }
    default:
      return what;
  }
}
