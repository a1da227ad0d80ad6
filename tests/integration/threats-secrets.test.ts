/** Threats by their ids: what a program that runs is told, and what it is not, with real processes. */

import { access, readdir, readFile } from 'node:fs/promises';

import { describe, expect, test } from 'vitest';

import { createSandbox, type Sandbox } from '../support/holt-command.ts';
import { createRealLaunch, type RealLaunch } from '../support/real-launch.ts';

const canaries = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [`CANARY_${index}`, `canary-value-${index}`]),
);

async function projectWith(
  sandbox: Sandbox,
  entry: object,
  env: Readonly<Record<string, string>> = {},
): Promise<RealLaunch> {
  await sandbox.write('./.holt/mcp.json', JSON.stringify({ mcpServers: { shop: entry } }));
  return createRealLaunch({
    cwd: sandbox.project,
    home: sandbox.home,
    env,
    confirmTrust: async () => 'allow',
  });
}

const printEnvironment = {
  command: process.execPath,
  args: ['-e', 'console.log(JSON.stringify(process.env))'],
};

describe('T22: of two hundred variables a project’s program sees', () => {
  test('none', async () => {
    await using sandbox = await createSandbox();
    const { find, run } = await projectWith(sandbox, printEnvironment, canaries);
    const seen = JSON.parse(await run(await find('shop'))) as Record<string, string>;
    expect(Object.keys(seen).toSorted()).toEqual(['HOME', 'PATH']);
  });

  test('the one it asked for and was approved with', async () => {
    await using sandbox = await createSandbox();
    const { find, run } = await projectWith(
      sandbox,
      { ...printEnvironment, env: { MINE: '${CANARY_7}' } },
      canaries,
    );
    const seen = JSON.parse(await run(await find('shop'))) as Record<string, string>;
    expect(Object.entries(seen).filter(([, value]) => value.includes('canary'))).toEqual([
      ['CANARY_7', 'canary-value-7'],
      ['MINE', 'canary-value-7'],
    ]);
  });

  test('none in a command for a value', async () => {
    await using sandbox = await createSandbox();
    const script = await sandbox.write('./tell.sh', 'env | grep -c CANARY || true');
    const { find, run } = await projectWith(
      sandbox,
      { command: 'sh', args: ['-c', 'echo $T'], env: { T: `!sh ${script}` } },
      canaries,
    );
    expect(await run(await find('shop'))).toBe('0\n');
  });
});

test('T24: holt puts no secret into an argument list: only what the entry itself puts there is to be seen', async () => {
  await using sandbox = await createSandbox();
  const secret = `canary-${process.pid}-secret`;
  const code =
    'process.stdin.resume(); require("fs").readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).forEach((pid) => { try { const line = require("fs").readFileSync("/proc/" + pid + "/cmdline", "utf8"); if (line.includes("canary-" + process.argv[1])) console.log(pid === String(process.pid) ? "self" : line) } catch {} }); process.exit()';
  const entry = {
    command: process.execPath,
    args: ['-e', code, String(process.pid)],
    env: { A: '${SECRET}', B: '!printenv SECRET' },
  };
  const { find, run } = await projectWith(sandbox, entry, { SECRET: secret });
  expect(await run(await find('shop'))).toBe('');
  const { find: findOther, run: runOther } = await projectWith(
    sandbox,
    { ...entry, args: [...entry.args, '${SECRET}'] },
    { SECRET: secret },
  );
  expect(await runOther(await findOther('shop'))).toBe('self\n');
});

test('T26: a command with signs for a shell is a program that is not there', async () => {
  await using sandbox = await createSandbox();
  const trace = sandbox.place('./ran');
  const { find, run } = await projectWith(sandbox, { command: `echo a; touch ${trace}` });
  await expect(run(await find('shop'))).rejects.toMatchObject({ code: 'program-missing' });
  const { find: findOther, run: runOther } = await projectWith(sandbox, {
    command: 'echo',
    args: [`; touch ${trace}`, '$(id)', '`id`', '&&', 'x'],
  });
  expect(await runOther(await findOther('shop'))).toBe(`; touch ${trace} $(id) \`id\` && x\n`);
  await expect(access(trace)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('T28: a program in the folder is not started because PATH begins with a dot', async () => {
  await using sandbox = await createSandbox();
  const evil = await sandbox.write('./echo', '#!/bin/sh\ntouch ran\n');
  const { chmod } = await import('node:fs/promises');
  await chmod(evil, 0o755);
  const PATH = `.:${process.env['PATH'] ?? ''}`;
  const { find, run } = await projectWith(sandbox, { command: 'echo', args: ['real'] }, { PATH });
  expect(await run(await find('shop'))).toBe('real\n');
  const { find: findOther, run: runOther } = await projectWith(
    sandbox,
    { command: 'sh', args: ['-c', 'env echo inner'] },
    { PATH },
  );
  expect(await runOther(await findOther('shop'))).toBe('inner\n');
  expect(await readdir(sandbox.project)).not.toContain('ran');
});

test('T20: a file that is named for a value is read after approval only, and only a plain one of a sensible size', async () => {
  await using sandbox = await createSandbox();
  const key = await sandbox.write('~/.ssh/id_rsa', 'canary-key');
  await sandbox.write(
    './opencode.json',
    JSON.stringify({
      mcp: {
        shop: {
          type: 'local',
          command: ['sh', '-c', 'echo $KEY'],
          environment: { KEY: '{file:~/.ssh/id_rsa}' },
        },
      },
    }),
  );
  const refused = createRealLaunch({ cwd: sandbox.project, home: sandbox.home });
  await expect(refused.run(await refused.find('shop'))).rejects.toMatchObject({ code: 'trust-required' });
  const shown: string[] = [];
  const asked = createRealLaunch({
    cwd: sandbox.project,
    home: sandbox.home,
    confirmTrust: async ({ files }) => (shown.push(...files), 'allow'),
  });
  expect([await asked.run(await asked.find('shop')), shown]).toEqual(['canary-key\n', ['~/.ssh/id_rsa']]);
  expect(await readFile(key, 'utf8')).toBe('canary-key');
});
