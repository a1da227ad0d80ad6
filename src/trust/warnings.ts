/** Warnings for a person to consider before they let an entry run. */

import { isInside, type Machine } from '../kernel/machine.ts';
import type { ServerDefinition, StdioLaunch } from '../kernel/servers.ts';
import { loaderVariables } from './naming/command-words.ts';
import type { ProjectFile } from './project-code.ts';
import { plainText } from './plain-text.ts';
import { shells } from './naming/path-words.ts';
import { fetchedPackages, isPinned, programName } from './package-runners.ts';

export interface TrustWarning {
  readonly kind:
    | 'unpinned-package'
    | 'shell'
    | 'inline-code'
    | 'loader-variable'
    | 'outside-project'
    | 'runs-command'
    | 'whole-environment'
    | 'uncertain-file'
    | 'not-covered';
  readonly text: string;
}

const interpreters = /^(?:node|bun|deno|python[\d.]*|ruby|perl|php|lua)$/;
const codeOptions = /^(?:-[a-z]*[ec]|-p|--eval|--print|eval)$/;

export function trustWarnings(
  definition: ServerDefinition,
  machine: Machine,
  named: readonly ProjectFile[],
  notCovered: readonly string[] = [],
): readonly TrustWarning[] {
  const { launch } = definition;
  const links = named.flatMap(({ path, leadsTo }) =>
    leadsTo === undefined ? [] : [outsideWarning(`${path} (a link to ${leadsTo})`)],
  );
  const uncertain = named.flatMap(({ path, hash }) => (hash === 'unknown' ? [uncertainWarning(path)] : []));
  const gaps =
    notCovered.length === 0 ? [] : [{ kind: 'not-covered', text: notCoveredText(notCovered) } as const];
  if (launch.kind !== 'stdio') {
    const helper = launch.headersHelper;
    const runs =
      helper === undefined
        ? []
        : [{ kind: 'runs-command', text: `runs a command for its headers: ${helper}` } as const];
    return [...runs, ...links, ...uncertain, ...gaps];
  }
  return [
    ...unpinned(launch),
    ...codeWarnings(launch),
    ...loaderVariables(definition).map(
      (name) => ({ kind: 'loader-variable', text: `${name} makes the program run other code` }) as const,
    ),
    ...(launch.inheritEnv === 'all'
      ? [{ kind: 'whole-environment', text: 'it receives every variable of your environment' } as const]
      : []),
    ...outside(definition, launch, machine),
    ...links,
    ...uncertain,
    ...gaps,
  ];
}

function codeWarnings({ command, args }: StdioLaunch): readonly TrustWarning[] {
  const name = programName(command);
  if (shells.has(name))
    return [{ kind: 'shell', text: 'the command is a shell: it runs whatever its arguments say' }];
  const hasCode = interpreters.test(name) && args.some((argument) => codeOptions.test(argument));
  return hasCode ? [{ kind: 'inline-code', text: 'it runs code that is in its arguments' }] : [];
}

/** `npx -y package` without an exact version runs the newest release each time. */
function unpinned({ command, args }: StdioLaunch): readonly TrustWarning[] {
  return fetchedPackages(command, args)
    .filter((name) => !isPinned(name))
    .map((name) => ({
      kind: 'unpinned-package',
      text: `${name} has no exact version: what runs can change from day to day`,
    }));
}

function outside(
  definition: ServerDefinition,
  { command, args, cwd }: StdioLaunch,
  machine: Machine,
): readonly TrustWarning[] {
  const words = [
    ...(cwd === undefined ? [] : [[cwd, 'cwd'] as const]),
    [command, 'command'] as const,
    ...args.map((argument) => [argument, 'args'] as const),
  ];
  return words.flatMap(([word, field]) => {
    const plain = plainText(word, field, definition, machine);
    if (plain.kind !== 'known') return [];
    const value = plain.text.slice(plain.text.startsWith('-') ? plain.text.indexOf('=') + 1 : 0);
    return leavesProject(value, machine) ? [outsideWarning(word)] : [];
  });
}

function leavesProject(word: string, machine: Machine): boolean {
  if (/^~(?:[\\/]|$)/.test(word)) return true;
  if (word.includes('://') || !(machine.path.isAbsolute(word) || /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(word)))
    return false;
  return !isInside(machine.path.resolve(machine.projectRoot, word), machine.projectRoot, machine);
}

function outsideWarning(word: string): TrustWarning {
  return { kind: 'outside-project', text: `${word} lies outside the project` };
}

function uncertainWarning(path: string): TrustWarning {
  return {
    kind: 'uncertain-file',
    text: `${path} cannot be read completely, so an approval cannot cover it`,
  };
}

/** Formats the gaps as one line, for the question and for `status`. */
export function notCoveredText(notCovered: readonly string[]): string {
  return `the code in this folder is not part of the approval: ${notCovered.join(', ')}`;
}
