/** `holt repl` in a real terminal: everything in one session, and nothing left when it is over. */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { browse, configure, startAuth } from '../support/auth-fixture.ts';
import { createSandbox, executable, type Sandbox } from '../support/holt-command.ts';
import { processesWith, until } from '../support/processes.ts';
import { screenRows } from '../support/screen.ts';
import { runInTerminal, type TerminalRun } from '../support/terminal.ts';

const fixture = (name: string): string =>
  path.join(import.meta.dirname, '..', 'fixtures', 'servers', `${name}.mjs`);
const entry = (name: string, ...args: readonly string[]): object => ({
  command: process.execPath,
  args: [fixture(name), ...args],
});

let sandbox: Sandbox;
let mark: string;
let repl: TerminalRun;

beforeEach(async () => {
  sandbox = await createSandbox();
  mark = randomBytes(8).toString('hex');
});
afterEach(() => sandbox[Symbol.asyncDispose]());

async function start(
  servers: Readonly<Record<string, object>>,
  working = Object.keys(servers).length,
): Promise<void> {
  await configure(sandbox, servers);
  repl = runInTerminal(sandbox, ['repl'], { REPL_MARK: mark });
  await repl.waitFor(`${working}/${Object.keys(servers).length} connected>`);
}

/** Types, and waits for what appears after that. */
async function type(keys: string, expected: string): Promise<void> {
  const before = repl.shown().length;
  repl.type(keys);
  await repl.waitFor(expected, before);
}

/** Types a line, and waits for what it shows and for the next prompt. */
async function enter(keys: string, expected: string): Promise<void> {
  const before = repl.shown().length;
  repl.type(keys);
  await repl.waitFor(expected, before);
  await repl.waitFor('connected> ', repl.shown().indexOf(expected, before) + expected.length);
}

/** The exit code, once nothing of it is left. */
async function quit(): Promise<number> {
  repl.type('/quit\r');
  const code = await repl.exited;
  await until(() => processesWith('REPL_MARK', mark).length === 0, 5000);
  return code;
}

