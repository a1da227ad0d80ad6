/** `npm run x` and similar commands: the script's command line, and what it runs in turn. */

import { isObject, parseObject } from '../../kernel/json.ts';
import {
  foldersUp,
  joined,
  nearest,
  nothing,
  plainWords,
  type Coverage,
  type Look,
  type RunnerCall,
  isUnknown,
} from './coverage.ts';
import { binCoverage } from './local-bins.ts';
import { callsOtherPrograms } from './script-programs.ts';
import { workspaceManifests } from './workspaces.ts';

const installWords = new Set([
  'install',
  'i',
  'ci',
  'add',
  'update',
  'up',
  'upgrade',
  'rebuild',
  'link',
  'clean-install',
]);
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

export function packageManager(call: RunnerCall, look: Look): Coverage {
  const words = plainWords(call.args);
  const end = call.args.indexOf('--');
  // What follows `--` belongs to the script, so a value there that is not known yet selects no script.
  const own = new Set(end === -1 ? call.args : call.args.slice(0, end));
  const chosen = words.filter((word) => own.has(word) || !isUnknown(word));
  const names = chosen.flatMap((word) => [word, ...(aliases.get(word) ?? [])]);
  const isInstall =
    words.some((word) => installWords.has(word)) || (words.length === 0 && call.program.startsWith('yarn'));
  const scripts = packageScripts(call, [...names, ...(isInstall ? installScripts : [])], look);
  const runsBins = call.program !== 'npm' || words.some((word) => word === 'exec' || word === 'x');
  const bins = runsBins ? binCoverage(call, look) : nothing;
  return joined([scripts, bins, settingsCoverage(call, look), pnpmSettings(call.folder, look)]);
}

/** `npx x`: settings files choose the registry, the shell and what Node loads first. */
export function packageRunner(call: RunnerCall, look: Look): Coverage {
  return joined([binCoverage(call, look), settingsCoverage(call, look)]);
}

/** `node --run x`. Every other use of node names its files on the command line. */
export function nodeRun(call: RunnerCall, look: Look): Coverage {
  const names = call.args.flatMap((word, index) =>
    word === '--run' ? (call.args[index + 1] ?? []) : word.startsWith('--run=') ? word.slice(6) : [],
  );
  return names.length === 0 ? nothing : packageScripts(call, names, look);
}

/** `npm-run-all build:* start`, `run-s a b`, `concurrently npm:a`. */
export function scriptSequence(call: RunnerCall, look: Look): Coverage {
  return packageScripts(
    call,
    plainWords(call.args).map((word) => (word.split(/\s/)[0] ?? '').replace(/^(?:npm|pnpm|yarn|bun):/, '')),
    look,
  );
}

export function packageScripts(call: RunnerCall, names: readonly string[], look: Look): Coverage {
  const own = nearest(call.folder, ['package.json'], look);
  const manifests = new Set([...(own === undefined ? [] : [own]), ...workspaceManifests(call, look)]);
  return joined([...manifests].map((place) => scriptsOf(place, names, look)));
}

function scriptsOf(place: string, names: readonly string[], look: Look): Coverage {
  const whole: Coverage = { ...nothing, files: [place] };
  const text = look.text(place);
  const manifest = text === undefined ? undefined : parseObject(text);
  // Cover the whole file when it cannot be parsed, or when a script name is not known yet.
  if (manifest === undefined || names.some(isUnknown)) return whole;
  const scripts = manifest['scripts'];
  const known = new Map(isObject(scripts) ? Object.entries(scripts) : []);
  const folder = look.machine.path.dirname(place);
  const chosen = [...known.keys()].filter((name) => isChosen(name, names));
  const parts = chosen.flatMap((name) => {
    const script = known.get(name);
    return typeof script === 'string' ? [{ place, name: `scripts.${name}`, text: script }] : [];
  });
  const gaps = parts
    .filter((part) => callsOtherPrograms(part.text))
    .map((part) => `the programs that ${part.name} of ${look.shown(place)} calls`);
  // `npm start` without a start script runs server.js.
  const byDefault =
    names.includes('start') && !known.has('start') ? [look.machine.path.join(folder, 'server.js')] : [];
  const lines = parts.map((part) => ({ folder, text: part.text }));
  return { files: byDefault.filter((file) => look.exists(file)), parts, lines, gaps };
}

/** Covers the settings in pnpm's workspace file. The rest of that file lists packages and versions. */
function pnpmSettings(folder: string, look: Look): Coverage {
  const place = nearest(folder, ['pnpm-workspace.yaml'], look);
  const text = place === undefined ? undefined : look.text(place);
  const lines = text?.split('\n').filter((line) => /script-?shell|node-?options|pnpmfile/i.test(line)) ?? [];
  if (place === undefined || lines.length === 0) return nothing;
  return { ...nothing, parts: [{ place, name: 'settings', text: lines.join('\n') }] };
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
function settingsCoverage({ program, folder }: RunnerCall, look: Look): Coverage {
  const names = settingsFiles.get(program) ?? [];
  const { path } = look.machine;
  const found = foldersUp(folder, look).flatMap((above) =>
    names.map((name) => path.join(above, name)).filter((place) => look.exists(place)),
  );
  const named = found.flatMap((place) =>
    [...new Set((look.text(place) ?? '').split(/[\s"'=,[\]]+/))]
      .filter((word) => /[./]/.test(word) && !word.includes('://'))
      .map((word) => path.resolve(path.dirname(place), word))
      .filter((file) => look.exists(file) && !look.isFolder(file)),
  );
  return { ...nothing, files: [...found, ...named] };
}
