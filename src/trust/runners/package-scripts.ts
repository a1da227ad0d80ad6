/** `npm run x` and similar commands: the script's command line, and what it runs in turn. */

import { isObject, parseObject } from '../../kernel/json.ts';
import { programName } from '../package-runners.ts';
import {
  foldersUp,
  joinCode,
  nearest,
  noCode,
  plainWords,
  type ExecutedCode,
  type ProjectReader,
  type RunnerCall,
  isUnknown,
} from './executed-code.ts';
import { localPrograms, workspaceManifests } from './npm-packages.ts';

const installWords = new Set('install i ci add update up upgrade rebuild link clean-install'.split(' '));
const installScripts = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
];
/** Other names of npm commands, and the scripts that run with them. */
const aliases: ReadonlyMap<string, readonly string[]> = new Map([
  ['t', ['test']],
  ['tst', ['test']],
  ['it', ['test', ...installScripts]],
  ['restart', ['restart', 'stop', 'start']],
]);

/** Files with settings that choose the shell, a preloaded module or the program itself. */
const settingsFiles: ReadonlyMap<string, readonly string[]> = new Map([
  ['npm', ['.npmrc']],
  ['npx', ['.npmrc']],
  ['nlx', ['.npmrc']],
  ['nr', ['.npmrc']],
  ['pnpm', ['.npmrc']],
  ['pnpx', ['.npmrc']],
  ['yarn', ['.yarnrc', '.yarnrc.yml']],
  ['yarnpkg', ['.yarnrc', '.yarnrc.yml']],
  ['bun', ['bunfig.toml']],
  ['bunx', ['bunfig.toml']],
]);

export function packageManager(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const words = plainWords(call.args);
  const end = call.args.indexOf('--');
  // What follows `--` belongs to the script, so a value there that is not known yet selects no script.
  const own = new Set(end === -1 ? call.args : call.args.slice(0, end));
  const chosen = words.filter((word) => own.has(word) || !isUnknown(word));
  const names = chosen.flatMap((word) => [word, ...(aliases.get(word) ?? [])]);
  const isInstall =
    words.some((word) => installWords.has(word)) || (words.length === 0 && call.program.startsWith('yarn'));
  const scripts = packageScripts(call, [...names, ...(isInstall ? installScripts : [])], project);
  const runsBins = call.program !== 'npm' || words.some((word) => word === 'exec' || word === 'x');
  const bins = runsBins ? localPrograms(call, project) : noCode;
  return joinCode([scripts, bins, settingsFilesOf(call, project), pnpmSettings(call.folder, project)]);
}

/** `npx x`: settings files choose the registry, the shell and what Node loads first. */
export function packageRunner(call: RunnerCall, project: ProjectReader): ExecutedCode {
  return joinCode([localPrograms(call, project), settingsFilesOf(call, project)]);
}

/** `node --run x`. Every other use of node names its files on the command line. */
export function nodeRun(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const names = call.args.flatMap((word, index) =>
    word === '--run' ? (call.args[index + 1] ?? []) : word.startsWith('--run=') ? word.slice(6) : [],
  );
  return names.length === 0 ? noCode : packageScripts(call, names, project);
}

/** `npm-run-all build:* start`, `run-s a b`, `concurrently npm:a`. */
export function scriptSequence(call: RunnerCall, project: ProjectReader): ExecutedCode {
  return packageScripts(
    call,
    plainWords(call.args).map((word) => (word.split(/\s/)[0] ?? '').replace(/^(?:npm|pnpm|yarn|bun):/, '')),
    project,
  );
}

export function packageScripts(
  call: RunnerCall,
  names: readonly string[],
  project: ProjectReader,
): ExecutedCode {
  const own = nearest(call.folder, ['package.json'], project);
  const manifests = new Set([...(own === undefined ? [] : [own]), ...workspaceManifests(call, project)]);
  return joinCode([...manifests].map((place) => scriptsOf(place, names, project)));
}

