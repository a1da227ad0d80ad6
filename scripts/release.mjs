/**
 * `npm run release -- X.Y.Z`: runs the checks, dates the changelog's section, sets the version, commits and tags. Publishes nothing.
 * `--no-checks` leaves the checks out, for when they have just passed.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const changelogFile = path.join(root, 'CHANGELOG.md');
const groups = ['Added', 'Changed', 'Fixed', 'Security'];
const mostEntries = 25;

try {
  release();
} catch (error) {
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
}

function release() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'no-checks': { type: 'boolean' } },
  });
  const [version, ...rest] = positionals;
  if (version === undefined || rest.length > 0 || !/^\d+\.\d+\.\d+(?:-[\da-z.]+)?$/u.test(version))
    throw new Error('usage: npm run release -- X.Y.Z [--no-checks]');
  requireCleanMain(version);
  const changelog = datedChangelog(readFileSync(changelogFile, 'utf8'), version);
  if (values['no-checks'] !== true) for (const script of ['check', 'test']) run('npm', ['run', script]);
  writeFileSync(changelogFile, changelog);
  run('npm', ['version', version, '--no-git-tag-version', '--allow-same-version']);
  run('git', ['commit', '--quiet', '--all', '--message', `Release ${version}`]);
  run('git', ['tag', '--annotate', `v${version}`, '--message', `holt ${version}`]);
  process.stdout.write(
    `Tagged v${version}. Nothing has been published. Next:\n  git push --follow-tags\n  npm publish\n`,
  );
}

function requireCleanMain(version) {
  if (output('git', ['status', '--porcelain']) !== '')
    throw new Error('The working tree has changes. Commit or stash them first.');
  const branch = output('git', ['rev-parse', '--abbrev-ref', 'HEAD']);
  if (branch !== 'main') throw new Error(`The current branch is ${branch}. Releases are made on main.`);
  if (output('git', ['tag', '--list', `v${version}`]) !== '')
    throw new Error(`The tag v${version} already exists. Choose another version.`);
}

/** The changelog with "Unreleased" replaced by the version and today's date. */
function datedChangelog(text, version) {
  const [, section] = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/mu.exec(text) ?? [];
  if (section === undefined) throw new Error('CHANGELOG.md has no section "## Unreleased".');
  const entries = section.split('\n').filter((line) => line.startsWith('- '));
  if (entries.length === 0) throw new Error('The section "Unreleased" of CHANGELOG.md has no entries.');
  if (entries.length > mostEntries)
    throw new Error(`CHANGELOG.md has ${entries.length} unreleased entries. Shorten them to ${mostEntries}.`);
  const unknown = [...section.matchAll(/^### (.+)$/gmu)].find(([, group]) => !groups.includes(group));
  if (unknown !== undefined)
    throw new Error(`Unknown group "${unknown[1]}" in CHANGELOG.md. Use ${groups.join(', ')}.`);
  const today = new Date().toISOString().slice(0, 10);
  return text.replace(/^## Unreleased$/mu, `## ${version} - ${today}`);
}

function output(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr.trim()}`);
  return stdout.trim();
}

function run(command, args) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed. Nothing was tagged.`);
}
