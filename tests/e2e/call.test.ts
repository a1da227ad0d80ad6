/** `holt tools`, `call`, `resources`, `read`, `prompts` and `prompt`, with real servers. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { text as allOf } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createSandbox, executable, type Sandbox } from '../support/holt-command.ts';

const fixture = (name: string): string =>
  path.join(import.meta.dirname, '..', 'fixtures', 'servers', `${name}.mjs`);
const entry = (name: string): object => ({ command: process.execPath, args: [fixture(name)] });

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox();
  const mcpServers = {
    echo: entry('echo'),
    art: entry('returns-image'),
    content: entry('sends-content'),
    broken: { command: 'no-such-program' },
    dead: entry('exits-immediately'),
  };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers }));
  await sandbox.write('~/.holt/config.json', JSON.stringify({ permissions: { deny: ['mcp__art__secret'] } }));
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const json = async (...words: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await sandbox.holt(...words, '--json')).stdout) as Record<string, unknown>;

describe('holt tools', () => {
  test('shows signatures, marks denied tools, and names servers that could not be listed', async () => {
    const { code, stdout, stderr } = await sandbox.holt('tools');

    expect(code).toBe(0);
    expect(stdout).toContain('draw(colour?: string, size?: integer)');
    expect(stdout).toMatch(/secret\(\)\s+denied/);
    expect(stderr).toMatch(/^broken: /m);
  });

  test('as JSON has the schemas and the decision for each', async () => {
    const { schema, tools, errors } = await json('tools');

    expect(schema).toBe(1);
    expect(tools).toContainEqual({
      name: 'mcp__echo__echo',
      server: 'echo',
      tool: 'echo',
      description: 'The tool echo',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      decision: 'ask',
    });
    expect(Object.keys(errors as object)).toEqual(['broken', 'dead']);
  });

  test('of one server starts that one only; one that fails decides the exit code', async () => {
    expect(await sandbox.holt('tools', 'broken')).toMatchObject({ code: 6 });
    expect((await json('tools', 'echo'))['errors']).toEqual({});
  });

  test('finds by words', async () => {
    const { stdout } = await sandbox.holt('tools', '--search', 'environment');
    expect(stdout.split('\n')[0]).toContain('mcp__echo__environment');
  });
});

describe('holt call', () => {
  test.each([
    [['call', 'mcp__echo__echo']],
    [['call', 'echo.echo']],
    [['call', 'echo/echo']],
    [['call', 'echo:echo']],
    [['call', 'echo', 'echo']],
    [['echo.echo']],
    [['mcp', 'call', 'echo.echo']],
  ])('takes a tool as %j', async (words) => {
    expect(await sandbox.holt(...words, 'text=hi there')).toMatchObject({ code: 0, stdout: 'hi there\n' });
  });

  test.each([
    [['echo.echo', 'text:hi there']],
    [['echo.echo', 'text:', 'hi there']],
    [['echo.echo', '--text', 'hi there']],
    [['echo.echo', '--text=hi there']],
    [['echo.echo', 'hi there']],
    [['echo', 'echo', 'hi there']],
    [['echo.echo(text: "hi there")']],
    [["echo.echo('hi there')"]],
    [['echo.echo({"text":"hi there"})']],
    [['echo.echo', '{"text":"hi there"}']],
    [['echo.echo', 'text: hi there']],
  ])('takes arguments as %j', async (words) => {
    expect(await sandbox.holt('call', ...words)).toMatchObject({ code: 0, stdout: 'hi there\n' });
    expect(await sandbox.holt(...words)).toMatchObject({ code: words[0] === 'echo' ? 2 : 0 });
  });

  test('an argument with the name of an option goes after two dashes', async () => {
    expect(await sandbox.holt('call', 'echo.echo', '--', '--text', '--json')).toMatchObject({
      code: 0,
      stdout: '--json\n',
    });
  });

  test('words that are no arguments are refused with the right form and the signature', async () => {
    expect(await sandbox.holt('call', 'art.draw', 'red')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        '"red" is not an argument\nWrite NAME=VALUE, NAME:=JSON or NAME=@FILE. The tool is art.draw(colour?: string, size?: integer)\n',
    });
    expect((await sandbox.holt('call', 'art.draw', '--color', 'red')).stderr).toContain(
      'did you mean colour?',
    );
  });

  test('JSON that is no object of arguments stays the text of a tool with one text', async () => {
    expect(await sandbox.holt('call', 'echo.echo', '{"a":1}')).toMatchObject({
      code: 0,
      stdout: '{"a":1}\n',
    });
  });

  test('a server’s name in place of a command suggests the commands that show it', async () => {
    expect(await sandbox.holt('echo')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'Unknown command "echo"\nholt get echo shows the server of that name, holt tools echo what can be called.\n',
    });
  });

  test.each(['single', 'plain'])('mcp__server__tool selects with naming %s as well', async (naming) => {
    await using named = await createSandbox();
    await named.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { 'my.echo': entry('echo') } }));
    await named.write('~/.holt/config.json', JSON.stringify({ naming }));
    expect(
      (await named.json<{ tools: { name: string }[] }>('tools')).tools.map(({ name }) => name),
    ).not.toContain('mcp__my_echo__echo');
    expect(await named.holt('call', 'mcp__my_echo__echo', 'text=hi')).toMatchObject({
      code: 0,
      stdout: 'hi\n',
    });
  });

  test('takes arguments as JSON, from a file, and single ones over them', async () => {
    const file = await sandbox.write('~/args.json', '{"text":"from a file"}');

    expect(await sandbox.holt('call', 'echo.echo', '--args', '{"text":"whole"}')).toMatchObject({
      stdout: 'whole\n',
    });
    expect(await sandbox.holt('call', 'echo.echo', '--args', `@${file}`)).toMatchObject({
      stdout: 'from a file\n',
    });
    expect(await sandbox.holt('call', 'echo.echo', '--args', `@${file}`, 'text=over')).toMatchObject({
      stdout: 'over\n',
    });
  });

  test('takes arguments from standard input', async () => {
    const words = [executable, 'call', 'echo.echo', '--args', '-'];
    const env = { PATH: process.env['PATH'], HOME: sandbox.home };
    const child = spawn(process.execPath, words, { cwd: sandbox.project, env });
    child.stdin.end('{"text":"piped"}');
    expect(await allOf(child.stdout)).toBe('piped\n');
  });

  test('wrong arguments print the signature and start nothing twice', async () => {
    const { code, stderr } = await sandbox.holt('call', 'art.draw', 'size=big');

    expect(code).toBe(2);
    expect(stderr).toContain('size');
    expect(stderr).toContain('art.draw(colour?: string, size?: integer)');
  });

  test('a failed tool, a denied tool and an unknown tool have different exit codes', async () => {
    expect(await sandbox.holt('call', 'art.refuse')).toMatchObject({
      code: 1,
      stdout: 'Error: I will not\n',
    });
    const denied = await sandbox.holt('call', 'art.secret');
    expect(denied.code).toBe(5);
    expect(denied.stderr).toContain('mcp__art__secret');
    expect(await sandbox.holt('call', 'art.drow')).toMatchObject({ code: 2 });
    expect(await sandbox.holt('call', 'broken.x')).toMatchObject({ code: 6 });
  });

  test('reports once why a server did not start, with its last output on separate lines', async () => {
    expect(await sandbox.holt('call', 'dead.x')).toEqual({
      code: 6,
      stdout: '',
      stderr: [
        'Failed to connect to "dead": it exited with code 3. See holt logs dead.',
        '  reading the configuration',
        '  Error: DATABASE_URL is not set',
        '',
      ].join('\n'),
    });
    const { stderr } = await sandbox.holt('call', 'broken.x');
    expect(stderr).toMatch(/^Failed to connect to "broken": .+\n$/);
  });

  test('is cancelled at the timeout', async () => {
    const { code } = await sandbox.holt('call', 'art.wait', '--timeout', '200');
    expect(code).toBe(7);
  });

  test('does not wait longer than it may for a server that starts slowly', async () => {
    await using other = await createSandbox();
    const never = { command: process.execPath, args: [fixture('gated-start'), '60000'] };
    await other.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { never } }));
    const { code, stderr } = await other.holt('call', 'never.seen', '--timeout', '250');
    expect([code, stderr]).toEqual([
      7,
      expect.stringContaining(
        'took longer than 0.25 s and was cancelled while the server was still starting',
      ),
    ]);
  });

  test('prints the full result as JSON, and the server’s own result as raw', async () => {
    const result = await json('call', 'art.draw', 'colour=red');
    expect(result).toMatchObject({
      schema: 1,
      ok: true,
      server: 'art',
      tool: 'draw',
      agent: 'holt',
      attachments: [{ mimeType: 'image/png' }],
    });
    const { stdout } = await sandbox.holt('call', 'art.draw', 'colour=red', '--output', 'raw');
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ type: 'text', text: 'a red pixel' }, {}] });
  });

  test('saves pictures, and writes over nothing', async () => {
    const folder = sandbox.place('~/pictures');
    await sandbox.holt('call', 'art.draw', 'colour=red', '--save', folder);
    await sandbox.holt('call', 'art.draw', 'colour=red', '--save', folder);

    const names = await fs.readdir(folder);
    expect(names).toHaveLength(2);
    for (const name of names)
      expect((await fs.readFile(path.join(folder, name))).subarray(1, 4).toString()).toBe('PNG');
  });
});

test('a result that is too long is saved in a private file, which is removed after a day', async () => {
  const { stdout } = await sandbox.holt('call', 'content.long', 'bytes=300000');
  const [, file = ''] = /the whole text is in (.+)\]\n$/.exec(stdout) ?? [];

  expect(await fs.readFile(file, 'utf8')).toBe('x'.repeat(300_000));
  const modes = await Promise.all(
    [file, path.dirname(file)].map(async (place) => (await fs.stat(place)).mode & 0o777),
  );
  expect(modes).toEqual([0o600, 0o700]);
  const dayAgo = Date.now() / 1000 - 24 * 3600 - 60;
  await fs.utimes(file, dayAgo, dayAgo);
  await sandbox.holt('call', 'echo.echo', 'text=later');
  await expect(fs.stat(file)).rejects.toThrow('ENOENT');
});

test('holt URL lists a server that no file names, and URL.tool calls it', async () => {
  const server = spawn(process.execPath, [fixture('stateless-http')], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer];
    const url =
      /http:\S+/.exec(line.toString())?.[0] ?? `http://127.0.0.1:${/\d+/.exec(line.toString())?.[0]}/mcp`;
    const { code, stdout } = await sandbox.holt(url);

    expect(code).toBe(0);
    const [, tool = ''] = /^ {2}(\w+)\(/m.exec(stdout) ?? [];
    expect(tool).not.toBe('');
    expect(await sandbox.holt(`${url}.${tool}`, 'text=x')).toMatchObject({ code: 0 });
  } finally {
    server.kill();
    await once(server, 'exit');
  }
});

test('resources and prompts are listed and read', async () => {
  expect((await sandbox.holt('resources', 'echo')).stdout).toContain('echo://greeting');
  expect(await sandbox.holt('read', 'echo', 'echo://greeting')).toMatchObject({ code: 0, stdout: 'hello\n' });
  expect((await sandbox.holt('prompts', 'echo')).stdout).toContain('holt prompt echo greet');
  expect(await sandbox.holt('prompt', 'echo', 'greet')).toMatchObject({
    code: 0,
    stdout: 'user:\nSay hello\n',
  });
  expect(await json('resources', 'echo')).toMatchObject({
    resources: [{ server: 'echo', uri: 'echo://greeting', name: 'greeting' }],
  });
});

test('T61: URLs in a result are plain text: they are neither fetched nor turned into links', async () => {
  let hits = 0;
  const sink = http.createServer((_, response) => {
    hits += 1;
    response.end();
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  const { port } = sink.address() as { readonly port: number }; // it listens at one
  const text = `![x](http://127.0.0.1:${port}/beacon) <img src="http://127.0.0.1:${port}/b">`;
  const { stdout } = await sandbox.holt('call', 'echo.echo', `text=${text}`);
  await new Promise((resolve) => sink.close(resolve));

  expect([stdout, hits]).toEqual([`${text}\n`, 0]);
});