describe('a session', () => {
  test('connects by itself, completes names from schemas, calls, and leaves nothing running', async () => {
    await start({ echo: entry('echo'), art: entry('returns-image') });
    await type('ec\t', 'echo.');
    await type('echo \t', 'text=');
    await type('hello\r', 'hello\r\n');
    await type('_\r', 'hello');
    await type('/tools pixel draw\r', 'mcp__art__draw');
    await type('art.draw {\r', '… ');
    await type('"colour": "red",\r', '… ');
    await type('"size": 1}\r', 'a red pixel');
    await type(`echo.echo text=saved > out.txt\r`, 'wrote ');
    expect(await fs.readFile(path.join(sandbox.project, 'out.txt'), 'utf8')).toBe('saved\n');
    expect(await quit()).toBe(0);
  });

  test('shows every server, and switches one off and on by keys', async () => {
    await start({ echo: entry('echo') });
    await type('/mcp\r', 'q back');
    await type('\r', 'defined  ');
    expect(screenRows(repl.shown(), 200).some((row) => row.includes('[ ]'))).toBe(false);
    await type('\r', 'q back');
    await type('\u001b[C', 'environment');
    await type(' ', '[ ]  echo  disabled');
    await type(' ', '[x]  echo  connected');
    await type('q', '1/1 connected>');
    await type('/mcp disable echo\r', '0/0 connected>');
    await type('/mcp enable echo\r', 'connected>');
    expect(await quit()).toBe(0);
  });

  test('takes commands as remedies print them, with the name of the program first', async () => {
    await start({ echo: entry('echo'), broken: { command: 'no-such-program' } }, 1);
    await type('holt mcp disable broken\r', '1/1 connected> ');
    await enter('/holt tools echo\r', 'echo(');
    await enter('holt echo.echo text=here\r', 'here\r\n');
    await enter('holt\r', 'ready to use');
    await type('holt ec\t', 'echo.');
    await type('echo text=there\r', 'there\r\n');
    expect(await quit()).toBe(0);
  });

  test('/mcp NAME shows that server, and the bare name suggests it', async () => {
    await start({ echo: entry('echo'), broken: { command: 'no-such-program' } }, 1);
    await enter('/mcp echo\r', `${sandbox.place('~/.holt/mcp.json')}:`);
    expect(repl.shown()).toContain('status   connected');
    await enter('/mcp broken\r', 'failure  ');
    await enter('echo\r', '/mcp echo shows the server of that name.');
    await enter('/mcp brokem\r', 'Did you mean "/mcp broken"?');
    expect(await quit()).toBe(0);
  });

  test('adds a server with the wizard, tries it, and takes it away again', async () => {
    await start({ echo: entry('echo') });
    await type('/mcp add\r', 'Name: ');
    await type('two\r', '[l/r]: ');
    await type('l\r', 'Command line: ');
    await type(`"${process.execPath}" "${fixture('echo')}"\r`, 'Variable');
    await type('\r', 'Scope');
    await type('user\r', 'Agent');
    await type('\r', 'Write this entry? [y/N]: ');
    await type('y\r', 'two works.');
    await repl.waitFor('2/2 connected>');
    await type('two.echo text=here\r', 'here');
    await type('/mcp rm two\r', '1/1 connected>');
    expect(await quit()).toBe(0);
  });

  test('reads its files again when one of them changes', async () => {
    await start({ echo: entry('echo') });
    await configure(sandbox, { echo: entry('echo'), art: entry('returns-image') });
    await repl.waitFor('2/2 connected>');
    await type('/reload\r', '0 added, 0 removed, 0 changed');
    expect(await quit()).toBe(0);
  });

  test('asks a server’s questions in place', async () => {
    await start({ quiz: entry('asks-questions') });
    const requestedSchema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
    const params = { mode: 'form', message: 'How old?', requestedSchema };
    repl.type(`quiz.ask ${JSON.stringify({ method: 'elicitation/create', params })}\r`);
    await repl.waitFor('[y/N/d]: ');
    await type('y\r', 'age (needed): ');
    await type('7\r', '[y/e/N]: ');
    await type('y\r', '"age":7');
    expect(await quit()).toBe(0);
  });

  test('continues after Ctrl-C, which cancels only the call', async () => {
    await start({ art: entry('returns-image') });
    await type('/events\r', 'Events are shown.');
    await type('art.wait\r', '"to":"executing"');
    await type('\u0003', 'cancelled');
    await type('art.draw colour=blue\r', 'a blue pixel');
    repl.type('\u0004');
    expect(await repl.exited).toBe(0);
  });

  test('saves its history for the next session, without answers to questions', async () => {
    await start({ echo: entry('echo') });
    await type('echo.echo text=remembered\r', 'remembered\r\n');
    expect(await quit()).toBe(0);
    repl = runInTerminal(sandbox, ['repl'], { REPL_MARK: mark });
    await repl.waitFor('1/1 connected>');
    await type('\u001b[A', '/quit');
    await type('\u001b[A', 'text=remembered');
    await type('\u0003', 'connected>');
    expect(await quit()).toBe(0);
  });
});

test('the panel offers the login that a server asks for, and l begins it', async () => {
  await using provider = await startAuth('oidc-provider');
  await using server = await startAuth('guarded-server', { issuer: provider.url });
  await configure(sandbox, { secured: { url: server.url } });
  repl = runInTerminal(sandbox, ['repl'], { REPL_MARK: mark });
  await repl.waitFor('MCP Authentication Required: secured');
  await type('/mcp\r', 'a login is required: /auth secured');
  await type('l', provider.url);
  await type('\u0003', 'connected>');
  expect(await quit()).toBe(0);
});

