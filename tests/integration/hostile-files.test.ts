/** Bad input: each of the files gives one typed problem with its place, no crash, bounded memory and time. */

import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { loadServers } from '../../src/index.ts';
import { hostileFiles } from '../support/hostile-files.ts';
import { packageRoot } from '../support/holt-command.ts';

let folder = '';
beforeAll(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holt-hostile-')));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe('hostile files', () => {
  test('there are at least forty of them', () => {
    expect(hostileFiles.length).toBeGreaterThanOrEqual(40);
  });

  test.each(hostileFiles.map((hostile, index) => [hostile.name, hostile, index] as const))(
    '%s',
    async (_name, hostile, index) => {
      const project = path.join(folder, String(index));
      fs.mkdirSync(path.join(project, '.git'), { recursive: true });
      const target = path.join(project, '.mcp.json');
      hostile.make(target);
      const before = process.memoryUsage().rss;
      const { servers, problems } = await loadServers({
        cwd: project,
        home: path.join(folder, 'home'),
        env: {},
      });
      expect({ codes: problems.map(({ code }) => code), servers: servers.length }).toEqual({
        codes: hostile.problem === undefined ? [] : [hostile.problem],
        servers: hostile.servers,
      });
      for (const problem of problems) {
        expect(problem.file).toBe(target);
        expect(problem.line).toBeGreaterThan(0);
        expect(problem.column).toBeGreaterThan(0);
      }
      expect(({} as Record<string, unknown>)['command']).toBeUndefined();
      expect(process.memoryUsage().rss - before).toBeLessThan(200 << 20);
    },
  );

  test('a file that may not be read gives one problem (read as another user)', async () => {
    const project = path.join(folder, 'forbidden');
    fs.mkdirSync(path.join(project, '.git'), { recursive: true });
    fs.chmodSync(folder, 0o755);
    const target = path.join(project, '.mcp.json');
    fs.writeFileSync(target, '{}', { mode: 0o000 });
    const script = `import(${JSON.stringify(path.join(packageRoot, 'dist', 'index.js'))}).then(async ({ loadServers }) => {
      const { problems } = await loadServers({ cwd: ${JSON.stringify(project)}, home: '/nonexistent', env: {} });
      console.log(JSON.stringify(problems.map(({ code, file }) => [code, file])));
    })`;
    const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { ...identity, cwd: '/' });
    expect(JSON.parse(stdout)).toEqual([['file-unreadable', target]]);
  });

  test('a file in a project that everybody may write is not read', async () => {
    const project = path.join(folder, 'open');
    fs.mkdirSync(path.join(project, '.git'), { recursive: true });
    const target = path.join(project, '.mcp.json');
    fs.writeFileSync(target, '{"mcpServers":{"a":{"command":"x"}}}');
    fs.chmodSync(target, 0o666);
    const { servers, problems } = await loadServers({
      cwd: project,
      home: path.join(folder, 'home'),
      env: {},
    });
    expect(servers).toEqual([]);
    expect(problems.map(({ code }) => code)).toEqual(['file-unsafe']);
  });
});
