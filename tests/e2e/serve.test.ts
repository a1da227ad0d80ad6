/** `holt serve` as a user runs it: what it says, where the token is, how it ends, and how it bears a load. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { describe, expect, test } from 'vitest';

import { createClient, type HoltClient } from '../../src/api/client.ts';
import type { Problem } from '../../src/kernel/problems.ts';
import { scaled } from '../fixtures/programs/start-program.ts';
import { createSandbox, executable, type Sandbox } from '../support/holt-command.ts';
import { readRunFile, sendRaw } from '../support/service-fixture.ts';
import { serverFolder } from '../support/stdio-fixture.ts';

interface Served extends AsyncDisposable {
  readonly url: string;
  readonly runFile: string;
  readonly lines: readonly string[];
  readonly client: HoltClient;
  /** Asks it to end and gives its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

async function serve(sandbox: Sandbox, ...args: readonly string[]): Promise<Served> {
  const child = spawn(process.execPath, [executable, 'serve', ...args], {
    cwd: sandbox.project,
    env: { PATH: process.env['PATH'] ?? '', HOME: sandbox.home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('The token is in')) break;
  }
  const runFile = /The token is in (.+?)\. Ctrl-C/.exec(lines.join('\n'))?.[1] ?? '';
  const { url, token } = await readRunFile(runFile);
  return {
    url,
    runFile,
    lines,
    client: createClient({ url, token }),
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function withServers(): Promise<Sandbox> {
  const sandbox = await createSandbox();
  const program = (name: string) => ({
    command: process.execPath,
    args: [path.join(serverFolder, `${name}.mjs`)],
  });
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { echo: program('echo') } }));
  await sandbox.write('~/.holt/config.json', JSON.stringify({ permissions: { allow: ['mcp__echo'] } }));
  return sandbox;
}

test('serve prints its address and where the token is, serves, and leaves nothing behind', async () => {
  await using sandbox = await withServers();
  await using served = await serve(sandbox, '--port', '0');
  const port = new URL(served.url).port;
  expect(served.lines).toEqual([
    `holt serves its API at http://127.0.0.1:${port}`,
    `  http://127.0.0.1:${port}/openapi.json describes it`,
    `The token is in ${path.join(sandbox.home, '.holt', 'run', `${port}.json`)}. Ctrl-C ends it.`,
  ]);
  await expect.poll(() => served.client.send('GET /mcp')).toEqual({ echo: { status: 'connected' } });
  expect(await served.end('SIGTERM')).toBe(0);
  expect(existsSync(served.runFile)).toBe(false);
  await expect(served.client.send('GET /health')).rejects.toThrow('fetch failed');
});

test('Ctrl-C interrupts the service, which removes its file', async () => {
  await using sandbox = await createSandbox();
  await using served = await serve(sandbox, '--port', '0');
  // SIGTERM, above, is its ordinary end.
  expect(await served.end('SIGINT')).toBe(130);
  expect(existsSync(served.runFile)).toBe(false);
});

test('serve and its help speak of the API, not of a dashboard', async () => {
  await using sandbox = await createSandbox();
  const { stdout } = await sandbox.holt('serve', '--help');
  expect(stdout).toContain('API');
  expect(stdout).not.toMatch(/dashboard/i);
});

test('GET /problems has the problems of holt doctor, and the overview counts the same', async () => {
  await using sandbox = await createSandbox();
  const leaky = { command: 'no-such-program-here', env: { API_TOKEN: 'abcdef123456789', B: '${UNSET_ONE}' } };
  const file = await sandbox.write(
    '~/.cursor/mcp.json',
    JSON.stringify({ mcpServers: { leaky, off: { command: 'x' } } }),
  );
  await chmod(file, 0o644);
  await sandbox.write('~/.kiro/settings/mcp.json', '{"mcpServers":{');
  await sandbox.write(
    '~/.holt/mcp.json',
    JSON.stringify({ mcpServers: { off: { command: 'y', enabled: false } } }),
  );
  await sandbox.write(
    './.mcp.json',
    JSON.stringify({ mcpServers: { shared: { command: 'npx', args: ['-y', 'x'] } } }),
  );
  await sandbox.write('~/.holt/pins.json', 'damaged');
  const shown = (problems: readonly Problem[]): readonly string[] =>
    problems.map(({ severity, code, file: at, line, message }) =>
      [severity, code, at, line, message].join('|'),
    );
  const doctored = await sandbox.json<{ readonly problems: readonly Problem[] }>('doctor');
  expect(doctored.problems.length).toBeGreaterThan(7);
  await using served = await serve(sandbox, '--port', '0');
  const { problems } = await served.client.send('GET /problems');
  expect(shown(problems)).toEqual(shown(doctored.problems));

  const count = (severity: string): number =>
    doctored.problems.filter((problem) => problem.severity === severity).length;
  expect(await sandbox.json('overview')).toMatchObject({
    errors: count('error'),
    warnings: count('warning'),
  });
  const footer = `${count('error')} errors, ${count('warning')} warnings`;
  expect((await sandbox.holt('doctor')).stdout).toContain(`\n${footer}\n`);
  expect((await sandbox.holt()).stdout).toMatch(new RegExp(`holt doctor +${footer}\\n`));
});

test('a result has the bytes of each image once', async () => {
  await using sandbox = await createSandbox();
  const art = { command: process.execPath, args: [path.join(serverFolder, 'returns-image.mjs')] };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { art } }));
  await sandbox.write('~/.holt/config.json', JSON.stringify({ permissions: { allow: ['mcp__art'] } }));
  await using served = await serve(sandbox, '--port', '0');
  const call = { params: { name: 'art.draw' }, body: { arguments: { colour: 'red' } } };
  const result = await served.client.send('POST /tools/:name/call', call);
  const [{ data, mimeType } = { data: '', mimeType: '' }] = result.attachments;
  expect(data).not.toBe('');
  expect(JSON.stringify(result).split(data).length - 1).toBe(1);
  expect(result.content).toContainEqual({ type: 'image', mimeType, attachment: 0 });
});

test('a call that is in flight is answered before the service ends', async () => {
  await using sandbox = await createSandbox();
  const slow = { command: process.execPath, args: [path.join(serverFolder, 'slow-call.mjs'), '800'] };
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { slow } }));
  await sandbox.write('~/.holt/config.json', JSON.stringify({ permissions: { allow: ['mcp__slow'] } }));
  await using served = await serve(sandbox, '--port', '0');
  await served.client.send('POST /mcp/:name/connect', { params: { name: 'slow' } });
  const [tool] = (await served.client.send('GET /tools')).tools;
  const call = served.client.send('POST /tools/:name/call', { params: { name: tool?.name ?? '' }, body: {} });
  await expect.poll(() => served.client.send('GET /metrics')).toMatch(/^holt_requests_in_flight 2$/m);
  const ended = served.end('SIGTERM');
  expect(await call).toMatchObject({ server: 'slow', ok: true });
  await ended;
  expect(existsSync(served.runFile)).toBe(false);
});

test('another address without a token of the user’s is refused', async () => {
  await using sandbox = await createSandbox();
  const { code, stderr } = await sandbox.holt('serve', '--host', '0.0.0.0', '--port', '0');
  expect([code, stderr]).toEqual([
    2,
    'Serving at 0.0.0.0 needs a token that you choose: others can reach that address\nGive one with --token-file FILE or --token-env NAME, or leave --host out.\n',
  ]);
});

test('with a token of the user’s another address is served by it', async () => {
  await using sandbox = await createSandbox();
  const file = await sandbox.write('~/token', 'a-token-that-i-chose-myself\n');
  await using served = await serve(sandbox, '--host', '0.0.0.0', '--port', '0', '--token-file', file);
  const client = createClient({ url: served.url, token: 'a-token-that-i-chose-myself' });
  expect(await client.send('GET /mcp')).toEqual({});
});

test.each([
  [['--port', 'many'], 'Invalid port "many"'],
  [['--port', '65536'], 'Invalid port "65536"'],
  [['--socket', 'x', '--port', '1'], '--socket cannot be combined'],
  [['--token-env', 'NOBODY_SET_THIS'], 'There is no token in NOBODY_SET_THIS'],
  [['name'], 'holt serve takes no names'],
])('%j is refused', async (args, says) => {
  await using sandbox = await createSandbox();
  const { code, stderr } = await sandbox.holt('serve', ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});

test('a unix socket is served, and deleted at the end', async () => {
  await using sandbox = await createSandbox();
  const socketPath = path.join(sandbox.home, 's', 'api');
  await using served = await serve(sandbox, '--socket', socketPath);
  const { token } = await readRunFile(served.runFile);
  expect((await sendRaw({ socketPath, path: '/mcp', token })).json).toEqual({});
  await served.end('SIGINT');
  expect(existsSync(socketPath)).toBe(false);
});

/** A process that does nothing beside it: how late its loop is tells how busy the machine is with other things. */
function startIdleLoop(): { end(): Promise<number> } {
  const program =
    "const h=require('perf_hooks').monitorEventLoopDelay({resolution:10});h.enable();" +
    "process.stdin.on('end',()=>console.log(h.percentile(99)/1e6)).resume()";
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'close');
  return {
    end: async () => {
      child.stdin.end();
      await ended;
      return Number(said);
    },
  };
}

