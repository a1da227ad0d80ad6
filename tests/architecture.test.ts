/** Enforces the architecture: layers, private folders, machine access, brands and sizes. */

import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** In the order of the data flow. A module imports only from earlier layers, never from its own or a later one. */
const layers = [
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
  ['catalog-state'],
  ['calls', 'server-requests'],
  ['host'],
  ['terminal'],
  ['commands'],
  ['bridges', 'repl', 'api', 'gateway'],
  ['cli'],
  ['example-server'],
];
const layerOf = new Map(
  layers.flatMap((modules, index) => modules.map((module) => [module, index] as const)),
);

/** Large modules, divided by subject: the files of these folders are entry points, like those at the top of other modules. */
const subjectFolders = new Set([
  'platform/files',
  'platform/listeners',
  'platform/processes',
  'commands/asking',
  'commands/diagnosis',
  'commands/entries',
  'commands/login',
  'commands/show',
]);

/** Only some modules may import these; all others get what they need as arguments. */
const machineModules =
  /^(node:)?(fs|os|child_process|net|tls|dgram|dns|http|https|http2|cluster|worker_threads|readline|tty)(\/|$)/;

/** Each brand and the only file that may create it. */
const brandFiles: Readonly<Record<string, string>> = {
  trusted: 'src/trust/trust-gate.ts',
  plan: 'src/secrets/resolve-launch.ts',
};

interface SourceFile {
  readonly name: string;
  readonly module: string;
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
    return [{ name, module: name.split('/')[1] ?? '', text, lines: text.split('\n').length - 1, imports }];
  });
}

const sources = readSources('src');
const moduleFiles = sources.filter(({ name }) => name.split('/').length > 2);

const crossings = moduleFiles.flatMap(({ name, module, imports }) =>
  imports
    .filter((target) => target.startsWith('.'))
    .map((target) => path.posix.join(path.posix.dirname(name), target))
    .filter((target) => target !== 'package.json') // the one place of the version
    .map((target) => ({
      name,
      module,
      target,
      to: target.split('/')[1] ?? '',
      inside: target.split('/').slice(2),
    }))
    .filter(({ to }) => to !== module),
);

describe('the architecture', () => {
  test('every folder of src is a module with a layer', () => {
    const unknown = [...new Set(moduleFiles.map(({ module }) => module))].filter(
      (module) => !layerOf.has(module),
    );
    expect(unknown).toEqual([]);
  });

  test('imports point only to earlier layers', () => {
    const wrong = crossings.filter(
      ({ module, to }) => (layerOf.get(to) ?? 99) >= (layerOf.get(module) ?? -1),
    );
    expect(wrong.map(({ name, target }) => `${name} -> ${target}`)).toEqual([]);
  });

  test('a module imports only the entry points of other modules', () => {
    expect(
      crossings
        .filter(({ to, inside }) => !isEntryPoint(to, inside))
        .map(({ name, target }) => `${name} -> ${target}`),
    ).toEqual([]);
  });

  test('no files import each other in a cycle', () => {
    expect(findCycles(sources)).toEqual([]);
  });

  test('only the named modules touch the machine', () => {
    const exempt = new Set(['platform', 'network', 'transports', 'terminal', 'example-server']);
    const wrong = moduleFiles
      .filter(({ module }) => !exempt.has(module))
      .flatMap(({ name, imports }) =>
        imports.filter((target) => machineModules.test(target)).map((target) => `${name} -> ${target}`),
      );
    expect(wrong).toEqual([]);
    const processUsers = moduleFiles
      .filter(({ module }) => !exempt.has(module) && module !== 'cli' && module !== 'repl')
      .filter(({ text }) => /(?<![-\w])process\.(?!versions|ts')|\bconsole\./.test(stripComments(text)))
      .map(({ name }) => name);
    expect(processUsers).toEqual([]);
  });

  test('only the file that declares a brand creates it', () => {
    const wrong = moduleFiles.flatMap(({ name, text }) =>
      [...text.matchAll(/as (TrustedServer|LaunchPlan)\b/g)].flatMap((match) => {
        const owner = match[1] === 'TrustedServer' ? brandFiles['trusted'] : brandFiles['plan'];
        return name === owner ? [] : [`${name} creates ${match[1]}`];
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

  test('no file is over 400 lines and the median stays under 140', () => {
    expect(sources.filter(({ lines }) => lines > 400).map(({ name, lines }) => `${name}: ${lines}`)).toEqual(
      [],
    );
    const sizes = sources.map(({ lines }) => lines).toSorted((left, right) => left - right);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThan(140);
  });

  test('every file begins with its purpose', () => {
    expect(sources.filter(({ text }) => !text.startsWith('/**')).map(({ name }) => name)).toEqual([]);
  });

  test('the kernel has no input or output', () => {
    const kernel = moduleFiles.filter(({ module }) => module === 'kernel');
    expect(
      kernel
        .flatMap(({ imports }) => imports)
        .filter((target) => !target.startsWith('./') && target !== 'node:path' && target !== 'node:crypto'),
    ).toEqual([]);
  });

  test('the tests run on the Node that the package promises', () => {
    expect(process.versions.node.split('.').map(Number)[0]).toBeGreaterThanOrEqual(20);
    expect(process.execPath).not.toContain('node_modules');
  });
});

function isEntryPoint(module: string, inside: readonly string[]): boolean {
  const folder = [module, ...inside.slice(0, -1)].join('/');
  return folder === module || subjectFolders.has(folder);
}

function stripComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

/** Type-only imports have no effect at run time, but a cycle of them is as hard to read. */
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
