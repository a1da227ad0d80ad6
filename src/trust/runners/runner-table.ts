/** Lists the programs that run project code their arguments do not name, and how each of them finds it. */

import { programName } from '../package-runners.ts';
import { compose, docker } from './containers.ts';
import {
  joinCode,
  nearest,
  noCode,
  optionValues,
  type ExecutedCode,
  type ProjectReader,
  type Runner,
  type RunnerCall,
} from './executed-code.ts';
import { localPrograms } from './npm-packages.ts';
import { nodeRun, packageManager, packageRunner, scriptSequence } from './package-scripts.ts';
import { localPackages, projectRun, pythonModule } from './python.ts';
import { denoTask, just, make, rake, taskFile } from './task-runners.ts';

/** Programs that build what they run, with the words that make them do so. */
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
};

/** Any word may be a task or an alias that the project defines. */
const taskBuilders =
  'nx mix composer gulp grunt lein clojure clj tox nox invoke poe scons ' +
  'ninja nix-shell django-admin uvicorn gunicorn hypercorn cargo gradle gradlew mvn mvnw';

function builder({ program, args }: RunnerCall): ExecutedCode {
  const verbs = builders[program] ?? [];
  const verb = args.find((word) => (verbs.length === 0 ? /^\w/.test(word) : verbs.includes(word)));
  if (verbs.length > 0 && verb === undefined) return noCode;
  return { ...noCode, gaps: [verb === undefined ? program : `${program} ${verb}`] };
}

/** `paths` in `tsconfig.json` determine which files imports resolve to. */
function typeScript({ args, folder }: RunnerCall, project: ProjectReader): ExecutedCode {
  const given = optionValues(args, ['--tsconfig', '-P', '--project']).map((value) =>
    project.machine.path.resolve(folder, value),
  );
  const own = nearest(folder, ['tsconfig.json'], project);
  const files = [...given, ...(own === undefined ? [] : [own])].filter((place) => project.exists(place));
  return { ...noCode, files };
}

/**
 * `ruby -Ilib`, `perl -I lib`, `java -cp classes Main`: the program loads files from these folders by name.
 */
function libraryFolders({ program, args, folder }: RunnerCall, project: ProjectReader): ExecutedCode {
  const { path } = project.machine;
  const options = program === 'java' ? ['-cp', '-classpath', '--class-path', '-p', '--module-path'] : ['-I'];
  const folders = optionValues(args, options)
    .flatMap((value) => value.split(path.delimiter))
    .map((place) => path.resolve(folder, place.replace(/[\\/]\*$/, '')))
    .filter((place) => project.isFolder(place));
  return { ...noCode, gaps: folders.map((place) => `the code in ${project.relative(place)}`) };
}

const runners: readonly (readonly [Runner, programs: readonly string[]])[] = [
  [builder, [...Object.keys(builders), ...taskBuilders.split(' ')]],
  [packageManager, ['npm', 'pnpm', 'yarn', 'yarnpkg', 'bun', 'nr']],
  [packageRunner, ['npx', 'bunx', 'pnpx', 'nlx']],
  [scriptSequence, ['npm-run-all', 'npm-run-all2', 'run-s', 'run-p', 'concurrently']],
  [typeScript, ['tsx', 'ts-node', 'ts-node-esm', 'vite-node']],
  [libraryFolders, ['ruby', 'perl', 'java']],
  [nodeRun, ['node', 'nodejs']],
  [make, ['make', 'gmake', 'bmake']],
  [just, ['just']],
  [taskFile, ['task']],
  [rake, ['rake']],
  [denoTask, ['deno']],
  [docker, ['docker', 'podman', 'nerdctl', 'finch']],
  [compose, ['docker-compose', 'podman-compose']],
  [projectRun, ['uv', 'poetry', 'pdm', 'rye', 'hatch', 'pipenv']],
  [localPackages, ['uvx', 'pipx']],
  [pythonModule, ['python', 'pypy', 'py']],
];

function runnerOf(program: string): Runner | undefined {
  return runners.find(([, programs]) => programs.includes(program))?.[0];
}

/** `python3.12` is python, `pnpm@9` is pnpm, and `npm-cli.js` is npm. */
function runnerName(word: string): string {
  return programName(word)
    .replace(/(?<=.)@.*$/, '')
    .replace(/^(python|pypy)[\d.]+$/, '$1')
    .replace(/^(npm|npx)-cli\.js$|^(yarn|pnpm)\.[cm]?js$/, '$1$2');
}

export function isRunner(word: string): boolean {
  return runnerOf(word) !== undefined;
}

/**
 * Any word may be the program, because there are many wrappers: `env -C folder npm run x`, `timeout 9 make`.
 */
const maxCalls = 64;

/**
 * Returns what a command line executes. With `isScript`, also looks up programs in `node_modules/.bin`, as
 * package managers do for scripts.
 */
export function codeOfLine(
  line: readonly string[],
  { folder, isScript }: { readonly folder: string; readonly isScript: boolean },
  project: ProjectReader,
): ExecutedCode {
  const bins = isScript ? localPrograms({ program: 'npx', args: line, folder }, project) : noCode;
  const calls = line.flatMap((word, index) => {
    const program = runnerName(word);
    const runner = runnerOf(program);
    return runner === undefined ? [] : [{ runner, call: { program, args: line.slice(index + 1), folder } }];
  });
  return joinCode([
    bins,
    ...calls.slice(0, maxCalls).map(({ runner, call }) => runner(call, project)),
    ...(calls.length > maxCalls ? [{ ...noCode, gaps: ['some of its many programs'] }] : []),
  ]);
}
