/**
 * Whether the folder that a command line starts in decides which code runs: package runners, Python's modules and
 * their likes look there first, whatever stands in front of them. Too many do little harm, they start in the home
 * folder; one too few would let a repository put its own code in the place of the user's.
 */

import { shellLines, shells } from './naming/shell-words.ts';
import { isPackageRunner, programName } from './package-runners.ts';

/** Programs that start another one named behind them. Their own options differ, so each word behind them may be it. */
const wrappers = new Set([
  ...shells,
  ...'env nice ionice timeout gtimeout time nohup setsid stdbuf unbuffer script sudo doas tini'.split(' '),
  ...'dumb-init caffeinate winpty xvfb-run systemd-run firejail op mise rtx asdf direnv dotenv dotenvx'.split(
    ' ',
  ),
  ...'doppler infisical aws-vault chamber sops teller envchain fnm volta corepack'.split(' '),
]);

interface LocalRunner {
  readonly verb: string;
  /** Options that send it into another folder. */
  readonly moves: readonly string[];
  /** Options that name another project, while it stays where it is. */
  readonly projects: readonly string[];
}

/** Programs that run what the project around their folder has installed. */
const localRunners: ReadonlyMap<string, LocalRunner> = new Map([
  ['pnpm', { verb: 'exec', moves: ['-C', '--dir'], projects: [] }],
  ['yarn', { verb: 'exec', moves: ['--cwd'], projects: [] }],
  ['uv', { verb: 'run', moves: ['--directory'], projects: ['--project'] }],
  ['poetry', { verb: 'run', moves: ['-C', '--directory'], projects: ['-P', '--project'] }],
  ['pdm', { verb: 'run', moves: [], projects: ['-p', '--project'] }],
  ['pipenv', { verb: 'run', moves: [], projects: [] }],
  ['hatch', { verb: 'run', moves: [], projects: ['-p', '--project'] }],
  ['rye', { verb: 'run', moves: [], projects: ['--pyproject'] }],
  ['pixi', { verb: 'run', moves: [], projects: ['--manifest-path'] }],
]);

/** Options that the next word belongs to. Behind one that is missing here the program seems to begin, and home it is. */
const valued =
  /^(?:-[CPpWX]|--(?:dir|cwd|directory|project|pyproject|manifest-path|with|with-editable|python|extra|group|env-file|index|package|environment|check-hash-based-pycs))$/;

const python = /^(?:pyw?|pythonw?[\d.]*|pypy[\d.]*)$/;
/** A module or code, behind other switches and with its name right after it or not. */
const pythonModule = /^-[bBdEiOqRsSuvx]*[mc]/;
/** With these it does not look into the folder. */
const pythonApart = /^-[A-Za-z]*[IP]/;
const nodePreload = /^(?:-r|--require|--import|--loader|--experimental-loader)(?:=(.*))?$/s;
/** Found in `node_modules`, unlike a path or an address. */
const packageName = /^(?:@[^:]*|[^./\\:][^:]*)$/;
/** A path that says where it is, wherever one starts. */
const anywhere = /^(?:[\\/~$]|[A-Za-z]:)/;
/** The scripts behind npx and its likes, handed to Node. */
const runnerScript = /(?:^|[\\/])(npx|npm|pnpm|pnpx|yarn)(?:-cli)?\.[cm]?js$/i;

export function folderChoosesCode(command: string, args: readonly string[]): boolean {
  if (!wrappers.has(programName(command))) return decides(command, args);
  // A wrapper behind a wrapper adds no words: what stands behind it is looked at already.
  const lines = [args, ...args.flatMap((word) => shellLines(word))];
  return lines.some((line) => line.some((word, index) => decides(word, line.slice(index + 1))));
}

function decides(command: string, args: readonly string[]): boolean {
  const written = programName(command);
  // holt starts it as the Bun that is in it.
  const name = written === 'opencode' ? 'bun' : written;
  if (tailsBehindOptions(args).some((tail) => isPackageRunner(name, tail))) return true;
  if (python.test(name)) return pythonDecides(args);
  if (name === 'node') return nodeDecides(args);
  // Bun runs what the folder's bunfig.toml names before any script, and Deno takes packages from its node_modules.
  if (name === 'bun') return anywhere.test(args.find((word) => !isOption(word) && word !== 'run') ?? '');
  if (name === 'deno') return args.some((word) => /^(?:npm|jsr):/.test(word));
  const local = localRunners.get(name);
  return local !== undefined && localDecides(local, args);
}

/** What is left from each word on that may be the first one that is no option: an unknown one may have a value or not. */
function tailsBehindOptions(args: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: reachOfOptions(args) + 1 }, (_, index) => args.slice(index));
}

function reachOfOptions(args: readonly string[]): number {
  const end = args.findIndex((word, index) => !isOption(word) && !isOption(args[index - 1]));
  return end === -1 ? args.length : end;
}

/** The options in front of the program, as far as they are known. */
function leadingOptions(args: readonly string[]): readonly string[] {
  const end = args.findIndex((word, index) => !isOption(word) && !valued.test(args[index - 1] ?? ''));
  return args.slice(0, end === -1 ? args.length : end);
}

function isOption(word: string | undefined): boolean {
  return word?.startsWith('-') === true;
}

function pythonDecides(args: readonly string[]): boolean {
  const options = leadingOptions(args);
  if (options.some((word) => pythonApart.test(word) && !pythonModule.test(word))) return false;
  return options.some((word) => pythonModule.test(word));
}

function nodeDecides(args: readonly string[]): boolean {
  const script = args.findIndex((word) => runnerScript.test(word));
  const runner = runnerScript.exec(args[script] ?? '')?.[1];
  if (runner !== undefined) return decides(runner, args.slice(script + 1));
  const options = args.slice(0, reachOfOptions(args));
  return options.some((word, index) => {
    const preload = nodePreload.exec(word);
    return preload !== null && packageName.test(preload[1] ?? args[index + 1] ?? '');
  });
}

function localDecides({ verb, moves, projects }: LocalRunner, args: readonly string[]): boolean {
  const tail = tailsBehindOptions(args).find(([first]) => first === verb);
  if (tail === undefined) return false;
  const behind = tail.slice(1);
  const own = [...args.slice(0, args.length - tail.length), ...leadingOptions(behind)];
  const has = (options: readonly string[]): boolean =>
    own.some((word) => options.some((option) => word === option || word.startsWith(`${option}=`)));
  if (has(moves)) return false;
  return !has(projects) || behind.some((word, index) => startsModule(word, behind.slice(index + 1)));
}

/** `uv run --project X -m y`, or with Python written out: the project is another, the folder is not. */
function startsModule(word: string, rest: readonly string[]): boolean {
  return /^(?:-m|--module)(?:=|$)/.test(word) || (python.test(programName(word)) && pythonDecides(rest));
}
