/** Containers that see the project: bind mounts, compose files and images built from it. */

import { isInside } from '../../kernel/machine.ts';
import { pathWords } from '../naming/path-words.ts';
import {
  foldersUp,
  joinCode,
  noCode,
  optionValues,
  type ExecutedCode,
  type ProjectReader,
  type RunnerCall,
  isUnknown,
} from './executed-code.ts';

const composeFiles = [
  'compose.yaml',
  'compose.yml',
  'docker-compose.yml',
  'docker-compose.yaml',
  'compose.override.yaml',
  'compose.override.yml',
  'docker-compose.override.yml',
  'docker-compose.override.yaml',
];
const maxWords = 2000;

export function docker(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const { args } = call;
  return joinCode([
    ...(args.includes('compose') ? [compose(call, project)] : []),
    ...(args.includes('run') || args.includes('create') ? [mounts(call, project)] : []),
    ...(args.includes('build') && !args.includes('compose') ? [build(call, project)] : []),
    ...(args.includes('bake') ? [bake(call, project)] : []),
  ]);
}

function mounts({ args, folder }: RunnerCall, project: ProjectReader): ExecutedCode {
  // `-itv .:/app`: short options may be combined.
  const single = args.map((word) => word.replace(/^-[ditPq]+v/, '-v'));
  const volumes = optionValues(single, ['-v', '--volume']).map(sourceOfVolume);
  const binds = optionValues(args, ['--mount']).flatMap((value) =>
    value.split(',').flatMap((pair) => /^(?:source|src)=(.*)$/s.exec(pair)?.[1] ?? []),
  );
  return joinCode([...volumes, ...binds].map((source) => mounted(source, folder, project)));
}

/** In `C:\src:/app`, the first colon is part of the path. */
function sourceOfVolume(volume: string): string {
  return /^(?:[A-Za-z]:[\\/])?[^:]*/.exec(volume)?.[0] ?? '';
}

/** A mounted file is covered; of a mounted folder, only the name is. A plain word is a named volume. */
function mounted(source: string, folder: string, project: ProjectReader): ExecutedCode {
  const { path, projectRoot } = project.machine;
  // A variable or command is taken to mean the folder that the container starts from.
  const place = path.resolve(folder, source.replace(/^(?:\0|~|\$\{?PWD\}?|\$\(?pwd\)?|`pwd`|%cd%)/i, '.'));
  const isPath = /^[.~$%`\0]|[\\/]/.test(source);
  if (!isPath) return noCode;
  if (project.exists(place) && !project.isFolder(place)) return { ...noCode, files: [place] };
  const holdsProject = isInside(projectRoot, place, project.machine);
  if (!holdsProject && !project.isInProject(place)) return noCode;
  return { ...noCode, gaps: [`the mounted folder ${holdsProject ? '.' : project.relative(place)}`] };
}

function build({ args, folder }: RunnerCall, project: ProjectReader): ExecutedCode {
  const { path } = project.machine;
  const contexts = ['.', ...args].map((word) => path.resolve(folder, word));
  const files = contexts
    .map((context) => path.join(context, 'Dockerfile'))
    .filter((file) => project.exists(file));
  return { ...noCode, files, gaps: ['what docker build copies'] };
}

const bakeFiles = [
  'docker-bake.hcl',
  'docker-bake.json',
  'docker-bake.override.hcl',
  'docker-bake.override.json',
];

/** `bake` builds what its own files or the compose files name. */
function bake(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const files = bakeFiles
    .map((name) => project.machine.path.join(call.folder, name))
    .filter((place) => project.exists(place));
  return joinCode([compose(call, project), { ...noCode, files, gaps: ['what docker bake copies'] }]);
}

export function compose(call: RunnerCall, project: ProjectReader): ExecutedCode {
  const { path } = project.machine;
  const values = optionValues(call.args, ['-f', '--file']);
  const given = values.filter((value) => !isUnknown(value)).map((value) => path.resolve(call.folder, value));
  const unknown = values.some(isUnknown) ? [{ ...noCode, gaps: ['the compose file that it is given'] }] : [];
  const folderEntryFiles = foldersUp(call.folder, project).map((folder) =>
    composeFiles.map((name) => path.join(folder, name)).filter((place) => project.exists(place)),
  );
  const found = given.length > 0 ? given : (folderEntryFiles.find((places) => places.length > 0) ?? []);
  return joinCode([
    ...found.map((place) => composeFile(place, project)),
    composeVariables(call.folder, project),
    ...unknown,
  ]);
}

function composeFile(place: string, project: ProjectReader): ExecutedCode {
  const { path } = project.machine;
  const text = project.text(place) ?? '';
  const folder = path.dirname(place);
  const words = [...new Set(pathWords(text))];
  const named = words.slice(0, maxWords).map((word) => ({ word, place: path.resolve(folder, word) }));
  const present = named.filter((one) => project.exists(one.place) && !project.isFolder(one.place));
  // Mounted data may be large, a socket or unreadable; that is no reason to refuse the approval.
  const files = present.filter((one) => project.text(one.place) !== undefined);
  // A bare word is usually the name of a service; after `build` and `context` it is a folder.
  const isFolderName = (word: string): boolean =>
    /^\.{1,2}(?:$|[\\/])|[\\/]/.test(word) || isContext(text, word);
  const folders = named.filter((one) => isFolderName(one.word) && project.isFolder(one.place));
  const dockerfiles = folders
    .map((one) => path.join(one.place, 'Dockerfile'))
    .filter((file) => project.exists(file));
  const gaps = [
    ...folders.map(
      (one) => `the folder ${project.relative(one.place)} that ${project.relative(place)} names`,
    ),
    ...present.filter((one) => !files.includes(one)).map((one) => `the file ${project.relative(one.place)}`),
  ];
  if (words.length > maxWords) gaps.push(`some of the files that ${project.relative(place)} names`);
  return { ...noCode, files: [place, ...files.map((one) => one.place), ...dockerfiles], gaps };
}

function isContext(text: string, word: string): boolean {
  return [...text.matchAll(/\b(?:build|context)\s*:\s*["']?([^"'\s#]+)/g)].some(
    ([, value]) => value === word,
  );
}

/** `.env` may name other compose files. Only those lines count: the rest are values, often secrets. */
function composeVariables(folder: string, project: ProjectReader): ExecutedCode {
  const { path } = project.machine;
  const place = foldersUp(folder, project)
    .map((above) => path.join(above, '.env'))
    .find((file) => project.exists(file));
  const text = place === undefined ? undefined : project.text(place);
  const lines = text?.split('\n').filter((line) => /^\s*(?:export\s+)?COMPOSE_/.test(line)) ?? [];
  if (place === undefined || lines.length === 0) return noCode;
  const files = lines
    .flatMap(pathWords)
    .map((word) => path.resolve(path.dirname(place), word))
    .filter((file) => project.exists(file) && !project.isFolder(file));
  return { ...noCode, files, parts: [{ place, name: 'COMPOSE_*', text: lines.join('\n') }] };
}
