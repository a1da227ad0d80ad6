/**
 * `holt completion SHELL`: prints the completion script of a shell, and the words that the script asks for.
 */

import { agentIds } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import { scopes } from '../kernel/servers.ts';
import { cachedTools } from './show/cached-tools.ts';
import type { Command, CommandContext, OptionSpec } from './command.ts';
import { defineCommand } from './command.ts';
import { completionScripts } from './show/completion-scripts.ts';

export interface CompletionData {
  readonly kind: 'script' | 'words';
  readonly lines: readonly string[];
}

const shells = Object.keys(completionScripts);

export const completion = defineCommand<CompletionData>({
  name: 'completion',
  summary: 'A script that completes names in your shell',
  usage: 'completion bash|zsh|fish|powershell',
  options: {},
  completes: shells,
  mostWords: 1,
  keepsRest: true,

  async run({ positionals: [what], rest }, context) {
    // The scripts call holt with the words typed so far; the last one is unfinished.
    if (what === 'words') return { kind: 'words', lines: await completeWords(rest ?? [], context) };
    const script = Object.entries(completionScripts).find(([shell]) => shell === what)?.[1];
    if (script !== undefined && rest === undefined) return { kind: 'script', lines: script.split('\n') };
    throw new HoltError(
      'usage-invalid',
      what === undefined ? 'Which shell?' : `No completions for "${what}"`,
      { given: what ?? '' },
      {
        remedy: `Write holt completion ${shells.join('|')}.`,
      },
    );
  },

  render: ({ lines }) => lines,
  json: ({ kind, lines }) => (kind === 'script' ? { script: lines.join('\n') } : { words: lines }),
});

/** Words that are safe in a shell. All others are not offered. */
const harmless = /^[\w@%+=:,./-]+$/;

async function completeWords(typed: readonly string[], context: CommandContext): Promise<readonly string[]> {
  const joined = joinAssignments(typed.map((word) => (word === emptyWord ? '' : word)));
  const words = joined[0] === 'mcp' && joined.length > 1 ? joined.slice(1) : joined;
  const last = words.at(-1) ?? '';
  const candidates = await candidatesFor(words, context);
  return [...new Set(candidates)].filter((word) => word.startsWith(last) && harmless.test(word)).toSorted();
}

/** PowerShell cannot pass an empty argument, so its script passes this. */
const emptyWord = '""';

/** Joins `k=v`, which Bash splits into three words. */
function joinAssignments(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const [at, word] of words.entries()) {
    const continues =
      at > 0 && (word === '=' || (words[at - 1] === '=' && joined.at(-1)?.endsWith('=') === true));
    if (continues) joined.push(`${joined.pop() ?? ''}${word}`);
    else joined.push(word);
  }
  return joined;
}

async function candidatesFor(words: readonly string[], context: CommandContext): Promise<readonly string[]> {
  const last = words.at(-1) ?? '';
  const [name, ...given] = words.slice(0, -1).filter((word) => !word.startsWith('-'));
  if (name === undefined) return firstWords(last, context);
  const command = await context.commands
    .find((row) => row.name === name || row.aliases.includes(name))
    ?.load();
  // The name of a tool in place of a command calls that tool.
  if (command === undefined) return argumentsOf(name, given, context);
  const before = words.at(-2) ?? '';
  const asked = Object.entries(command.options).find(
    ([option, { short }]) => before === `--${option}` || before === `-${short}`,
  )?.[1];
  if (asked?.type === 'value') return expand(asked.completes, last, context);
  if (last.startsWith('-')) return [...globalWords, ...shownOptions(command)];
  return positionalWords(command, given, { last, context });
}

async function firstWords(last: string, context: CommandContext): Promise<readonly string[]> {
  if (last.startsWith('-')) return globalWords;
  const names = context.commands.flatMap((row) =>
    row.name === 'overview' ? [] : [row.name, ...row.aliases],
  );
  return last.includes('.') || last.startsWith('mcp__') ? expand('tools', last, context) : names;
}

async function positionalWords(
  { completes, completesAfter = {} }: Command,
  [first = '', ...more]: readonly string[],
  { last, context }: { readonly last: string; readonly context: CommandContext },
): Promise<readonly string[]> {
  if (completes === 'tools' && first !== '') return argumentsOf(first, more, context);
  const after = Object.hasOwn(completesAfter, first) ? completesAfter[first] : undefined;
  return expand(after ?? completes, last, context);
}

/** Returns `name=` for each argument that is not given yet. */
async function argumentsOf(
  selector: string,
  given: readonly string[],
  context: CommandContext,
): Promise<readonly string[]> {
  const tool = (await cachedTools(context)).find(({ selectors }) => selectors.includes(selector));
  const used = new Set(given.map((word) => word.split('=', 1)[0]));
  return (tool?.argumentNames() ?? []).filter((name) => !used.has(name)).map((name) => `${name}=`);
}

function shownOptions({ options }: Command): readonly string[] {
  return Object.entries(options).flatMap(([name, { hidden }]) => (hidden === true ? [] : [`--${name}`]));
}

const globalWords = ['--json', '--cwd', '--home', '--quiet', '--verbose', '--help', '--version'];

async function expand(
  what: OptionSpec['completes'] | Command['completes'],
  last: string,
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
    case 'tools': {
      const at = last.startsWith('mcp__') ? 1 : 0;
      return (await cachedTools(context)).map(({ selectors }) => selectors[at] ?? '');
    }
    default:
      return what;
  }
}
