/** Commands that list while a server hangs: what they print, in which time, and what they say is missing. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import {
  createSandbox,
  executable,
  packageRoot,
  type Outcome,
  type Sandbox,
} from '../support/holt-command.ts';
import { screenRows } from '../support/screen.ts';
import { openPty, runInTerminal } from '../support/terminal.ts';

const fixture = (name: string, ...args: readonly string[]): object => ({
  command: process.execPath,
  args: [path.join(packageRoot, 'tests', 'fixtures', 'servers', `${name}.mjs`), ...args],
});

async function withServers(servers: Readonly<Record<string, object>>): Promise<Sandbox> {
  const sandbox = await createSandbox();
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: servers }));
  // So that nothing is asked about it.
  await sandbox.holt('trust', '--folder');
  return sandbox;
}

async function timed(work: Promise<Outcome>): Promise<Outcome & { readonly ms: number }> {
  const startedAt = performance.now();
  const outcome = await work;
  return { ...outcome, ms: performance.now() - startedAt };
}

test.each(['tools', 'resources', 'prompts'])(
  'holt %s prints what there is in less than three seconds and names the server that did not answer',
  async (kind) => {
    await using sandbox = await withServers({
      good: fixture('has-resources'),
      hangs: fixture('never-responds'),
    });
    const { code, stdout, stderr, ms } = await timed(sandbox.holt(kind));
    const printed = { tools: 'touch', resources: 'memo://one', prompts: 'greet' }[kind];
    expect(stdout).toContain(printed);
    const missing = `hangs did not answer within 2 s (phase connecting). Run holt ${kind} hangs to wait for it.`;
    expect([code, stderr]).toEqual([0, `${missing}\n`]);
    // Two seconds of waiting; on a busy machine the command itself takes long to start as well.
    const { ms: startMs } = await timed(sandbox.holt('list'));
    expect(ms).toBeLessThan(Math.max(3000, 2000 + 5 * startMs));
    const document = await sandbox.json(kind);
    expect(document['errors']).toEqual({ hangs: missing });
  },
);

test('a list that failed is reported and is not an empty one, with its own exit code where it was named', async () => {
  await using sandbox = await withServers({ broken: fixture('fails-to-list') });
  const reason = 'the server answered with an error: the database is locked (-32603)';
  for (const kind of ['resources', 'prompts']) {
    const error = `Failed to get ${kind}: ${reason}`;
    expect(await sandbox.holt(kind)).toEqual({ code: 0, stdout: '', stderr: `broken: ${error}\n` });
    expect(await sandbox.holt(kind, 'broken')).toMatchObject({ code: 1, stdout: '' });
    expect(await sandbox.json(kind)).toMatchObject({ [kind]: [], errors: { broken: error } });
  }
});

/** What a terminal shows in the end, as one text. */
const screenOf = (output: string): string => screenRows(output, 200).join('\n');

test.each<readonly [command: readonly string[], printed: string]>([
  [['tools'], 'echo'],
  [['tools', 'slow'], 'echo'],
  [['resources'], 'No resources.'],
  [['prompts'], 'No prompts.'],
  [['status'], '1 of 1 connected'],
  [['test', 'slow'], 'listing_tools'],
  [['call', 'slow.echo', 'text=hello'], 'hello'],
])('on a terminal holt %s shows after a second what it waits for, and removes it', async (words, printed) => {
  await using sandbox = await withServers({ slow: fixture('slow-start', '2500') });
  const run = runInTerminal(sandbox, words);
  expect(await run.exited).toBe(0);
  expect(run.shown()).toMatch(/Waiting for slow \((?:starting|connecting)\), \d+ s/);
  expect(screenOf(run.shown())).toContain(printed);
  expect(screenOf(run.shown())).not.toContain('Waiting');
});

test('a long call is shown with its seconds and the progress that the server reports', async () => {
  await using sandbox = await withServers({ slow: fixture('slow-call') });
  const run = runInTerminal(sandbox, ['call', 'slow.wait', 'ms=8000']);
  expect(await run.exited).toBe(0);
  expect(run.shown()).toMatch(/Waiting for slow\.wait, \d+ s/);
  expect(run.shown()).toMatch(/wait: 1\/4, \d+ s[^]*wait: 2\/4, \d+ s/);
  expect(screenOf(run.shown()).trim()).toBe('waited');
});

test('nothing is shown where errors go to a file, and with --quiet', async () => {
  await using sandbox = await withServers({ slow: fixture('slow-start', '1500') });
  const quiet = runInTerminal(sandbox, ['tools', '--quiet']);
  expect(await quiet.exited).toBe(0);
  expect(quiet.shown()).not.toContain('Waiting');
  const file = sandbox.place('~/errors.txt');
  const shell = ['-c', '"$0" "$@" 2>"$ERRORS"', process.execPath, executable, 'tools', 'slow'];
  let shown = '';
  const env = { PATH: process.env['PATH'] ?? '', HOME: sandbox.home, ERRORS: file };
  const run = openPty(['/bin/sh', ...shell], { cwd: sandbox.project, env }, (data) => (shown += data));
  expect(await run.exited).toBe(0);
  expect([shown.includes('echo'), await readFile(file, 'utf8')]).toEqual([true, '']);
});
