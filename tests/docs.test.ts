/** What the documents say exists. */

import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { globalOptions } from '../src/cli/parse-argv.ts';
import type { OptionSpec } from '../src/commands/command.ts';
import { commandTable, findCommand } from '../src/commands/command-table.ts';
import { packageRoot } from './support/holt-command.ts';

const read = (name: string): string => fs.readFileSync(path.join(packageRoot, name), 'utf8');

test('every command in the README exists, and every command is in the README', () => {
  const written = new Set([...read('README.md').matchAll(/`holt ([a-z-]+)/g)].map((match) => match[1] ?? ''));
  const known = new Set(commandTable.flatMap(({ name, aliases }) => [name, ...aliases]));
  expect([...written].filter((name) => !known.has(name))).toEqual([]);
  const named = commandTable.map(({ name }) => name).filter((name) => name !== 'overview');
  expect(named.filter((name) => !written.has(name) && !read('README.md').includes(`holt ${name}`))).toEqual(
    [],
  );
});

test('every room of src is on the map, and the map stays short', () => {
  const map = read('ARCHITECTURE.md');
  const rooms = fs
    .readdirSync(path.join(packageRoot, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory());
  expect(rooms.map(({ name }) => name).filter((name) => !map.includes(`  ${name}/`))).toEqual([]);
  expect(map.split('\n').length).toBeLessThanOrEqual(60);
});

const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...fs
    .readdirSync(path.join(packageRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

test.each(pages)('every link of %s leads somewhere', (name) => {
  const links = [...read(name).matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] ?? '');
  const base = path.dirname(path.join(packageRoot, name));
  expect(links.filter((link) => !fs.existsSync(path.join(base, link)))).toEqual([]);
});

/** Records of changes and measurements name the files of their time. */
const records = /^(?:CHANGELOG|docs\/(?:coverage|mutation|decisions\/.*))\.md$/;

test.each(pages.filter((name) => !records.test(name)))('every file that %s names exists', (name) => {
  const files = [
    ...read(name).matchAll(/`((?:bench|dashboard|examples|scripts|src|tests|tools)\/[\w./-]+\.\w+)`/g),
  ].map((match) => match[1] ?? '');
  expect(files.filter((file) => !fs.existsSync(path.join(packageRoot, file)))).toEqual([]);
});

/** Command lines in blocks and in running text, without what a shell would do with them. */
function commandLines(text: string): readonly string[] {
  const shown = [...text.matchAll(/^(?:\$ )?(holt .*)$/gm)].map((match) => match[1] ?? '');
  const inline = [...text.matchAll(/`(holt [^`\n]+)`/g)].map((match) => match[1] ?? '');
  return [...shown, ...inline];
}

const withCommands = pages.filter((name) => !name.includes('decisions') && name !== 'SECURITY.md');

test.each(withCommands)('every holt line of %s names a command and options that exist', async (name) => {
  const unknown: string[] = [];
  for (const line of commandLines(read(name))) {
    const words = line.split(' -- ')[0]?.split(/\s+/).slice(1) ?? [];
    const rest = words[0] === 'mcp' ? words.slice(1) : words;
    const row = findCommand(rest[0] ?? '');
    // A sentence that begins with "holt", an address or a tool is no command.
    if (row === undefined) continue;
    const { options } = await row.load();
    const specs = Object.entries({ ...globalOptions, ...options } as Readonly<Record<string, OptionSpec>>); // one of both
    const known = specs.flatMap(([long, { short, aliases = [] }]) => [
      ...[long, ...aliases].map((word) => `--${word}`),
      ...(short === undefined ? [] : [`-${short}`]),
    ]);
    const given = rest.flatMap((word) => /^\[?(--?[a-z][\w-]*)/.exec(word)?.[1] ?? []);
    for (const option of given) if (!known.includes(option)) unknown.push(`${line}: ${option}`);
  }
  expect(unknown).toEqual([]);
});

test('every command that a page shows or names exists', () => {
  const words = withCommands.flatMap((name) =>
    [...read(name).matchAll(/(?:^\$ |`)holt ([a-z][a-z-]*)(?=[ `]|$)/gm)].map((match) => match[1] ?? ''),
  );
  expect(words.filter((word) => word !== 'mcp' && findCommand(word) === undefined)).toEqual([]);
});

test('every ts block compiles, and so does a program that names the library’s types', async () => {
  // Below the package, so that `holt` is found as it is by those who install it.
  const folder = path.join(packageRoot, '.cache', `docs-${process.pid}`);
  fs.mkdirSync(folder, { recursive: true });
  try {
    const blocks = pages.flatMap((name) =>
      [...read(name).matchAll(/^```ts\n([^]*?)^```$/gm)].map((match) => ({ name, text: match[1] ?? '' })),
    );
    // Programs for SDKs that are not installed here are compiled and run by `npm run test:sdks`.
    const elsewhere =
      /from '(@anthropic-ai\/sdk|@google\/genai|openai|langchain|@openai\/agents|@mastra\/core\/agent)'/;
    const own = blocks.filter(({ text }) => !elsewhere.test(text));
    expect(own.length).toBeGreaterThan(8);
    own.forEach(({ name, text }, at) => {
      const file = `${path.basename(name, '.md')}-${at}.ts`;
      fs.writeFileSync(path.join(folder, file), `${text}\nexport {};\n`);
    });
    const config = {
      extends: '../../tsconfig.json',
      include: ['*.ts', '../../tests/fixtures/programs/typed-user.ts'],
    };
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compiler = path.join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).toBe('');
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

test('every method of Host has a doc comment', () => {
  const interfaces = [
    ...read('src/host/host.ts').matchAll(/^export interface (?:Host\w*) [^\n]*\{\n([^]*?)^\}$/gm),
  ].filter(([whole]) => /^export interface Host(?:Servers|Catalog|Logins)? /.test(whole));
  const documented = new Set<string>();
  const methods = interfaces.flatMap(([, body = '']) =>
    [...body.matchAll(/^( {3}\*\/\n| {2}\/\*\*[^\n]*\*\/\n)? {2}(\w+)(?:<[^>]*>)?\(/gm)].map(
      ([, comment, name = '']) => {
        // Overloads after the first share its comment.
        if (comment !== undefined) documented.add(name);
        return name;
      },
    ),
  );
  expect(interfaces).toHaveLength(4);
  expect(methods.length).toBeGreaterThan(35);
  expect(methods.filter((name) => !documented.has(name))).toEqual([]);
});
