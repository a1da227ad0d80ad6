/** What `npm start` does first: it installs and builds, and shows on a terminal that it is at work. */

import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { createSandbox, packageRoot, type Sandbox } from '../support/holt-command.ts';
import { screenRows } from '../support/screen.ts';
import { openPty } from '../support/terminal.ts';

const run = promisify(execFile);

/** A clone whose `npm ci` takes a while, and says something. */
async function createClone(
  npmCode = 0,
): Promise<Sandbox & { readonly script: string; readonly path: string }> {
  const sandbox = await createSandbox();
  const script = path.join(sandbox.project, 'scripts', 'ready.mjs');
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'])
    await sandbox.write(`./${name}`, '{}');
  await sandbox.write('./src/index.ts', '');
  await sandbox.write('./scripts/build.mjs', "import { mkdirSync } from 'node:fs';\nmkdirSync('dist');\n");
  await fs.copyFile(path.join(packageRoot, 'scripts', 'ready.mjs'), script);
  const npm = `#!/bin/sh\nsleep 2.5\nmkdir -p node_modules\necho "added 3 packages"\nexit ${npmCode}\n`;
  await fs.chmod(await sandbox.write('~/bin/npm', npm), 0o755);
  return { ...sandbox, script, path: `${sandbox.place('~/bin')}:${process.env['PATH'] ?? ''}` };
}

async function readyInTerminal(clone: Awaited<ReturnType<typeof createClone>>) {
  let shown = '';
  const options = { cwd: clone.project, env: { PATH: clone.path, HOME: clone.home } };
  const { exited } = openPty([process.execPath, clone.script], options, (data) => (shown += data));
  const code = await exited;
  return { code, shown, screen: screenRows(shown, 80).filter((row) => row !== '') };
}

test('on a terminal an installation shows its seconds, and removes them when it is done', async () => {
  await using clone = await createClone();
  const first = await readyInTerminal(clone);
  expect(first.shown).toMatch(/holt: install… 1 s[^]*holt: install… 2 s/);
  expect([first.code, first.screen]).toEqual([0, ['added 3 packages']]);
  expect(await readyInTerminal(clone)).toMatchObject({ code: 0, shown: '' });
});

test('one that fails ends with its output and its code', async () => {
  await using clone = await createClone(3);
  expect(await readyInTerminal(clone)).toMatchObject({ code: 3, screen: ['added 3 packages'] });
});

test('in a pipe only the steps are named, on stderr', async () => {
  await using clone = await createClone();
  const env = { PATH: clone.path, HOME: clone.home };
  const { stdout, stderr } = await run(process.execPath, [clone.script], { cwd: clone.project, env });
  expect([stdout, stderr]).toEqual(['', 'holt: install…\nadded 3 packages\nholt: build…\n']);
});