describe('under load', () => {
  /** 60 s with HOLT_TEST_SCALE=20. */
  const seconds = scaled(3);

  test('200 requests a second beside running calls: no errors, no event loop delay, a clean end', async () => {
    await using sandbox = await withServers();
    await using served = await serve(sandbox, '--port', '0');
    const { client } = served;
    await client.send('POST /mcp/:name/connect', { params: { name: 'echo' } });
    const running = { calls: true };
    const call = async (): Promise<number> => {
      let count = 0;
      for (; running.calls; count += 1) {
        const { ok } = await client.callTool('mcp__echo__echo', { text: 'x' });
        expect(ok).toBe(true);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return count;
    };
    const callers = Array.from({ length: 5 }, call);
    const keys = ['GET /mcp', 'GET /tools', 'GET /problems', 'GET /health'] as const;
    const asked: Promise<unknown>[] = [];
    // A machine that is busy with other things gets fewer at a time: the service's own limit is another test.
    const flight = { count: 0 };
    const send = async (key: (typeof keys)[number]): Promise<void> => {
      flight.count += 1;
      await client.send(key).finally(() => (flight.count -= 1));
    };
    const idle = startIdleLoop();
    const startedAt = performance.now();
    for (let sent = 0; sent < seconds * 200; sent += 1) {
      while (flight.count >= 50)
        await Promise.race([asked.at(-1), new Promise((resolve) => setTimeout(resolve, 5))]);
      asked.push(send(keys[sent % keys.length] ?? 'GET /mcp'));
      const aheadMs = startedAt + sent * 5 - performance.now();
      if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs));
    }
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    running.calls = false;
    expect(Math.min(...(await Promise.all(callers)))).toBeGreaterThan(0);
    const lag = /^holt_event_loop_lag_ms\{quantile="0\.99"\} (.+)$/m.exec(
      await client.send('GET /metrics'),
    )?.[1];
    // Beside two hundred other tests only a loop that stands still can be told from a busy machine.
    const idleMs = await idle.end();
    expect(Number(lag)).toBeLessThan(seconds >= 60 ? Math.max(50, 4 * idleMs) : 500);
    await served.end('SIGTERM');
    expect(existsSync(served.runFile)).toBe(false);
  }, 300_000);
});
