/** Runs the unit tests of the pure modules alone: a minute, no build, no copy. Every branch of these modules must run. */

import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { filesOf, rooms, testsOf } from '../mutation/rooms.mjs';
import { mergeCoverage } from './merge.mjs';
import { pureRoomsOf, pureTable } from './page.mjs';

/** Prints what was run of each room, and says whether that was everything. */
export function checkPureRooms(root) {
  const sources = fs
    .readdirSync(path.join(root, 'src'), { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${file.replaceAll('\\', '/')}`);
  const files = runTests(root, {
    tests: rooms.flatMap((room) => testsOf(room, sources)),
    counted: rooms.flatMap((room) => filesOf(room, sources)),
  });
  const pure = pureRoomsOf(
    files,
    rooms.map((room) => ({ name: room.name, files: filesOf(room, sources) })),
  );
  console.log(pureTable(pure).join('\n'));
  return pure.every(({ notRun }) => notRun.length === 0);
}

function runTests(root, { tests, counted }) {
  const report = fs.mkdtempSync(path.join(os.tmpdir(), 'holt-coverage-'));
  try {
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const options = ['--coverage.enabled', '--coverage.reporter=json'];
    const include = counted.map((file) => `--coverage.include=${file}`);
    const { status } = spawnSync(
      process.execPath,
      [vitest, 'run', ...options, `--coverage.reportsDirectory=${report}`, ...include, ...tests],
      { cwd: root, stdio: ['ignore', 2, 2] },
    );
    if (status !== 0) throw new Error('a test of the pure modules failed');
    const own = JSON.parse(fs.readFileSync(path.join(report, 'coverage-final.json'), 'utf8'));
    const nameOf = (file) => path.relative(root, file).replaceAll('\\', '/');
    return new Map([...mergeCoverage(own, [])].map(([file, hits]) => [nameOf(file), hits]));
  } finally {
    fs.rmSync(report, { recursive: true, force: true });
  }
}
