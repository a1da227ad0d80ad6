/** Holds the house in order: rooms, doors, machine access, mints and sizes. */

import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** In the data's order. A room may import from rooms above it, never from one below or beside it. */
const rooms = [
  ['kernel'],
  ['masking'],
  ['platform'],
  ['network'],
  ['documents'],
  ['dialects'],
  ['settings', 'agents'],
  ['discovery'],
  ['trust'],
  ['roster'],
  ['editing'],
  ['secrets'],
  ['auth'],
  ['transports'],
  ['connection'],
  ['catalog'],
  ['results'],
  ['policy'],
  ['calls', 'server-requests'],
  ['host'],
  ['terminal'],
  ['commands'],
  ['bridges', 'repl', 'api', 'gateway'],
  ['cli'],
  ['example-server'],
];
const floorOf = new Map(rooms.flatMap((floor, index) => floor.map((room) => [room, index] as const)));

/** What only `platform/` may import; the others are told what they need to know. */
const machineModules =
  /^(node:)?(fs|os|child_process|net|tls|dgram|dns|http|https|http2|cluster|worker_threads|readline|tty)(\/|$)/;

/** Brands and the one file that may mint each of them. */
const mints: Readonly<Record<string, string>> = {
  trusted: 'src/trust/trust-gate.ts',
  plan: 'src/secrets/resolve-launch.ts',
};

interface SourceFile {
  readonly name: string;
  readonly room: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly string[];
}

function readSources(folder: string): SourceFile[] {
  return fs.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).flatMap((inner) => {
    if (!inner.endsWith('.ts') || inner.endsWith('.test.ts')) return [];
    const name = path.posix.join(folder, inner.split(path.sep).join('/'));
    const text = fs.readFileSync(path.join(root, name), 'utf8');
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
    return [{ name, room: name.split('/')[1] ?? '', text, lines: text.split('\n').length - 1, imports }];
  });
}

const sources = readSources('src');
const inRooms = sources.filter(({ name }) => name.split('/').length > 2);

const crossings = inRooms.flatMap(({ name, room, imports }) =>
  imports
    .filter((target) => target.startsWith('.'))
    .map((target) => path.posix.join(path.posix.dirname(name), target))
    .map((target) => ({
      name,
      room,
      target,
      to: target.split('/')[1] ?? '',
      inside: target.split('/').slice(2),
    }))
    .filter(({ to }) => to !== room),
);

describe('the house', () => {
  test('every folder of src is a room with a floor', () => {
    const unknown = [...new Set(inRooms.map(({ room }) => room))].filter((room) => !floorOf.has(room));
    expect(unknown).toEqual([]);
  });

  test('imports only go up the data flow', () => {
    const wrong = crossings.filter(({ room, to }) => (floorOf.get(to) ?? 99) >= (floorOf.get(room) ?? -1));
    expect(wrong.map(({ name, target }) => `${name} -> ${target}`)).toEqual([]);
  });

  test('another room is entered through its front files, never its subfolders', () => {
    expect(
      crossings.filter(({ inside }) => inside.length > 1).map(({ name, target }) => `${name} -> ${target}`),
    ).toEqual([]);
  });

  test('no files import each other in a circle', () => {
    expect(findCycles(sources)).toEqual([]);
  });

  test('only platform touches the machine', () => {
    const exempt = new Set(['platform', 'network', 'transports', 'example-server']);
    const wrong = inRooms
      .filter(({ room }) => !exempt.has(room))
      .flatMap(({ name, imports }) =>
        imports.filter((target) => machineModules.test(target)).map((target) => `${name} -> ${target}`),
      );
    expect(wrong).toEqual([]);
    const processUsers = inRooms
      .filter(({ room }) => !exempt.has(room) && room !== 'cli' && room !== 'repl')
      .filter(({ text }) => /(?<![-\w])process\.(?!versions|ts')|\bconsole\./.test(stripComments(text)))
      .map(({ name }) => name);
    expect(processUsers).toEqual([]);
  });

  test('a brand is minted only by the file that declares it', () => {
    const wrong = inRooms.flatMap(({ name, text }) =>
      [...text.matchAll(/as (TrustedServer|LaunchPlan)\b/g)].flatMap((match) => {
        const owner = match[1] === 'TrustedServer' ? mints['trusted'] : mints['plan'];
        return name === owner ? [] : [`${name} mints ${match[1]}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('no casts through unknown, no any', () => {
    const wrong = sources.filter(({ text }) =>
      /\bas unknown as\b|\bas any\b|: any\b/.test(stripComments(text)),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test('no file is over 400 lines and the median stays under 90', () => {
    expect(sources.filter(({ lines }) => lines > 400).map(({ name, lines }) => `${name}: ${lines}`)).toEqual(
      [],
    );
    const sizes = sources.map(({ lines }) => lines).toSorted((left, right) => left - right);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThan(90);
  });

  test('every file says first what it is for', () => {
    expect(sources.filter(({ text }) => !text.startsWith('/**')).map(({ name }) => name)).toEqual([]);
  });

  test('the kernel has no input or output', () => {
    const kernel = inRooms.filter(({ room }) => room === 'kernel');
    expect(
      kernel
        .flatMap(({ imports }) => imports)
        .filter((target) => !target.startsWith('./') && target !== 'node:path'),
    ).toEqual([]);
  });

  test('the tests run on the Node that the package promises', () => {
    expect(process.versions.node.split('.').map(Number)[0]).toBeGreaterThanOrEqual(20);
    expect(process.execPath).not.toContain('node_modules');
  });
});

function stripComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

/** Type-only imports vanish when the code runs, but a circle of them is still a knot. */
function findCycles(files: readonly SourceFile[]): readonly string[] {
  const graph = new Map(
    files.map(({ name, imports }) => [
      name,
      imports
        .filter((target) => target.startsWith('.'))
        .map((target) => path.posix.join(path.posix.dirname(name), target)),
    ]),
  );
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (name: string, trail: readonly string[]): void => {
    if (state.get(name) === 'done') return;
    if (state.get(name) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(name)), name].join(' -> '));
      return;
    }
    state.set(name, 'open');
    for (const target of graph.get(name) ?? []) visit(target, [...trail, name]);
    state.set(name, 'done');
  };
  for (const name of graph.keys()) visit(name, []);
  return cycles;
}
