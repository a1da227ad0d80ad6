/** Makes one project for each major version of `ai`, with every program of the docs that it can run, and one for each `@types/node`. */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const folder = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(folder, '..', '..');
const modules = path.join(folder, 'node_modules');
const cache = path.join(folder, '.cache');
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

export const versionOf = (name) => readJson(path.join(modules, name, 'package.json')).version;
export const compilers = ['typescript-5.9', 'typescript-7'];

/** `imports`: what a program of the docs that shows this SDK contains. `node20`: the SDK allows Node 20. */
export const sdks = [
  {
    kind: 'ai-5',
    bridge: 'holt/ai-sdk',
    package: 'ai',
    installed: 'ai-5',
    imports: "from 'ai'",
    node20: true,
  },
  {
    kind: 'ai-6',
    bridge: 'holt/ai-sdk',
    package: 'ai',
    installed: 'ai-6',
    imports: "from 'ai'",
    node20: true,
  },
  { kind: 'ai-7', bridge: 'holt/ai-sdk', package: 'ai', installed: 'ai-7', imports: "from 'ai'" },
  { kind: 'anthropic', bridge: 'holt/anthropic', package: '@anthropic-ai/sdk', node20: true },
  {
    kind: 'responses',
    bridge: 'holt/openai, Responses',
    package: 'openai',
    imports: 'client.responses.create',
  },
  { kind: 'chat', bridge: 'holt/openai, Chat', package: 'openai', imports: 'client.chat.completions.create' },
  { kind: 'gemini', bridge: 'holt/gemini', package: '@google/genai' },
  { kind: 'langchain', bridge: 'holt/langchain', package: 'langchain', node20: true },
  { kind: 'agents', bridge: 'holt/openai, Agents SDK', package: '@openai/agents' },
  {
    kind: 'mastra',
    bridge: 'holt/ai-sdk, Mastra',
    package: '@mastra/core',
    imports: "from '@mastra/core/agent'",
  },
].map((sdk) => ({ installed: sdk.package, imports: `from '${sdk.package}'`, ...sdk }));

/** The project of the newest `ai` has all other programs as well. */
const newest = 'ai-7';
const projectOf = ({ kind, package: name }) => (name === 'ai' ? kind : newest);

/** The built package, as npm would install it: its dependencies are those of this folder. */
export function installHolt() {
  const target = path.join(modules, 'holt');
  const { dependencies } = readJson(path.join(root, 'package.json'));
  const { packages } = readJson(path.join(root, 'package-lock.json'));
  for (const name of Object.keys(dependencies)) {
    const { version } = packages[`node_modules/${name}`];
    if (versionOf(name) !== version)
      throw new Error(
        `tools/sdks has ${name} ${versionOf(name)}, holt's lock has ${version}: npm run test:sdks:renew`,
      );
  }
  rmSync(target, { recursive: true, force: true });
  cpSync(path.join(root, 'dist'), path.join(target, 'dist'), { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(target, 'package.json'));
}

/** Every `ts` block of the README and the docs: its name and text, and the SDKs that it shows. */
export function readPrograms() {
  const pages = readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...pages.map((name) => path.join('docs', name))].flatMap((page) =>
    [...readFileSync(path.join(root, page), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gm)].map(
      ([, text], at) => ({
        name: `${path.basename(page, '.md').toLowerCase()}-${at + 1}`,
        text,
        shows: sdks.filter(({ imports }) => text.includes(imports)),
      }),
    ),
  );
}

export function makeSdkProjects(programs) {
  rmSync(cache, { recursive: true, force: true });
  return ['ai-5', 'ai-6', 'ai-7'].map((name) => {
    const wanted = programs.filter(({ shows }) =>
      shows.length === 0 ? name === newest : shows.some((sdk) => projectOf(sdk) === name),
    );
    const files = Object.fromEntries(wanted.map((program) => [`${program.name}.ts`, program.text]));
    const place = makeProject(name, { files, nodeTypes: 'types-node-24', options: { outDir: 'out' } });
    symlinkSync(path.join(modules, name), path.join(place, 'node_modules', 'ai'), 'dir');
    return { name, place, programs: wanted, kinds: sdks.filter((sdk) => projectOf(sdk) === name) };
  });
}

export function makeTypeProjects() {
  const { exports } = readJson(path.join(root, 'package.json'));
  const ids = Object.keys(exports).filter((id) => !id.endsWith('.json'));
  const lines = ids.map((id, at) => `export * as entry${at} from '${id.replace('.', 'holt')}';`);
  return readdirSync(modules)
    .filter((name) => name.startsWith('types-node-'))
    .map((name) => {
      const files = { 'entries.ts': lines.join('\n') };
      const options = { skipLibCheck: false, noEmit: true };
      return { name, place: makeProject(name, { files, nodeTypes: name, options }) };
    });
}

function makeProject(name, { files, nodeTypes, options }) {
  const place = path.join(cache, name);
  mkdirSync(path.join(place, 'node_modules', '@types'), { recursive: true });
  symlinkSync(path.join(modules, nodeTypes), path.join(place, 'node_modules', '@types', 'node'), 'dir');
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    ...options,
  };
  const write = (file, value) => writeFileSync(path.join(place, file), value);
  write('package.json', JSON.stringify({ name: `project-${name}`, private: true, type: 'module' }));
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  for (const [file, text] of Object.entries(files)) write(file, `${text}\nexport {};\n`);
  return place;
}
