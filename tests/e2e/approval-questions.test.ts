/** Questions of the built command in a real terminal: each is seen, asked alone, and answered by what was typed for it. */

import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { createSandbox, type Sandbox } from '../support/holt-command.ts';
import { runInTerminal, type TerminalRun } from '../support/terminal.ts';

const fixture = (name: string): string =>
  path.join(import.meta.dirname, '..', 'fixtures', 'servers', `${name}.mjs`);
const entry = (name: string): object => ({ command: process.execPath, args: [fixture(name)] });
const prompt = 'Let it run? y = yes, d = never, Enter = not now [y/N/d]: ';

/** A project that wants to run these. */
async function createProject(...names: readonly string[]): Promise<Sandbox> {
  const sandbox = await createSandbox();
  const servers = Object.fromEntries(names.map((name) => [name, entry('echo')]));
  await sandbox.write('./.mcp.json', JSON.stringify({ mcpServers: servers }));
  return sandbox;
}

/** Types, and waits for what appears after that. */
async function type(run: TerminalRun, keys: string, expected: string): Promise<void> {
  const before = run.shown().length;
  run.type(keys);
  await run.waitFor(expected, before);
}

async function approved(sandbox: Sandbox): Promise<readonly string[]> {
  const { entries } = await sandbox.json<{ readonly entries: readonly { name: string; state: string }[] }>(
    'trust',
    '--list',
  );
  return entries.filter(({ state }) => state === 'approved').map(({ name }) => name);
}