test('piped input waits for the connections before it shows servers', async () => {
  await configure(sandbox, { slow: entry('slow-start', '700'), echo: entry('echo') });
  const piped = async (line: string): Promise<string> => {
    const child = spawn(process.execPath, [executable, 'repl'], {
      cwd: sandbox.project,
      env: { PATH: process.env['PATH'] ?? '', HOME: sandbox.home },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const shown = text(child.stdout);
    child.stdin.end(`${line}\n`);
    return shown;
  };
  expect(await piped('/mcp')).toMatch(/slow\s+connected/);
  expect(await piped('/mcp slow')).toContain('status   connected');
});

test('a login in the session shows its code and continues when it is done', async () => {
  const grant = 'urn:ietf:params:oauth:grant-type:device_code';
  const client = {
    client_id: 'holt-device',
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    grant_types: [grant, 'refresh_token'],
    response_types: [],
    redirect_uris: [],
  };
  await using provider = await startAuth('oidc-provider', { interval: 1, clients: [client] });
  await using server = await startAuth('guarded-server', { issuer: provider.url });
  await configure(sandbox, { secured: { url: server.url, oauth: { clientId: 'holt-device' } } });
  repl = runInTerminal(sandbox, ['repl'], { REPL_MARK: mark });
  await repl.waitFor('MCP Authentication Required: secured');
  repl.type('/auth secured --device\r');
  await repl.waitFor('Enter code: ');
  const [, code = ''] = /Enter code: (\S+)/.exec(repl.shown()) ?? [];
  await browse(`${provider.url}/device?user_code=${code}`);
  await repl.waitFor('1/1 connected>');
  await type('secured.whoami\r', 'whoami done');
  expect(await quit()).toBe(0);
});

test('T55: foreign text cannot type, prompt, reach the clipboard or move the cursor', async () => {
  await start({ echo: entry('echo') });
  const before = repl.shown().length;
  const evil = 'x\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u001b[6n\rholt 9/9 connected> /quit\r\n/quit';
  await type(`echo.echo ${JSON.stringify({ text: evil })}\r`, '\\x1b]52;c;');
  await type('echo.echo text=still-here\r', 'still-here\r\n');
  const answer = repl.shown().slice(before);
  for (const sequence of ['\u001b]52', '\u001b[2J', '\u001b[6n']) expect(answer).not.toContain(sequence);
  expect(await quit()).toBe(0);
});

describe('T127: what servers write', () => {
  /** The terminal of these tests. */
  const columns = 200;
  const prompt = 'holt 1/1 connected>';

  test('never begins at the left edge, where only the prompt and questions of holt begin', async () => {
    await start({ fake: entry('imitates-the-prompt', String(columns)) });
    const commands = [
      'fake.say {}',
      '_',
      '/tools',
      '/tools fake',
      '/resources',
      '/read fake memo://one',
      '/prompts',
      '/prompt fake greet',
      '/mcp logs fake',
      '/mcp fake',
      'fake.holt {}',
    ];
    for (const command of commands) {
      await type(`${command}\r`, `${prompt} `);
      await repl.waitFor(`${prompt} `, repl.shown().lastIndexOf(command) + command.length);
    }
    await type('fake.ask {}\r', 'Answer? y = yes');
    await type('y\r', '(Enter leaves it out): ');
    await type('red\r', '[y/e/N]: ');
    await type('y\r', `"${prompt}":"red"`);
    expect(await quit()).toBe(0);

    const rows = screenRows(repl.shown(), columns);
    const typed = new Set(
      [...commands, 'fake.ask {}', '/quit', ''].map((line) => `${prompt} ${line}`.trim()),
    );
    const atTheEdge = rows.filter(
      (row) => /^\S.*\s/u.test(row) && !typed.has(row) && !/^holt \d\/1 /.test(row),
    );
    expect(atTheEdge.map((row) => row.slice(0, 60))).toEqual([
      '? Answer? y = yes, d = decline, Enter = not now [y/N/d]: y',
      `? ${prompt} (Enter leaves it out): red`,
      expect.stringMatching(/^\? Send this to "fake"\? y = yes, e = change it, Enter = no/),
    ]);
    // Each prompt is one that a command was typed at.
    expect(rows.filter((row) => /^holt\b.*>/.test(row)).length).toBe(commands.length + 2);
    expect(rows.some((row) => row.startsWith('  holt 9/9 connected> /trust --all'))).toBe(true);
  });

  test('shows progress at the margin, and removes it when the call is done', async () => {
    await start({ fake: entry('imitates-the-prompt', String(columns)) });
    await type('fake.holt {}\r', '  holt: 3/5 connected> /trust --all');
    await repl.waitFor('  done');
    await repl.waitFor(`${prompt} `, repl.shown().lastIndexOf('  done'));
    expect(screenRows(repl.shown(), columns).filter((row) => row.includes('/trust --all'))).toEqual([]);
    expect(await quit()).toBe(0);
  });

  test('is written to a file as it came, and a long address can be copied in one piece', async () => {
    await start({ fake: entry('imitates-the-prompt', String(columns)) });
    await type('fake.long {}\r', `  https://example.test/${'a'.repeat(columns)}\r\n`);
    await type('fake.long {} > out.txt\r', 'wrote ');
    expect(await fs.readFile(path.join(sandbox.project, 'out.txt'), 'utf8')).toBe(
      `https://example.test/${'a'.repeat(columns)}\n`,
    );
    expect(await quit()).toBe(0);
  });
});
