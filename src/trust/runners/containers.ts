/** Containers that see the project: bind mounts, compose files and images built from it. */

import { isInside } from '../../kernel/machine.ts';
import { pathWords } from '../naming/path-words.ts';
import {
  foldersUp,
  joined,
  nothing,
  optionValues,
  type Coverage,
  type Look,
  type RunnerCall,
  isUnknown,
} from './coverage.ts';

const composeFiles = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
const overrides = composeFiles.map((name) => name.replace(/\.(ya?ml)$/, '.override.$1'));
const maxWords = 2000;

export function docker(call: RunnerCall, look: Look): Coverage {
  const { args } = call;
  return joined([
    ...(args.includes('compose') ? [compose(call, look)] : []),
    ...(args.includes('run') || args.includes('create') ? [mounts(call, look)] : []),
    ...(args.includes('build') && !args.includes('compose') ? [build(call, look)] : []),
    ...(args.includes('bake') ? [bake(call, look)] : []),
  ]);
}

function mounts({ args, folder }: RunnerCall, look: Look): Coverage {
  // `-itv .:/app`: short options may be combined.
  const single = args.map((word) => word.replace(/^-[ditPq]+v/, '-v'));
  const volumes = optionValues(single, ['-v', '--volume']).map(sourceOfVolume);
  const binds = optionValues(args, ['--mount']).flatMap((value) =>
    value.split(',').flatMap((pair) => /^(?:source|src)=(.*)$/s.exec(pair)?.[1] ?? []),
  );
  return joined([...volumes, ...binds].map((source) => mounted(source, folder, look)));
}

/** In `C:\src:/app`, the first colon is part of the path. */
function sourceOfVolume(volume: string): string {
  return /^(?:[A-Za-z]:[\\/])?[^:]*/.exec(volume)?.[0] ?? '';
}

/** A mounted file is covered; of a mounted folder, only the name is. A plain word is a named volume. */
function mounted(source: string, folder: string, look: Look): Coverage {
  const { path, projectRoot } = look.machine;
  // A variable or command is taken to mean the folder that the container starts from.
  const place = path.resolve(folder, source.replace(/^(?:\0|~|\$\{?PWD\}?|\$\(?pwd\)?|`pwd`|%cd%)/i, '.'));
  const isPath = /^[.~$%`\0]|[\\/]/.test(source);
  if (!isPath) return nothing;
  if (look.exists(place) && !look.isFolder(place)) return { ...nothing, files: [place] };
  const holdsProject = isInside(projectRoot, place, look.machine);
  if (!holdsProject && !look.isOurs(place)) return nothing;
  return { ...nothing, gaps: [`the mounted folder ${holdsProject ? '.' : look.shown(place)}`] };
}

function build({ args, folder }: RunnerCall, look: Look): Coverage {
  const { path } = look.machine;
  const contexts = ['.', ...args].map((word) => path.resolve(folder, word));
  const files = contexts
    .map((context) => path.join(context, 'Dockerfile'))
    .filter((file) => look.exists(file));
  return { ...nothing, files, gaps: ['what docker build copies'] };
}

const bakeFiles = [
  'docker-bake.hcl',
  'docker-bake.json',
  'docker-bake.override.hcl',
  'docker-bake.override.json',
];

/** `bake` builds what its own files or the compose files name. */
function bake(call: RunnerCall, look: Look): Coverage {
  const files = bakeFiles
    .map((name) => look.machine.path.join(call.folder, name))
    .filter((place) => look.exists(place));
  return joined([compose(call, look), { ...nothing, files, gaps: ['what docker bake copies'] }]);
}

export function compose(call: RunnerCall, look: Look): Coverage {
  const { path } = look.machine;
  const values = optionValues(call.args, ['-f', '--file']);
  const given = values.filter((value) => !isUnknown(value)).map((value) => path.resolve(call.folder, value));
  const unknown = values.some(isUnknown) ? [{ ...nothing, gaps: ['the compose file that it is given'] }] : [];
  const inFolders = foldersUp(call.folder, look).map((folder) =>
    [...composeFiles, ...overrides]
      .map((name) => path.join(folder, name))
      .filter((place) => look.exists(place)),
  );
  const found = given.length > 0 ? given : (inFolders.find((places) => places.length > 0) ?? []);
  return joined([
    ...found.map((place) => composeFile(place, look)),
    composeVariables(call.folder, look),
    ...unknown,
  ]);
}

function composeFile(place: string, look: Look): Coverage {
  const { path } = look.machine;
  const text = look.text(place) ?? '';
  const folder = path.dirname(place);
  const words = [...new Set(pathWords(text))];
  const named = words.slice(0, maxWords).map((word) => ({ word, place: path.resolve(folder, word) }));
  const present = named.filter((one) => look.exists(one.place) && !look.isFolder(one.place));
  // Mounted data may be large, a socket or unreadable; that is no reason to refuse the approval.
  const files = present.filter((one) => look.text(one.place) !== undefined);
  // A bare word is usually the name of a service; after `build` and `context` it is a folder.
  const isFolderName = (word: string): boolean =>
    /^\.{1,2}(?:$|[\\/])|[\\/]/.test(word) || isContext(text, word);
  const folders = named.filter((one) => isFolderName(one.word) && look.isFolder(one.place));
  const dockerfiles = folders
    .map((one) => path.join(one.place, 'Dockerfile'))
    .filter((file) => look.exists(file));
  const gaps = [
    ...folders.map((one) => `the folder ${look.shown(one.place)} that ${look.shown(place)} names`),
    ...present.filter((one) => !files.includes(one)).map((one) => `the file ${look.shown(one.place)}`),
  ];
  if (words.length > maxWords) gaps.push(`some of the files that ${look.shown(place)} names`);
  return { ...nothing, files: [place, ...files.map((one) => one.place), ...dockerfiles], gaps };
}

function isContext(text: string, word: string): boolean {
  return [...text.matchAll(/\b(?:build|context)\s*:\s*["']?([^"'\s#]+)/g)].some(
    ([, value]) => value === word,
  );
}

/** `.env` may name other compose files. Only those lines count: the rest are values, often secrets. */
function composeVariables(folder: string, look: Look): Coverage {
  const { path } = look.machine;
  const place = foldersUp(folder, look)
    .map((above) => path.join(above, '.env'))
    .find((file) => look.exists(file));
  const text = place === undefined ? undefined : look.text(place);
  const lines = text?.split('\n').filter((line) => /^\s*(?:export\s+)?COMPOSE_/.test(line)) ?? [];
  if (place === undefined || lines.length === 0) return nothing;
  const files = lines
    .flatMap(pathWords)
    .map((word) => path.resolve(path.dirname(place), word))
    .filter((file) => look.exists(file) && !look.isFolder(file));
  return { ...nothing, files, parts: [{ place, name: 'COMPOSE_*', text: lines.join('\n') }] };
}
