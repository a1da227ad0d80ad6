/** Lists the programs that run project code their arguments do not name, and how each of them finds it. */

import { programName } from '../package-runners.ts';
import { compose, docker } from './containers.ts';
import {
  joined,
  nearest,
  nothing,
  optionValues,
  type Coverage,
  type Look,
  type Runner,
  type RunnerCall,
} from './coverage.ts';
import { binCoverage } from './local-bins.ts';
import { nodeRun, packageManager, packageRunner, scriptSequence } from './package-scripts.ts';
import { localPackages, projectRun, pythonModule } from './python.ts';
import { denoTask, just, make, rake, taskFile } from './task-runners.ts';

/** Programs that build what they run, with the words that make them do so. An empty list means any word. */
const builders: Readonly<Record<string, readonly string[]>> = {
  go: ['run', 'test', 'generate', 'tool'],
  dotnet: ['run', 'watch', 'test', 'exec', 'fsi', 'script', 'build', 'msbuild', 'tool'],
  swift: ['run', 'test'],
  zig: ['run', 'build'],
  stack: ['run', 'exec'],
  cabal: ['run', 'exec'],
  dart: ['run'],
  bazel: ['run'],
  sbt: ['run'],
  bundle: ['exec'],
  turbo: ['run'],
  lerna: ['run', 'exec'],
  cmake: ['--build'],
  rails: ['server', 's', 'runner', 'r'],
  flask: ['run'],
  fastmcp: ['run', 'dev'],
  wrangler: ['dev'],
  nix: ['run', 'develop', 'shell', 'build'],
  direnv: ['exec'],
  devbox: ['run', 'shell'],
  mise: ['run', 'r', 'exec', 'x'],
  moon: ['run'],
  pixi: ['run'],
  devcontainer: ['up', 'exec'],
  vagrant: ['up', 'ssh'],
  /** Any word may be a task or an alias that the project defines. */
  nx: [],
  mix: [],
  composer: [],
  gulp: [],
  grunt: [],
  lein: [],
  clojure: [],
  clj: [],
  tox: [],
  nox: [],
  invoke: [],
  poe: [],
  scons: [],
  ninja: [],
  'nix-shell': [],
  'django-admin': [],
  uvicorn: [],
  gunicorn: [],
  hypercorn: [],
  cargo: [],
  gradle: [],
  gradlew: [],
  mvn: [],
  mvnw: [],
};

function builder({ program, args }: RunnerCall): Coverage {
  const verbs = builders[program] ?? [];
  const verb = args.find((word) => (verbs.length === 0 ? /^\w/.test(word) : verbs.includes(word)));
  if (verbs.length > 0 && verb === undefined) return nothing;
  return { ...nothing, gaps: [verb === undefined ? program : `${program} ${verb}`] };
}

/** `paths` in `tsconfig.json` determine which files imports resolve to. */
function typeScript({ args, folder }: RunnerCall, look: Look): Coverage {
  const given = optionValues(args, ['--tsconfig', '-P', '--project']).map((value) =>
    look.machine.path.resolve(folder, value),
  );
  const own = nearest(folder, ['tsconfig.json'], look);
  const files = [...given, ...(own === undefined ? [] : [own])].filter((place) => look.exists(place));
  return { ...nothing, files };
}

/**
 * `ruby -Ilib`, `perl -I lib`, `java -cp classes Main`: the program loads files from these folders by name.
 */
function libraryFolders({ program, args, folder }: RunnerCall, look: Look): Coverage {
  const { path } = look.machine;
  const options = program === 'java' ? ['-cp', '-classpath', '--class-path', '-p', '--module-path'] : ['-I'];
  const folders = optionValues(args, options)
    .flatMap((value) => value.split(path.delimiter))
    .map((place) => path.resolve(folder, place.replace(/[\\/]\*$/, '')))
    .filter((place) => look.isFolder(place));
  return { ...nothing, gaps: folders.map((place) => `the code in ${look.shown(place)}`) };
}

const runners: ReadonlyMap<string, Runner> = new Map<string, Runner>([
  ...Object.keys(builders).map((name) => [name, builder] as const),
  ...['npm', 'pnpm', 'yarn', 'yarnpkg', 'bun', 'nr'].map((name) => [name, packageManager] as const),
  ...['npx', 'bunx', 'pnpx', 'nlx'].map((name) => [name, packageRunner] as const),
  ...['npm-run-all', 'npm-run-all2', 'run-s', 'run-p', 'concurrently'].map(
    (name) => [name, scriptSequence] as const,
  ),
  ...['tsx', 'ts-node', 'ts-node-esm', 'vite-node'].map((name) => [name, typeScript] as const),
  ...['ruby', 'perl', 'java'].map((name) => [name, libraryFolders] as const),
  ['node', nodeRun],
  ['nodejs', nodeRun],
  ...['make', 'gmake', 'bmake'].map((name) => [name, make] as const),
  ['just', just],
  ['task', taskFile],
  ['rake', rake],
  ['deno', denoTask],
  ...['docker', 'podman', 'nerdctl', 'finch'].map((name) => [name, docker] as const),
  ...['docker-compose', 'podman-compose'].map((name) => [name, compose] as const),
  ...['uv', 'poetry', 'pdm', 'rye', 'hatch', 'pipenv'].map((name) => [name, projectRun] as const),
  ...['uvx', 'pipx'].map((name) => [name, localPackages] as const),
  ...['python', 'pypy', 'py'].map((name) => [name, pythonModule] as const),
]);

/** `python3.12` is python, `pnpm@9` is pnpm, and `npm-cli.js` is npm. */
function runnerName(word: string): string {
  return programName(word)
    .replace(/(?<=.)@.*$/, '')
    .replace(/^(python|pypy)[\d.]+$/, '$1')
    .replace(/^(npm|npx)-cli\.js$|^(yarn|pnpm)\.[cm]?js$/, '$1$2');
}

export function isRunner(word: string): boolean {
  return runners.has(word);
}

/**
 * Any word may be the program, because there are many wrappers: `env -C folder npm run x`, `timeout 9 make`.
 */
const maxCalls = 64;

/**
 * Returns what a command line executes. With `isScript`, also looks up programs in `node_modules/.bin`, as
 * package managers do for scripts.
 */
export function coverageOfLine(
  line: readonly string[],
  { folder, isScript }: { readonly folder: string; readonly isScript: boolean },
  look: Look,
): Coverage {
  const bins = isScript ? binCoverage({ program: 'npx', args: line, folder }, look) : nothing;
  const calls = line.flatMap((word, index) => {
    const program = runnerName(word);
    const runner = runners.get(program);
    return runner === undefined ? [] : [{ runner, call: { program, args: line.slice(index + 1), folder } }];
  });
  const covered = joined([bins, ...calls.slice(0, maxCalls).map(({ runner, call }) => runner(call, look))]);
  return calls.length > maxCalls
    ? { ...covered, gaps: [...covered.gaps, 'some of its many programs'] }
    : covered;
}
