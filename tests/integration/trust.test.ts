/** What a project brings runs only after approval of exactly that entry, shown with the built executable and real processes. */

import { chmod, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { HoltError } from '../../src/kernel/errors.ts';
import type { TrustedServer } from '../../src/trust/trust-gate.ts';
import { resolveLaunch } from '../../src/secrets/resolve-launch.ts';
import { scaled, startCommand } from '../fixtures/programs/start-program.ts';
import { createSandbox, type Sandbox } from '../support/holt-command.ts';
import { createRealLaunch, type RealLaunch } from '../support/real-launch.ts';
import { runInTerminal } from '../support/terminal.ts';
import { plantTraps, sprung, trapNames } from '../support/trap-project.ts';

interface Entry {
  readonly name: string;
  readonly state: string;
  readonly digest: string;
}

const entriesOf = async (sandbox: Sandbox, ...args: readonly string[]): Promise<readonly Entry[]> =>
  (await sandbox.json<{ readonly entries: readonly Entry[] }>('trust', '--list', ...args)).entries;
const stateOf = async (sandbox: Sandbox, name: string): Promise<string | undefined> =>
  (await entriesOf(sandbox)).find((entry) => entry.name === name)?.state;
const library = (sandbox: Sandbox, more: object = {}): RealLaunch =>
  createRealLaunch({ cwd: sandbox.project, home: sandbox.home, ...more });

async function approve(sandbox: Sandbox, name: string): Promise<void> {
  const run = runInTerminal(sandbox, ['trust', name]);
  await run.waitFor('[y/N/d]: ');
  run.type('y\r');
  expect(await run.exited).toBe(0);
}

describe('a project with entries in ten dialects', () => {
  const commands: readonly (readonly string[])[] = [
    [],
    ['list'],
    ['list', '--all', '--json'],
    ['get', 'cursor'],
    ['doctor'],
    ['trust', '--list', '--json'],
    ['trust'],
    ['trust', '--all'],
    ['trust', 'cursor', 'codex'],
    ['config', 'get'],
    ['completion', 'words', '--', 'get', ''],
    ['undo'],
  ];

  test.each([
    ['without a terminal', {}],
    ['in CI', { CI: 'true', GITHUB_ACTIONS: 'true' }],
  ])('T01, T04: has nothing run by any command %s', async (_where, env) => {
    await using sandbox = await createSandbox(env);
    await plantTraps(sandbox);
    for (const words of commands) await sandbox.holt(...words);
    expect(await sprung(sandbox)).toEqual([]);
    const states = new Set((await entriesOf(sandbox)).map(({ name, state }) => `${name} ${state}`));
    expect(states).toEqual(new Set(trapNames.map((name) => `${name} untrusted`)));
    expect((await sandbox.holt('trust', 'cursor')).code).toBe(4);
  });

  test('T01: has nothing run by any command at a terminal, where Enter answers every question', async () => {
    await using sandbox = await createSandbox();
    await plantTraps(sandbox);
    for (const words of [[], ['list'], ['doctor'], ['get', 'cursor']])
      expect(await runInTerminal(sandbox, words).exited).toBeTypeOf('number');
    const run = runInTerminal(sandbox, ['trust']);
    for (let question = 1; question <= trapNames.length; question += 1) {
      await expect.poll(() => run.shown().split('[y/N/d]: ').length - 1, { timeout: 20_000 }).toBe(question);
      run.type('\r');
    }
    expect(await run.exited).toBe(0);
    expect(await sprung(sandbox)).toEqual([]);
    expect(new Set((await entriesOf(sandbox)).map(({ state }) => state))).toEqual(new Set(['untrusted']));
  });

  test('T01: has nothing run through the library: the compiler refuses, and so does the running program', async () => {
    await using sandbox = await createSandbox();
    await plantTraps(sandbox);
    const { find, run, parts } = library(sandbox);
    for (const name of trapNames) {
      const definition = await find(name);
      await expect(run(definition)).rejects.toMatchObject({
        code: 'trust-required',
        details: { server: name, reason: 'untrusted' },
      });
      // @ts-expect-error what has not passed the gate has no plan
      await expect(resolveLaunch(definition, parts)).rejects.toMatchObject({ code: 'trust-required' });
      const forged = { ...definition } as TrustedServer; // a program without a compiler
      await expect(resolveLaunch(forged, parts)).rejects.toMatchObject({ code: 'trust-required' });
    }
    expect(await sprung(sandbox)).toEqual([]);
  });

  test('T01: has exactly the one run that was approved', async () => {
    await using sandbox = await createSandbox();
    await plantTraps(sandbox);
    await approve(sandbox, 'cursor');
    const { find, run } = library(sandbox);
    const outcomes = await Promise.all(
      trapNames.map(async (name) => {
        const outcome = await run(await find(name)).catch((error: unknown) =>
          HoltError.is(error) ? error.code : String(error),
        );
        return `${name} ${outcome}`;
      }),
    );
    expect(outcomes).toEqual(
      trapNames.map((name) => (name === 'cursor' ? 'cursor ' : `${name} trust-required`)),
    );
    expect(await sprung(sandbox)).toEqual(['ran-cursor']);
  });
});

const program = (entry: object): string => JSON.stringify({ mcpServers: { shop: entry } });
const base = {
  command: 'node',
  args: ['server.js', '--port', '1'],
  env: { MODE: 'fast', TOKEN: '${SHOP_TOKEN}' },
};
const web = { type: 'http', url: 'https://shop.test/mcp', headers: { 'X-Shop': 'one' } };

describe('T02: approval', () => {
  test.each<readonly [string, object, object]>([
    ['the command', base, { ...base, command: 'deno' }],
    ['an argument', base, { ...base, args: ['server.js', '--port', '2'] }],
    ['one argument more', base, { ...base, args: [...base.args, '-v'] }],
    ['a value of a variable', base, { ...base, env: { ...base.env, MODE: 'slow' } }],
    ['a placeholder', base, { ...base, env: { ...base.env, TOKEN: '${OTHER_TOKEN}' } }],
    ['a placeholder that becomes a value', base, { ...base, env: { ...base.env, TOKEN: 'x' } }],
    ['the folder', base, { ...base, cwd: 'sub' }],
    ['the URL', web, { ...web, url: 'https://shop.test/mcp2' }],
    ['a header', web, { ...web, headers: { 'X-Shop': 'two' } }],
    ['the transport', web, { ...web, type: 'sse' }],
    ['the whole kind of it', base, web],
  ])('dies with a change of %s', async (_what, before, after) => {
    await using sandbox = await createSandbox();
    await sandbox.write('./server.js', 'run()');
    await sandbox.write('./.mcp.json', program(before));
    await approve(sandbox, 'shop');
    await sandbox.write('./.mcp.json', program(after));
    expect(await stateOf(sandbox, 'shop')).toBe('changed');
    await expect(library(sandbox).plan(await library(sandbox).find('shop'))).rejects.toMatchObject({
      details: { reason: 'changed' },
    });
  });

  test('dies with a byte of a script that the command line names, also through a link', async () => {
    await using sandbox = await createSandbox();
    await sandbox.write('./lib/real.js', 'run(1)');
    await symlink('lib/real.js', sandbox.place('./server.js'));
    await sandbox.write('./.mcp.json', program(base));
    await approve(sandbox, 'shop');
    expect(await stateOf(sandbox, 'shop')).toBe('approved');
    await sandbox.write('./lib/real.js', 'run(2)');
    expect(await stateOf(sandbox, 'shop')).toBe('changed');
    await sandbox.write('./lib/real.js', 'run(1)');
    expect(await stateOf(sandbox, 'shop')).toBe('approved');
    // The same bytes at the end of another link are another program.
    await cp(sandbox.place('./lib'), sandbox.place('./lib2'), { recursive: true });
    await rm(sandbox.place('./server.js'));
    await symlink('lib2/real.js', sandbox.place('./server.js'));
    expect(await stateOf(sandbox, 'shop')).toBe('changed');
  });

  test('dies when the script is taken away, or a file appears that the command line names', async () => {
    await using sandbox = await createSandbox();
    await sandbox.write('./server.js', 'run()');
    await sandbox.write('./.mcp.json', program(base));
    await approve(sandbox, 'shop');
    await rm(sandbox.place('./server.js'));
    expect(await stateOf(sandbox, 'shop')).toBe('changed');
    await sandbox.write('./server.js', 'run()');
    expect(await stateOf(sandbox, 'shop')).toBe('approved');
    await sandbox.write('./1', 'now --port 1 names a file');
    expect(await stateOf(sandbox, 'shop')).toBe('changed');
  });

  test('does not go to another clone, nor into a submodule, nor to another file or agent', async () => {
    await using sandbox = await createSandbox();
    await sandbox.write('./.mcp.json', program(base));
    await approve(sandbox, 'shop');
    const clone = path.join(sandbox.home, '..', 'clone');
    await cp(sandbox.project, clone, { recursive: true });
    const submodule = sandbox.place('./sub');
    await mkdir(submodule);
    await writeFile(path.join(submodule, '.git'), 'gitdir: ../.git/modules/sub\n');
    await cp(sandbox.place('./.mcp.json'), path.join(submodule, '.mcp.json'));
    await sandbox.write('./.cursor/mcp.json', program(base));
    for (const cwd of [clone, submodule]) {
      expect((await entriesOf(sandbox, '--cwd', cwd)).map(({ state }) => state)).not.toContain('approved');
    }
    const entries = await sandbox.json<{
      readonly entries: readonly { readonly agent: string; readonly state: string }[];
    }>('trust', '--list');
    expect(entries.entries.map(({ agent, state }) => `${agent} ${state}`).toSorted()).toEqual([
      'cursor untrusted',
      'mcp-json approved',
    ]);
  });

  test('survives another layout of the JSON, a rotated token behind a placeholder, and chmod', async () => {
    await using sandbox = await createSandbox({ SHOP_TOKEN: 'first' });
    await sandbox.write('./server.js', 'run()');
    await sandbox.write('./.mcp.json', program(base));
    await approve(sandbox, 'shop');
    await sandbox.write(
      './.mcp.json',
      `// a note\n${JSON.stringify({ mcpServers: { other: { command: 'x' }, shop: { env: { ...base.env }, args: base.args, command: base.command } } }, undefined, '\t')}\n`,
    );
    await chmod(sandbox.place('./server.js'), 0o755);
    await chmod(sandbox.place('./.mcp.json'), 0o600);
    expect(await stateOf(sandbox, 'shop')).toBe('approved');
    const rotated = library(sandbox, { env: { SHOP_TOKEN: 'second' } });
    const plan = await rotated.plan(await rotated.find('shop'));
    expect(plan.kind === 'stdio' && plan.env['TOKEN']?.reveal()).toBe('second');
  });

  test('is revoked, and given for one run by its digest', async () => {
    await using sandbox = await createSandbox();
    await sandbox.write('./.mcp.json', program(base));
    await approve(sandbox, 'shop');
    expect(await sandbox.holt('trust', '--revoke', 'shop')).toMatchObject({ code: 0 });
    const [entry] = await entriesOf(sandbox);
    expect(entry?.state).toBe('untrusted');
    const digest = entry?.digest ?? '';
    const wrong = digest.slice(0, -1) + (digest.endsWith('0') ? '1' : '0');
    expect((await sandbox.holt('trust', 'shop', '--trust-digest', wrong)).code).toBe(4);
    expect((await sandbox.holt('trust', '--trust-digest', digest)).stdout).not.toContain('stored');
    expect((await sandbox.holt('list', '--trust-digest', digest)).stdout).not.toContain('untrusted');
    expect((await sandbox.holt('trust', 'shop')).code).toBe(4);
    expect(await sandbox.holt('list', '--trust-digest', 'sha256:12')).toMatchObject({ code: 2, stdout: '' });
  });

  test('is stored for a named entry by its digest, which says so', async () => {
    await using plain = await createSandbox();
    await plain.write('./.mcp.json', program(base));
    const [entry] = await entriesOf(plain);
    const stored = await plain.holt('trust', 'shop', '--trust-digest', entry?.digest ?? '');
    expect([stored.code, stored.stdout.trimEnd().split('\n').at(-1)]).toEqual([
      0,
      'The approval of shop is stored. holt trust --revoke shop takes it back.',
    ]);
    expect((await entriesOf(plain))[0]).toMatchObject({ state: 'approved' });
    await plain.write('./.mcp.json', program({ ...base, args: ['other'] }));
    expect((await entriesOf(plain))[0]).toMatchObject({ state: 'changed' });
  });

  test('T04: comes from a file outside the project, and not from one inside', async () => {
    await using plain = await createSandbox();
    await plain.write('./.mcp.json', program(base));
    const [entry] = await entriesOf(plain);
    for (const [place, state] of [
      ['~/approved.txt', 'approved'],
      ['./approved.txt', 'untrusted'],
    ] as const) {
      const file = await plain.write(place, `${entry?.digest}\n`);
      const run = runInTerminal(plain, ['trust', '--list', '--json'], { HOLT_TRUST_FILE: file });
      await run.exited;
      expect(run.shown()).toContain(`"state": "${state}"`);
    }
  });
});

describe('T14: read once: what was hashed is what runs', () => {
  const text = (word: string): string => program({ command: 'sh', args: ['-c', `echo ${word}`] });

  test('with a file that flips all the time, only what was approved runs', async () => {
    await using sandbox = await createSandbox();
    const file = await sandbox.write('./.mcp.json', text('good'));
    await approve(sandbox, 'shop');
    await using swapper = startCommand([
      process.execPath,
      path.join(import.meta.dirname, '../fixtures/programs/file-swapper.mjs'),
      file,
      text('good'),
      text('evil'),
    ]);
    expect(await swapper.nextLine()).toBe('flipping');
    const { find, run } = library(sandbox);
    const outcomes = new Map<string, number>();
    for (let cycle = 0; cycle < scaled(60) || outcomes.size < 2; cycle += 1) {
      const outcome = await find('shop')
        .then(run)
        .catch((error: unknown) => (HoltError.is(error) ? error.code : 'not there'));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].filter((outcome) => outcome !== 'not there').toSorted()).toEqual([
      'good\n',
      'trust-required',
    ]);
  });

  test('with a file that flips all the time, what runs is what the question showed', async () => {
    await using sandbox = await createSandbox();
    const file = await sandbox.write('./.mcp.json', text('one'));
    await using swapper = startCommand([
      process.execPath,
      path.join(import.meta.dirname, '../fixtures/programs/file-swapper.mjs'),
      file,
      text('one'),
      text('two'),
    ]);
    expect(await swapper.nextLine()).toBe('flipping');
    for (let cycle = 0; cycle < scaled(15); cycle += 1) {
      let shown = '';
      const { find, run, gate } = library(sandbox, {
        confirmTrust: async ({ definition }: { definition: { args?: readonly string[] } }) => {
          shown = definition.args?.[1]?.replace('echo ', '') ?? '';
          return 'allow';
        },
      });
      await gate.store.change(() => []);
      expect(await run(await find('shop'))).toBe(`${shown}\n`);
    }
  });

  test('a script that changes while a value is fetched does not run', async () => {
    await using sandbox = await createSandbox();
    const script = await sandbox.write('./server.js', 'console.log("good")');
    const entry = {
      command: 'node',
      args: ['server.js'],
      env: { T: `!sh -c "echo 'console.log(1)' > ${script}; echo value"` },
    };
    await sandbox.write('./.holt/mcp.json', program(entry));
    const { find, run } = library(sandbox, { confirmTrust: async () => 'allow' });
    await expect(run(await find('shop'))).rejects.toMatchObject({
      code: 'trust-required',
      details: { reason: 'changed' },
    });
    expect(await readFile(script, 'utf8')).toBe('console.log(1)\n');
  });
});
