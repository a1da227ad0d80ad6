/** T117, T129: the question, `status` and `doctor` say what an approval does not cover and what ended it. */

import path from 'node:path';

import { expect, test } from 'vitest';

import { createSandbox, packageRoot, type Sandbox } from '../support/holt-command.ts';
import { runInTerminal } from '../support/terminal.ts';

const fixtures = path.join(packageRoot, 'tests', 'fixtures', 'servers');
const project = (sandbox: Sandbox, entry: object): Promise<string> =>
  sandbox.write('./.mcp.json', JSON.stringify({ mcpServers: { shop: entry } }));

/** Approves the entry at a terminal and returns what was shown. */
async function approve(sandbox: Sandbox): Promise<string> {
  const run = runInTerminal(sandbox, ['trust', 'shop']);
  await run.waitFor('Let it run?');
  run.type('y\r');
  await run.exited;
  return run.shown();
}

interface Status {
  readonly servers: Readonly<
    Record<
      string,
      {
        readonly status: string;
        readonly changed?: readonly string[];
        readonly notCovered?: readonly string[];
        readonly problems?: readonly { readonly code: string; readonly message: string }[];
      }
    >
  >;
}
interface Doctored {
  readonly problems: readonly { readonly code: string; readonly message: string; readonly server?: string }[];
}

/** A script of the project that runs a real server. */
const script = `node ${path.join(fixtures, 'echo.mjs')}`;
const manifest = (start: string, version: string): string =>
  JSON.stringify({ name: 'shop', version, scripts: { start } });

test('T117: a script of package.json is hashed again before each start', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write('./package.json', manifest(script, '1.0.0'));
  await project(sandbox, { command: 'npm', args: ['--silent', 'start'] });
  await approve(sandbox);
  expect((await sandbox.json<Status>('status')).servers['shop']).toMatchObject({ status: 'connected' });
  await sandbox.write('./package.json', manifest(script, '1.0.1'));
  expect((await sandbox.json<Status>('status')).servers['shop']).toMatchObject({ status: 'connected' });
  await sandbox.write('./package.json', manifest(`touch ran; ${script}`, '1.0.1'));
  const { servers } = await sandbox.json<Status>('status');
  expect(servers['shop']).toMatchObject({ changed: ['package.json'] });
  expect(servers['shop']?.status).not.toBe('connected');
  const shown = await approve(sandbox);
  expect(shown).toContain('scripts.start of package.json');
  expect(shown).toContain('+ touch ran');
});

test('T117: the question and status say that the code in the folder is not part of the approval', async () => {
  await using sandbox = await createSandbox();
  const line = 'the code in this folder is not part of the approval: cargo run';
  await project(sandbox, { command: 'sh', args: ['-c', `test -n "$X" && cargo run; exec ${script}`] });
  expect((await approve(sandbox)).replaceAll(/\r?\n/g, '')).toContain(`! ${line}`);
  const { stdout } = await sandbox.holt('status');
  expect(stdout.split('\n')).toContain(`  ${line}`);
  expect((await sandbox.json<Status>('status')).servers['shop']).toMatchObject({
    status: 'connected',
    notCovered: ['cargo run'],
  });
});

test('T129: status and doctor name the changed file behind an approval', async () => {
  await using sandbox = await createSandbox();
  const server = path.join(fixtures, 'echo.mjs');
  await sandbox.write('./scripts/server.mjs', `await import(${JSON.stringify(server)});\n`);
  await project(sandbox, { command: 'node', args: ['scripts/server.mjs'] });
  await approve(sandbox);
  expect((await sandbox.json<Status>('status')).servers['shop']).toMatchObject({ status: 'connected' });
  await sandbox.write('./scripts/server.mjs', `await import(${JSON.stringify(server)}); // changed\n`);
  expect((await sandbox.holt('status')).stdout.split('\n')).toContain('  changed: scripts/server.mjs');
  expect((await sandbox.json<Status>('status')).servers['shop']?.changed).toEqual(['scripts/server.mjs']);
  const message = '"shop" has changed since it was approved and does not run; changed: scripts/server.mjs';
  expect((await sandbox.holt('doctor')).stdout).toContain(message);
  expect((await sandbox.json<Doctored>('doctor')).problems).toContainEqual(
    expect.objectContaining({ code: 'trust-missing', message }),
  );
  await project(sandbox, { command: 'node', args: ['scripts/server.mjs', '--more'] });
  expect((await sandbox.json<Status>('status')).servers['shop']?.changed).toEqual([
    '.mcp.json',
    'scripts/server.mjs',
  ]);
});

test('T129: status and doctor name changed instructions, until they are accepted', async () => {
  await using sandbox = await createSandbox();
  const tools = await sandbox.write('~/tools.json', '[]');
  const said = await sandbox.write('~/said.txt', 'Read first.');
  const server = {
    command: process.execPath,
    args: [path.join(fixtures, 'tools-from-file.mjs'), tools, said],
  };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { fs: server } }));
  const named = async (): Promise<readonly (readonly string[])[]> => {
    const { servers } = await sandbox.json<Status>('status');
    const { problems } = await sandbox.json<Doctored>('doctor');
    return [servers['fs']?.problems ?? [], problems.filter(({ server: name }) => name === 'fs')].map(
      (found) => found.map(({ code }) => code),
    );
  };
  expect(await named()).toEqual([[], []]);
  await sandbox.write('~/said.txt', 'Delete first.');
  expect(await named()).toEqual([['instructions-changed'], ['instructions-changed']]);
  const { stdout } = await sandbox.holt('status');
  expect(stdout).toContain(
    '  the instructions of "fs" are not what was accepted: - instructions: Read first.',
  );
  expect((await sandbox.holt('doctor')).stdout).toContain(
    'the instructions of "fs" are not what was accepted',
  );
  await sandbox.holt('pin', 'accept', 'fs');
  expect(await named()).toEqual([[], []]);
});
