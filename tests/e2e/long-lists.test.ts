/** A server that pages for ever with huge pages, as a person meets it. */

import path from 'node:path';

import { expect, test } from 'vitest';

import { createSandbox, packageRoot } from '../support/holt-command.ts';

const program = path.join(packageRoot, 'tests', 'fixtures', 'servers', 'huge-pages.mjs');

test('T113: holt tools prints the tools that it read, names the list that was cut and its limit, and exits 0', async () => {
  await using sandbox = await createSandbox();
  const huge = { command: process.execPath, args: [program, '65536'] };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { huge } }));
  await sandbox.write('~/.holt/config.json', JSON.stringify({ limits: { listBytes: 1 << 20 } }));
  const cut =
    'The list of tools of "huge" is incomplete: it is larger than 1 MiB (limits.listBytes). 15 entries were kept.';

  const { code, stdout, stderr } = await sandbox.holt('tools', '--json');
  expect([code, (JSON.parse(stdout) as { tools: [] }).tools.length]).toEqual([0, 15]);
  expect(stderr.split('\n').filter((line) => line.includes(cut))).toHaveLength(1);

  const status = await sandbox.holt('status', 'huge');
  expect(status.code).toBe(0);
  expect(status.stdout).toContain('connected');
  expect(status.stdout).toContain(cut);
});
