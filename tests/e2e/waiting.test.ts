/** Commands that list while a server hangs: what they print, in which time, and what they say is missing. */

import path from 'node:path';

import { expect, test } from 'vitest';

import { createSandbox, packageRoot, type Outcome, type Sandbox } from '../support/holt-command.ts';

const fixture = (name: string): object => ({
  command: process.execPath,
  args: [path.join(packageRoot, 'tests', 'fixtures', 'servers', `${name}.mjs`)],
});

async function withServers(servers: Readonly<Record<string, object>>): Promise<Sandbox> {
  const sandbox = await createSandbox();
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: servers }));
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
      hangs: fixture('never-answers'),
    });
    const { code, stdout, stderr, ms } = await timed(sandbox.holt(kind));
    const printed = { tools: 'touch', resources: 'memo://one', prompts: 'greet' }[kind];
    expect(stdout).toContain(printed);
    const missing = `hangs did not answer within 2 s (phase connecting). Run holt ${kind} hangs to wait for it.`;
    expect([code, stderr]).toEqual([0, `${missing}\n`]);
    expect(ms).toBeLessThan(3000);
    const document = await sandbox.json(kind);
    expect(document['errors']).toEqual({ hangs: missing });
  },
);

test('a list that failed is reported and is not an empty one, with its own exit code where it was named', async () => {
  await using sandbox = await withServers({ broken: fixture('cannot-list') });
  const reason = 'the server answered with an error: the database is locked (-32603)';
  for (const kind of ['resources', 'prompts']) {
    const error = `Failed to get ${kind}: ${reason}`;
    expect(await sandbox.holt(kind)).toEqual({ code: 0, stdout: '', stderr: `broken: ${error}\n` });
    expect(await sandbox.holt(kind, 'broken')).toMatchObject({ code: 1, stdout: '' });
    expect(await sandbox.json(kind)).toMatchObject({ [kind]: [], errors: { broken: error } });
  }
});
