/** What the documents say exists. */

import fs from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { commandTable } from '../src/commands/command-table.ts';
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

test('every link between documents leads somewhere', () => {
  for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']) {
    const links = [...read(name).matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !fs.existsSync(path.join(packageRoot, link)))).toEqual([]);
  }
});
