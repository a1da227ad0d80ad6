/**
 * `holt completion SHELL`: prints the completion script of a shell, and the words that the script asks for.
 */

import { createCatalogCacheFile } from '../catalog/catalog-cache.ts';
import { agentIds } from '../kernel/agent-ids.ts';
import { scopes } from '../kernel/servers.ts';
import { isOffered } from '../policy/tool-filter.ts';
import { contentKey } from '../roster/same-server.ts';
import { isAllowed } from '../trust/trust-state.ts';
import { type Command, type CommandContext, defineCommand, type OptionSpec, usage } from './command.ts';

// Scripts that make each shell call holt for completions. The words are already filtered, and no shell expands them
// again.

const bash = `# holt completion for bash: eval "$(holt completion bash)"
_holt() {
  local IFS=$'\\n'
  mapfile -t COMPREPLY < <(holt completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # After the name of an argument comes its value.
  if [[ "\${COMPREPLY[0]-}" == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _holt holt`;

const zsh = `#compdef holt
# holt completion for zsh: eval "$(holt completion zsh)"
_holt() {
  local -a words_found
  words_found=("\${(@f)$(holt completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#words_found} )) && [[ -n "\${words_found[1]}" ]]; then
    compadd -S '' -- "\${(@M)words_found:#*=}"
    compadd -- "\${(@)words_found:#*=}"
  else
    _files
  fi
}
compdef _holt holt`;

const fish = `# holt completion for fish: holt completion fish | source
function __holt_words
  set -l typed (commandline -opc) (commandline -ct)
  holt completion words -- $typed[2..-1] 2>/dev/null
end
complete -c holt -a '(__holt_words)'`;

const powershell = `# holt completion for PowerShell: holt completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName holt -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  # Windows PowerShell drops empty words.
  if ($wordToComplete -eq '') { $typed += '""' }
  holt completion words -- @typed 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`;

const completionScripts = { bash, zsh, fish, powershell } as const;

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
    throw usage(
      what === undefined ? 'Which shell?' : `No completions for "${what}"`,
      `Write holt completion ${shells.join('|')}.`,
      what ?? '',
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

export interface CachedToolName {
  /** Both spellings: `server.tool` and `mcp__server__tool`. */
  readonly selectors: readonly string[];
  readonly argumentNames: () => readonly string[];
}

export async function cachedTools({
  loadRoster,
  machine,
  editing,
  now,
}: Pick<CommandContext, 'loadRoster' | 'machine' | 'editing' | 'now'>): Promise<readonly CachedToolName[]> {
  const cache = createCatalogCacheFile(machine, { files: editing.files, wallNow: () => now().getTime() });
  const { servers } = await loadRoster();
  return servers
    .filter(({ definition, trust }) => definition.enabled && isAllowed(trust))
    .flatMap(({ ref, definition }) =>
      (cache.load(contentKey(definition))?.tools ?? [])
        .filter(({ name }) => isOffered(definition, name))
        .map((cached) => ({
          selectors: [`${ref}.${cached.name}`, `mcp__${ref}__${cached.name}`],
          argumentNames: () => Object.keys(cached.tool.inputSchema.properties ?? {}),
        })),
    );
}
