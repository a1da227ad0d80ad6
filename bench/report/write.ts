/** Writes what is generated from the record of the comparison: table, picture, and the section of the README. */

import fs from 'node:fs/promises';
import path from 'node:path';

import { peersPicture } from './bars.ts';
import type { PeersRecord } from './record.ts';
import { peersPage, withSection } from './table.ts';

const root = path.join(import.meta.dirname, '..', '..');
const results = path.join(root, 'bench', 'results');

export async function writeReports(): Promise<void> {
  const record = JSON.parse(await fs.readFile(path.join(results, 'peers.json'), 'utf8')) as PeersRecord; // our own file
  await fs.writeFile(path.join(results, 'peers.md'), peersPage(record));
  await fs.writeFile(path.join(results, 'peers.svg'), peersPicture(record));
  const readme = path.join(root, 'README.md');
  await fs.writeFile(readme, withSection(await fs.readFile(readme, 'utf8'), record));
}