describe.concurrent('what a project wants to run', () => {
  test('is asked one by one: approval covers only the entry that is shown', async () => {
    await using sandbox = await createProject('one', 'two');
    const run = runInTerminal(sandbox, ['status', 'one', 'two']);
    // Nobody can have seen a question yet.
    run.type('y\ry\r');
    await run.waitFor(prompt);
    const [, first = ''] = /"(one|two)" wants to run/.exec(run.shown()) ?? [];
    const second = first === 'one' ? 'two' : 'one';
    expect(run.shown()).not.toContain(`"${second}" wants to run`);
    await type(run, 'y\r', `"${second}" wants to run`);
    await run.waitFor(prompt, run.shown().indexOf(`"${second}" wants`));
    await type(run, '\r', '1 of 2 connected');
    expect(await run.exited).toBe(4);
    expect(run.shown()).toContain(`${first}  connected`);
    expect(await approved(sandbox)).toEqual([first]);
  });

  test('is numbered by holt trust, and repeated after an invalid answer', async () => {
    await using sandbox = await createProject('one', 'two');
    const run = runInTerminal(sandbox, ['trust']);
    await run.waitFor(prompt);
    const [, first = ''] = /1 of 2\r\n"(one|two)" wants to run/.exec(run.shown()) ?? [];
    await type(run, 'maybe\r', '"maybe" is not a valid answer.');
    await run.waitFor(prompt, run.shown().indexOf('"maybe"'));
    await type(run, 'y\r', `\r\n2 of 2\r\n"${first === 'one' ? 'two' : 'one'}" wants to run`);
    await run.waitFor(prompt, run.shown().indexOf('2 of 2'));
    run.type('\u0003');
    expect(await run.exited).toBe(130);
    expect(await approved(sandbox)).toEqual([first]);
  });

  test('is not approved by Ctrl-C or Ctrl-D in a session, and no later line answers it', async () => {
    await using sandbox = await createProject('one', 'two');
    const run = runInTerminal(sandbox, ['repl']);
    await run.waitFor('0/2 connected> ');
    await type(run, '_ > none.txt\r', 'There is no result yet.');
    await type(run, '/status one two\r', prompt);
    const asked = run.shown().length;
    await type(run, '\u0003', 'wants to run');
    await run.waitFor(prompt, asked);
    await type(run, '\u0004', '0 of 2 connected');
    await type(run, 'y\r', 'Unknown command "y"');
    await run.waitFor('0/2 connected> ', run.shown().lastIndexOf('/help'));
    const before = run.shown().length;
    run.type('\u0004');
    expect(await run.exited).toBe(0);
    // Where the cursor goes after the prompt may come late.
    expect(run.shown().slice(before)).toMatch(/\r\n$/);
    expect(run.shown()).not.toContain('wrote ');
    expect(await approved(sandbox)).toEqual([]);
  });

  test('is no longer asked about once it is removed: the next one is, and Esc does not answer it', async () => {
    await using sandbox = await createProject('one', 'two');
    const run = runInTerminal(sandbox, ['repl']);
    await run.waitFor('0/2 connected> ');
    await type(run, '/status one two\r', prompt);
    const [, first = ''] = /"(one|two)" wants to run/.exec(run.shown()) ?? [];
    const second = first === 'one' ? 'two' : 'one';
    const asked = run.shown().length;
    await sandbox.write('./.mcp.json', JSON.stringify({ mcpServers: { [second]: entry('echo') } }));
    await run.waitFor(prompt, asked);
    // All of it is gone from the screen before the next is shown.
    const rows = run.shown().slice(0, asked).split('wants to run')[1]?.split('\n').length ?? 0;
    expect(run.shown().slice(asked)).toMatch(
      new RegExp(`\u001b\\[${rows - 1}A\\r\u001b\\[0J[^]*"${second}" wants`),
    );
    await type(run, '\u001b', `${second}  untrusted`);
    run.type('/quit\r');
    expect(await run.exited).toBe(0);
    expect(await approved(sandbox)).toEqual([]);
  });

  test.each([
    [['call', 'one.echo', 'text=so it runs'], 'y\r', 'so it runs', 0],
    [['call', 'one.echo', 'text=x'], '\u001b', 'approve it with holt trust one.', 4],
    [['read', 'one', 'x:y'], '\r', 'approve it with holt trust one.', 4],
    [['prompt', 'one', 'x'], '\r', 'approve it with holt trust one.', 4],
  ] as const)('is asked about by what needs it: holt %j, then %j', async (args, keys, expected, code) => {
    await using sandbox = await createProject('one');
    const run = runInTerminal(sandbox, args);
    await run.waitFor(prompt);
    await type(run, keys, expected);
    expect([await run.exited, run.shown().split('wants to run').length]).toEqual([code, 2]);
  });

  test('is visible while the panel is open, and keys of the panel do not answer it', async () => {
    await using sandbox = await createProject('one');
    const run = runInTerminal(sandbox, ['repl']);
    await run.waitFor('0/1 connected> ');
    await type(run, '/mcp\r', 'q back');
    await type(run, ' ', '[ ]  one  disabled');
    await type(run, ' ', prompt);
    const asked = run.shown().lastIndexOf(prompt);
    // It is the question's line that is typed now.
    await type(run, '\u001b[Bq', 'q');
    expect(run.shown().slice(asked)).not.toContain('q back');
    await type(run, '\u007f\r', 'q back');
    await type(run, 'q', '0/1 connected> ');
    await type(run, 'y\r', 'Unknown command "y"');
    run.type('/quit\r');
    expect(await run.exited).toBe(0);
    expect(await approved(sandbox)).toEqual([]);
  });
});

test('a server’s question in a session is cancelled with its call, and the next line is a command', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { quiz: entry('asks-questions') } }));
  const run = runInTerminal(sandbox, ['repl']);
  await run.waitFor('1/1 connected> ');
  const requestedSchema = { type: 'object', properties: { age: { type: 'integer' } } };
  const params = { mode: 'form', message: 'How old?', requestedSchema };
  await type(run, `quiz.ask ${JSON.stringify({ method: 'elicitation/create', params })}\r`, 'Answer? ');
  await type(run, '\u0003', 'cancelled');
  await type(run, 'xyz\r', 'Unknown command "xyz"\r\n  /help lists what can be typed.');
  run.type('/quit\r');
  expect(await run.exited).toBe(0);
});
