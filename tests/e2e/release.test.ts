/** `npm run release`, in a repository of its own with the real script. */

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { packageRoot } from '../support/holt-command.ts';

let folder = '';
const script = path.join('scripts', 'release.mjs');
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
const read = (name: string): string => fs.readFileSync(path.join(folder, name), 'utf8');
const versionOf = (name: string): unknown =>
  (JSON.parse(read(name)) as { readonly version?: unknown }).version;

function release(...args: string[]): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(folder, script), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

function write(name: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
}

function commit(changelog: string): void {
  write('CHANGELOG.md', changelog);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Change something');
}

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holt-release-')));
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  write(script, fs.readFileSync(path.join(packageRoot, script), 'utf8'));
  const manifest = { name: 'holt', version: '0.1.0', type: 'module' };
  write('package.json', JSON.stringify(manifest));
  write('package-lock.json', JSON.stringify({ ...manifest, lockfileVersion: 3, packages: { '': manifest } }));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

describe('npm run release', () => {
  test('dates the unreleased section, sets the version in manifest and lock, and tags', () => {
    commit('# Changes\n\n## Unreleased\n\n### Fixed\n\n- A fault.\n\n## 0.1.0 - 2026-01-01\n\n- Older.\n');
    const { status, text } = release('0.2.0', '--no-checks');
    expect(text).toContain('Tagged v0.2.0. Nothing has been published.');
    expect(status).toBe(0);
    expect(read('CHANGELOG.md')).toMatch(/^## 0\.2\.0 - \d{4}-\d{2}-\d{2}\n\n### Fixed\n\n- A fault\./mu);
    expect([versionOf('package.json'), versionOf('package-lock.json')]).toEqual(['0.2.0', '0.2.0']);
    expect([git('tag', '--list'), git('status', '--porcelain'), git('log', '-1', '--format=%s')]).toEqual([
      'v0.2.0',
      '',
      'Release 0.2.0',
    ]);
  });

  test('refuses what cannot be released, changes nothing and says why', () => {
    const entries = Array.from({ length: 26 }, (_, index) => `- Entry ${index}.`).join('\n');
    const cases = [
      ['## Unreleased\n\n### Fixed\n', '0.2.0', 'has no entries'],
      ['## 0.1.0 - 2026-01-01\n\n- Older.\n', '0.2.0', 'has no section "## Unreleased"'],
      [`## Unreleased\n\n${entries}\n`, '0.2.0', 'has 26 unreleased entries. Shorten them to 25.'],
      ['## Unreleased\n\n### Other\n\n- A fault.\n', '0.2.0', 'Unknown group "Other"'],
      ['## Unreleased\n\n- A fault.\n', 'next', 'usage: npm run release -- X.Y.Z'],
    ] as const;
    for (const [changelog, version, reason] of cases) {
      commit(changelog);
      const { status, text } = release(version, '--no-checks');
      expect({ status, text }).toEqual({ status: 1, text: expect.stringContaining(reason) as unknown });
      expect([git('status', '--porcelain'), git('tag', '--list'), versionOf('package.json')]).toEqual([
        '',
        '',
        '0.1.0',
      ]);
    }
  });

  test('refuses uncommitted changes, other branches and tags that exist', () => {
    commit('## Unreleased\n\n- A fault.\n');
    write('new.txt', 'x');
    expect(release('0.2.0', '--no-checks').text).toContain('The working tree has changes');
    fs.rmSync(path.join(folder, 'new.txt'));
    git('tag', 'v0.2.0');
    expect(release('0.2.0', '--no-checks').text).toContain('The tag v0.2.0 already exists');
    git('checkout', '--quiet', '-b', 'topic');
    expect(release('0.3.0', '--no-checks').text).toContain('The current branch is topic');
  });
});