function scriptsOf(place: string, names: readonly string[], project: ProjectReader): ExecutedCode {
  const whole: ExecutedCode = { ...noCode, files: [place] };
  const text = project.text(place);
  const manifest = text === undefined ? undefined : parseObject(text);
  // Cover the whole file when it cannot be parsed, or when a script name is not known yet.
  if (manifest === undefined || names.some(isUnknown)) return whole;
  const scripts = manifest['scripts'];
  const known = new Map(isObject(scripts) ? Object.entries(scripts) : []);
  const folder = project.machine.path.dirname(place);
  const chosen = [...known.keys()].filter((name) => isChosen(name, names));
  const parts = chosen.flatMap((name) => {
    const script = known.get(name);
    return typeof script === 'string' ? [{ place, name: `scripts.${name}`, text: script }] : [];
  });
  const gaps = parts
    .filter((part) => callsOtherPrograms(part.text))
    .map((part) => `the programs that ${part.name} of ${project.relative(place)} calls`);
  // `npm start` without a start script runs server.js.
  const byDefault =
    names.includes('start') && !known.has('start') ? [project.machine.path.join(folder, 'server.js')] : [];
  const lines = parts.map((part) => ({ folder, text: part.text }));
  return { files: byDefault.filter((file) => project.exists(file)), parts, lines, gaps };
}

/** Covers the settings in pnpm's workspace file. The rest of that file lists packages and versions. */
function pnpmSettings(folder: string, project: ProjectReader): ExecutedCode {
  const place = nearest(folder, ['pnpm-workspace.yaml'], project);
  const text = place === undefined ? undefined : project.text(place);
  const lines = text?.split('\n').filter((line) => /script-?shell|node-?options|pnpmfile/i.test(line)) ?? [];
  if (place === undefined || lines.length === 0) return noCode;
  return { ...noCode, parts: [{ place, name: 'settings', text: lines.join('\n') }] };
}

/** True when a name or pattern selects the script, or the script that it runs before or after. */
function isChosen(script: string, names: readonly string[]): boolean {
  const bases = [script, ...(/^(?:pre|post)/.test(script) ? [script.replace(/^(?:pre|post)/, '')] : [])];
  return names.some((name) => {
    const star = name.indexOf('*');
    return star === -1 ? bases.includes(name) : bases.some((base) => base.startsWith(name.slice(0, star)));
  });
}

/**
 * Covers settings files in the folder and its parents, and the files that they name: `yarnPath`, `preload`.
 */
function settingsFilesOf({ program, folder }: RunnerCall, project: ProjectReader): ExecutedCode {
  const names = settingsFiles.get(program) ?? [];
  const { path } = project.machine;
  const found = foldersUp(folder, project).flatMap((above) =>
    names.map((name) => path.join(above, name)).filter((place) => project.exists(place)),
  );
  const named = found.flatMap((place) =>
    [...new Set((project.text(place) ?? '').split(/[\s"'=,[\]]+/))]
      .filter((word) => /[./]/.test(word) && !word.includes('://'))
      .map((word) => path.resolve(path.dirname(place), word))
      .filter((file) => project.exists(file) && !project.isFolder(file)),
  );
  return { ...noCode, files: [...found, ...named] };
}

/**
 * Programs whose code is the file they are given, recognised runners, and shell words that run nothing else.
 */
const plainPrograms = new Set(
  (
    'node nodejs deno bun tsx ts-node ts-node-esm nodemon python python3 pypy pypy3 py ruby perl php lua java sh bash zsh dash ' +
    'cd echo export exec env cross-env set unset true false : exit sleep test [ wait rm mkdir cp mv touch cat printf nice timeout ' +
    'npm npx yarn pnpm bunx pnpx npm-run-all run-s run-p make gmake just docker docker-compose podman uv uvx cargo go dotnet ' +
    'if then else fi do done while for'
  ).split(' '),
);

/** Whether a script runs programs that holt does not recognise. Only decides whether to add a note. */
export function callsOtherPrograms(script: string): boolean {
  return script.split(/&&|\|\||[;|&\n]/).some((command) => {
    const words = command.split(/[\s"'()]+/).filter((word) => word !== '');
    const program = words.find((word) => !/^\w+=/.test(word));
    // A program with a path is a file that the script names.
    return program !== undefined && !/[\\/]/.test(program) && !isPlain(program);
  });
}

function isPlain(program: string): boolean {
  return plainPrograms.has(programName(program)) || /^python[\d.]+$/.test(program);
}
