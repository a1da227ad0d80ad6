/** Programs with vices, over the stdio transport and the SDK's bare client: what one does is never another's trouble. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { SecretValue } from '../../src/masking/redactor.ts';
import {
  spawnProcess,
  type ProcessPlan,
  type SpawnedProcess,
} from '../../src/platform/processes/spawn-process.ts';
import { stdioLimits, type StdioTransport } from '../../src/transports/stdio.ts';
import { scaled } from '../fixtures/programs/start-program.ts';
import { isAlive, known, processesWith, until } from '../support/processes.ts';
import {
  connectClient,
  createClient,
  markName,
  openStdioFixture,
  serverFolder,
  type StdioFixture,
} from '../support/stdio-fixture.ts';

const argumentsOf = (text: string) => ({ name: 'echo', arguments: { text } });
const textOf = (result: { readonly content?: unknown }): unknown =>
  (result.content as { text: string }[])[0]?.text; // what the fixtures send

const noticeOf = (data: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data },
});

function closing(transport: StdioTransport): Promise<void> {
  return new Promise((resolve) => {
    transport.onclose = resolve;
  });
}

function survivors(fixture: StdioFixture): readonly number[] {
  return processesWith(markName, fixture.mark);
}

/** A started transport without a client, and everything that comes over it. */
async function startBare(
  transport: StdioTransport,
): Promise<{ readonly messages: JSONRPCMessage[]; readonly errors: Error[] }> {
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  transport.onmessage = (message) => messages.push(message);
  transport.onerror = (error) => errors.push(error);
  await transport.start();
  return { messages, errors };
}

describe('both eras', () => {
  test.each([
    ['echo', 'modern'],
    ['stateless-only', 'modern'],
    ['legacy-only', 'legacy'],
  ])('%s is spoken to in its era (%s) and is started once', async (server, era) => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport(server);
    const client = await connectClient(transport);
    const result = await client.callTool(argumentsOf('hello'));

    expect(client.getProtocolEra()).toBe(era);
    expect(textOf(result)).toBe('hello');
    expect(survivors(fixture)).toEqual([transport.pid]);
    await client.close();
    expect(survivors(fixture)).toEqual([]);
    expect(transport.end).toEqual({ exitCode: 0, signal: null });
  });

  test('a server that does not respond to the probe is treated as an older one, without a restart', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('never-responds', ['probes']);
    const client = await connectClient(transport, 200);

    expect(client.getProtocolEra()).toBe('legacy');
    expect(survivors(fixture)).toEqual([transport.pid]);
  });

  test('exits-on-probe ends the first attempt with its exit code, and works when it is not probed', async () => {
    await using fixture = await openStdioFixture();
    const first = fixture.transport('exits-on-probe');
    await expect(connectClient(first)).rejects.toMatchObject({ code: 'ERA_NEGOTIATION_FAILED' });
    await first.close();
    const client = createClient();
    await client.connect(fixture.transport('exits-on-probe'), { prior: { kind: 'legacy' } });

    expect(first.end).toEqual({ exitCode: 1, signal: null });
    expect(first.stderrTail(5)).toBe('expected an initialize request');
    expect(textOf(await client.callTool(argumentsOf('hello')))).toBe('hello');
  });
});

describe('a start', () => {
  test('slow-start: is firstByte by a word on stderr and opened by the first message', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('slow-start', ['300']);
    const order: string[] = [];
    void transport.firstByte.then(() => order.push(`firstByte: ${transport.stderrTail(1)}`));
    void transport.opened.then(() => order.push('opened'));
    await connectClient(transport);
    await transport.opened;

    expect(order).toEqual(['firstByte: downloading', 'opened']);
    expect(transport.stderrTail(9)).toBe('downloading\ndownloaded');
  });

  test('never-responds: is not opened, and closing it is quick', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('never-responds');
    let outcome = 'waiting';
    transport.opened.then(
      () => (outcome = 'opened'),
      () => (outcome = 'refused'),
    );
    await expect(createClient(200).connect(transport, { timeout: 200 })).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
    });
    await transport.close();

    expect(outcome).toBe('refused');
    expect(survivors(fixture)).toEqual([]);
  });

  test.each([
    ['exits-immediately', 3, 'reading the configuration\nError: DATABASE_URL is not set'],
    ['crash-loop', 1, 'Error: the port is in use'],
  ])(
    '%s: its last output and exit code are available when the close is reported',
    async (server, exitCode, tail) => {
      await using fixture = await openStdioFixture();
      const transport = fixture.transport(server);
      const closed = closing(transport);
      const seen = closed.then(() => ({ end: transport.end, tail: transport.stderrTail(20) }));
      await transport.start();

      expect(await seen).toEqual({ end: { exitCode, signal: null }, tail });
      await expect(transport.opened).rejects.toMatchObject({
        code: 'server-exited',
        message: `Server "${server}" ended with exit code ${exitCode}`,
        details: { server, exitCode, signal: null },
      });
      await expect(transport.send(noticeOf('too late'))).rejects.toMatchObject({ code: 'server-exited' });
      await transport.close();
    },
  );

  test('of a program that is not there fails with its name, once, and closing is nothing', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('echo', [], { plan: { program: '/no/such/program' } });
    const closed = closing(transport);

    await expect(transport.start()).rejects.toMatchObject({ code: 'program-missing' });
    await closed;
    await expect(transport.opened).rejects.toMatchObject({ code: 'program-missing' });
    expect(transport.end).toMatchObject({ cause: { code: 'program-missing' } });
    await transport.firstByte;
    await transport.close();
  });

  test('that is closed before it is through leaves nothing', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('ignores-sigterm', [], { stop: { stdinMs: 50, termMs: 50 } });
    const starting = transport.start().catch((error: unknown) => error);
    await transport.close();

    expect(await starting).toMatchObject({ code: 'server-exited' });
    expect(survivors(fixture)).toEqual([]);
    await expect(transport.start()).rejects.toThrow('a transport starts once');
  });

  test('gives a program its own variables and a cookie, and nothing else of ours', async () => {
    await using fixture = await openStdioFixture();
    const secret = new SecretValue('sup3r-s3cret');
    const plan = fixture.plan('echo');
    const client = await connectClient(
      fixture.transport('echo', [], { plan: { env: { ...plan.env, TOKEN: secret } } }),
    );
    const ask = async (name: string): Promise<unknown> =>
      textOf(await client.callTool({ name: 'environment', arguments: { name } }));

    expect(await ask('TOKEN')).toBe('sup3r-s3cret');
    expect(await ask('HOLT_RUN')).toMatch(/^[0-9a-f]{16}$/);
    expect(await ask('VITEST')).toBe('');
  });
});

describe('an end', () => {
  test('exits-after-one-call: its last response still arrives, then the close is reported', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('exits-after-one-call');
    const client = await connectClient(transport);
    const over = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });

    expect(textOf(await client.callTool({ name: 'last' }))).toBe('my last words');
    await over;
    expect(transport.end).toEqual({ exitCode: 1, signal: null });
  });

  test('notifies-then-exits: all its messages are delivered before the close is reported, however slowly', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('notifies-then-exits', ['3000']);
    let heard = 0;
    transport.onmessage = () => {
      heard += 1;
      // Work of a tenth of a millisecond for each.
      for (const end = performance.now() + 0.1; performance.now() < end;);
    };
    const seen = closing(transport).then(() => ({ heard, end: transport.end }));
    await transport.start();

    expect(await seen).toEqual({ heard: 3000, end: { exitCode: 4, signal: null } });
  });

  test('exits-immediately: before the first message is sent: its exit and last output are available when that fails', async () => {
    await using fixture = await openStdioFixture();
    const spawnWatched = (plan: ProcessPlan): SpawnedProcess => {
      const child = spawnProcess(plan);
      while (isAlive(known(child.pid)));
      return child;
    };
    const transport = fixture.transport('exits-immediately', [], { spawn: spawnWatched });
    await transport.start();
    const error = await transport.send(noticeOf('too late')).catch((thrown: unknown) => thrown);

    expect([error, transport.end, transport.stderrTail(1)]).toEqual([
      expect.objectContaining({ message: 'Server "exits-immediately" ended with exit code 3' }),
      { exitCode: 3, signal: null, unheard: true },
      'Error: DATABASE_URL is not set',
    ]);
  });

  test('whether a program has read what it was sent is known at its end', async () => {
    await using fixture = await openStdioFixture();
    const ends = ['exits-immediately', 'exits-on-probe'].map(async (server) => {
      const transport = fixture.transport(server);
      await transport.start();
      const closed = closing(transport);
      await transport.send({ jsonrpc: '2.0', id: 1, method: 'server/discover' });
      await closed;
      return transport.end;
    });

    expect(await Promise.all(ends)).toEqual([
      { exitCode: 3, signal: null, unheard: true },
      { exitCode: 1, signal: null },
    ]);
  });

  test('F20: a crash during a call fails it immediately', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('exits-after-one-call');
    const client = await connectClient(transport);
    const call = client.callTool({ name: 'die' }).then(
      () => 'answered',
      (error: unknown) => ({ error, at: performance.now() }),
    );
    await until(() => transport.pid !== null && survivors(fixture).length === 0, 10_000);
    const goneAt = performance.now();
    const outcome = await call;

    expect(outcome).toMatchObject({ error: { code: 'CONNECTION_CLOSED' } });
    expect((outcome as { at: number }).at - goneAt).toBeLessThan(500); // never 'answered', as shown above
  });

  test('F01: npx, a shell and a server that ignores SIGTERM: nothing is left', async () => {
    await using fixture = await openStdioFixture();
    const npx = path.join(path.dirname(process.execPath), 'npx');
    const home = await makeLocalPackage(fixture.home);
    const words = ['--no-install', 'stubborn-server'].map((word) => new SecretValue(word));
    const transport = fixture.transport('npx', [], { plan: { program: npx, args: words, cwd: home } });
    const client = await connectClient(transport, 20_000);
    const tree = survivors(fixture).length;
    const startedAt = performance.now();
    await client.close();
    const tookMs = performance.now() - startedAt;

    expect(tree).toBeGreaterThanOrEqual(2);
    expect(survivors(fixture)).toEqual([]);
    expect(tookMs).toBeGreaterThan(450);
    expect(tookMs).toBeLessThan(6000);
  });

  test('F02: a server that behaves is closed without a signal, and immediately', async () => {
    await using fixture = await openStdioFixture();
    const client = await connectClient(fixture.transport('echo'));
    const startedAt = performance.now();
    await client.close();

    expect(performance.now() - startedAt).toBeLessThan(490);
  });

  test('F03: forks-a-daemon: closing is not held up by the streams it holds, and it is found and ended', async () => {
    await using fixture = await openStdioFixture();
    const client = await connectClient(fixture.transport('forks-a-daemon'));
    const daemon = Number(textOf(await client.callTool({ name: 'daemon' })));
    expect(survivors(fixture)).toContain(daemon);
    const startedAt = performance.now();
    await client.close();

    expect(performance.now() - startedAt).toBeLessThan(3000);
    await until(() => survivors(fixture).length === 0, 5000);
  });

  test('T123: forks-a-daemon: one that was started without the cookie is ended as a known descendant', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('forks-a-daemon', ['free']);
    const client = await connectClient(transport);
    const daemon = Number(textOf(await client.callTool({ name: 'daemon' })));
    expect(survivors(fixture)).toContain(daemon);
    await client.close();

    expect(survivors(fixture)).toEqual([]);
  });

  test('F03: a server that crashes and leaves a daemon behind is cleaned up after as well', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('forks-a-daemon');
    const closed = closing(transport);
    await transport.start();
    await until(() => survivors(fixture).length >= 2, 10_000);
    process.kill(known(transport.pid), 'SIGKILL');
    await closed;
    await transport.close();

    await until(() => survivors(fixture).length === 0, 5000);
    expect(transport.end).toEqual({ exitCode: null, signal: 'SIGKILL' });
    expect(await fixture.leases.listProcesses()).toEqual([]);
  });

  test('calls in flight fail at the beginning of a slow close, not at its end', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('ignores-sigterm', [], { stop: { stdinMs: 400, termMs: 400 } });
    const client = await connectClient(transport);
    const listed = client.listTools();
    const order: string[] = [];
    const failed = listed.catch(() => order.push('call failed'));
    const closed = transport.close().then(() => order.push('closed'));
    await Promise.all([failed, closed]);

    expect(order).toEqual(['call failed', 'closed']);
    expect(survivors(fixture)).toEqual([]);
  });
});

/** `stubborn-server` in `node_modules/.bin`, as an installed package has it. */
async function makeLocalPackage(home: string): Promise<string> {
  const folder = path.join(home, 'project');
  const own = path.join(folder, 'node_modules', 'stubborn-server');
  await mkdir(path.join(folder, 'node_modules', '.bin'), { recursive: true });
  await mkdir(own);
  await writeFile(path.join(folder, 'package.json'), '{"name":"project","version":"1.0.0"}');
  await writeFile(
    path.join(own, 'package.json'),
    '{"name":"stubborn-server","version":"1.0.0","bin":"server.mjs"}',
  );
  await writeFile(
    path.join(own, 'server.mjs'),
    `#!/usr/bin/env node\nimport '${path.join(serverFolder, 'ignores-sigterm.mjs')}';\n`,
    { mode: 0o755 },
  );
  await symlink(
    '../stubborn-server/server.mjs',
    path.join(folder, 'node_modules', '.bin', 'stubborn-server'),
  );
  return folder;
}

describe('what comes in', () => {
  test('F10: noisy-stdout: ten thousand lines of noise go to the log, are reported once, and delay nothing', async () => {
    await using fixture = await openStdioFixture();
    const debug: string[] = [];
    const transport = fixture.transport('noisy-stdout', ['10000'], {
      debug: (message) => debug.push(message),
    });
    const warnings: string[][] = [];
    transport.onwarning = (...warning) => warnings.push(warning);
    const client = await connectClient(transport);
    expect(textOf(await client.callTool(argumentsOf('clear')))).toBe('clear');
    await client.close();
    await fixture.log('noisy-stdout').flush();
    const log = await readFile(fixture.log('noisy-stdout').file, 'utf8');

    expect(warnings).toEqual([['stdout-noise', expect.stringContaining('"npm warn line 0 is no message"')]]);
    expect(debug.filter((message) => message.startsWith('no message'))).toHaveLength(5);
    expect(debug.filter((message) => message.startsWith('JSON'))).toHaveLength(2);
    expect(log).toContain('npm warn line 9999 is no message\n');
  });

  test('F11: writes-byte-by-byte: a byte at a time, cut characters, CRLF: nothing is lost, not even an unterminated last line', async () => {
    await using fixture = await openStdioFixture();
    const count = scaled(500);
    const transport = fixture.transport('writes-byte-by-byte');
    const { messages } = await startBare(transport);
    const closed = closing(transport);
    const ask = (id: number, name: string, given = {}): Promise<void> =>
      transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } });
    await ask(1, 'drip', { count });
    await until(() => messages.length > count, 60_000);
    await ask(2, 'last');
    await closed;

    expect(messages.filter((message) => 'method' in message)).toEqual([
      ...Array.from({ length: count }, (_, number) => noticeOf(`${number} ÿ€🦦`)),
      noticeOf('último 🦦'),
    ]);
  });

  test('F12: huge-line: ten megabytes in a line take no more than three times as long as reading them', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('huge-line');
    const { messages } = await startBare(transport);
    const bytes = 10_000_000;
    const request = (id: number): JSONRPCMessage => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'huge', arguments: { bytes } },
    });
    await using bare = await startReader();
    const overTransport = async (id: number): Promise<number> => {
      const startedAt = performance.now();
      const arrived = new Promise<void>((resolve) => {
        transport.onmessage = (message) => {
          messages.push(message);
          resolve();
        };
      });
      await transport.send(request(id));
      await arrived;
      return performance.now() - startedAt;
    };
    const ratios: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      const plain = await bare.read(JSON.stringify(request(round)), bytes);
      ratios.push((await overTransport(round)) / plain);
    }

    expect(messages).toHaveLength(7);
    expect(ratios.toSorted((left, right) => left - right)[3]).toBeLessThan(3);
  });

  test.each([
    ['huge-line', { name: 'huge', arguments: { bytes: 64 << 20 } }],
    ['no-newline', { name: 'pour' }],
  ])(
    'F13: %s: a message over the limit ends that connection, in bounded memory, and no other',
    async (server, call) => {
      await using fixture = await openStdioFixture();
      const transport = fixture.transport(server);
      const sibling = await connectClient(fixture.transport('echo'));
      const client = await connectClient(transport);
      const errors: Error[] = [];
      client.onerror = (error) => errors.push(error);
      const before = process.memoryUsage.rss();
      const outcome = await client.callTool(call).catch((error: unknown) => error);
      const grown = process.memoryUsage.rss() - before;

      expect(outcome).toMatchObject({ code: 'CONNECTION_CLOSED' });
      expect(transport.end).toMatchObject({
        cause: { code: 'frame-too-large', details: { server, maxBytes: 16 << 20 } },
      });
      expect(errors).toMatchObject([
        { code: 'frame-too-large', message: `Server "${server}" sent a message of more than 16 MiB` },
      ]);
      expect(grown).toBeLessThan(4 * stdioLimits.messageBytes);
      expect(textOf(await sibling.callTool(argumentsOf('still here')))).toBe('still here');
      await transport.close();
      expect(survivors(fixture)).toHaveLength(1);
    },
  );

  test('partial-message: only the call waits', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('partial-message');
    const client = await connectClient(transport);

    await expect(client.callTool({ name: 'half' }, { timeout: 200 })).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
    });
    expect(transport.end).toBeUndefined();
  });

  test('F14: floods-notifications: other servers are still served, and memory stays bounded', async () => {
    await using fixture = await openStdioFixture();
    const sibling = await connectClient(fixture.transport('echo'));
    const transport = fixture.transport('floods-notifications');
    const client = await connectClient(transport);
    let notices = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      notices += 1;
    });
    const serveSibling = async (): Promise<number> => {
      const lag = monitorEventLoopDelay({ resolution: 5 });
      lag.enable();
      const texts = Array.from({ length: 50 }, (_, index) => String(index));
      for (const text of texts) expect(textOf(await sibling.callTool(argumentsOf(text)))).toBe(text);
      lag.disable();
      return lag.percentile(99) / 1e6;
    };
    const quietMs = await serveSibling();
    await client.callTool({ name: 'flood' });
    await until(() => notices > 1000, 20_000);
    const before = process.memoryUsage();
    const lagMs = await serveSibling();
    const seen = notices;
    const { heapUsed, arrayBuffers } = process.memoryUsage();

    expect(seen).toBeGreaterThan(2000);
    // A busy machine is as slow without the flood.
    expect(lagMs).toBeLessThan(Math.max(250, 10 * quietMs));
    expect(heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(128 << 20);
    expect(textOf(await client.callTool(argumentsOf('and itself')))).toBe('and itself');
  });

  test('F55: malformed-responses: every call gets its own response, once, and nothing else is delivered', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('malformed-responses');
    const client = await connectClient(transport);
    const texts = Array.from({ length: scaled(300) }, (_, index) => `text ${index}`);
    const results = await Promise.all(texts.map((text) => client.callTool(argumentsOf(text))));

    expect(results.map(textOf)).toEqual(texts);
    expect(transport.end).toBeUndefined();
  });

  test('F54: a listener that throws for one message does not affect the next', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('echo');
    const { errors } = await startBare(transport);
    const seen: unknown[] = [];
    transport.onmessage = (message) => {
      seen.push('id' in message ? message.id : undefined);
      if (seen.length === 1) throw new Error('a fault above');
    };
    for (const id of [1, 2]) await transport.send({ jsonrpc: '2.0', id, method: 'ping' });
    await until(() => seen.length === 2, 10_000);

    expect(seen).toEqual([1, 2]);
    expect(errors).toMatchObject([{ message: 'a fault above' }]);
  });
});

/** The least anybody can do: write a line to the same server, count the bytes that come back. */
async function startReader(): Promise<
  AsyncDisposable & { read(line: string, bytes: number): Promise<number> }
> {
  const child = spawn(process.execPath, [path.join(serverFolder, 'huge-line.mjs')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return {
    read: async (line, bytes) => {
      const startedAt = performance.now();
      let left = bytes;
      const arrived = new Promise<void>((resolve) => {
        const count = (chunk: Buffer): void => {
          left -= chunk.length;
          if (left > 0 || chunk.at(-1) !== 0x0a) return;
          child.stdout.off('data', count);
          resolve();
        };
        child.stdout.on('data', count);
      });
      child.stdin.write(`${line}\n`);
      await arrived;
      return performance.now() - startedAt;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('outgoing messages', () => {
  test('F15: never-reads-stdin: the write queue is bounded, and fails as soon as the server exits', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('never-reads-stdin');
    await startBare(transport);
    await transport.opened;
    const outcomes: string[] = [];
    const sends = Array.from({ length: 20 }, () =>
      transport.send(noticeOf('x'.repeat(1 << 20))).then(
        () => outcomes.push('sent'),
        (error: unknown) => outcomes.push((error as { code: string }).code), // ours all have one
      ),
    );
    await until(() => outcomes.length > 0, 5000);
    expect(new Set(outcomes)).toEqual(new Set(['queue-full']));
    const refused = outcomes.length;
    const closed = closing(transport);
    process.kill(known(transport.pid), 'SIGUSR2');
    await closed;
    const startedAt = performance.now();
    await Promise.all(sends);

    expect(performance.now() - startedAt).toBeLessThan(100);
    expect(refused).toBe(20 - 7);
    expect(outcomes.slice(refused)).toEqual(Array.from({ length: 7 }, () => 'server-exited'));
    expect(transport.end).toEqual({ exitCode: 0, signal: null });
  });

  test('F16: closes-stdin: a broken pipe is the typed end of that connection, and never a crash', async () => {
    await using fixture = await openStdioFixture();
    const runs = Array.from({ length: scaled(5) }, async () => {
      const transport = fixture.transport('closes-stdin', [], { stop: { stdinMs: 20, termMs: 500 } });
      const closed = closing(transport);
      await transport.start();
      await transport.opened;
      const outcome = await transport.send(noticeOf('hello')).then(
        () => transport.send(noticeOf('hello again')).catch((error: unknown) => error),
        (error: unknown) => error,
      );
      await closed;
      await transport.close();
      return { outcome, end: transport.end };
    });

    for (const { outcome, end } of await Promise.all(runs)) {
      expect(outcome).toMatchObject({ code: 'server-exited' });
      expect(end).toMatchObject({
        cause: { code: 'server-exited', message: 'Server "closes-stdin" has closed its standard input' },
      });
    }
    expect(survivors(fixture)).toEqual([]);
  });
});

test('closes-stdout: a server that can say nothing any more is ended', async () => {
  await using fixture = await openStdioFixture();
  const transport = fixture.transport('closes-stdout', [], { stop: { stdinMs: 20, termMs: 500 } });
  const client = await connectClient(transport);
  const outcome = await client.callTool({ name: 'hush' }).catch((error: unknown) => error);
  await transport.close();

  expect(outcome).toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(transport.end).toMatchObject({ reason: 'Server "closes-stdout" has closed its standard output' });
  expect(survivors(fixture)).toEqual([]);
});

describe('what it writes to stderr', () => {
  test('F52: floods-stderr: the last of it is there, in bounded memory and on a bounded disk', async () => {
    await using fixture = await openStdioFixture();
    const transport = fixture.transport('floods-stderr');
    const client = await connectClient(transport);
    const bytes = scaled(96) << 20;
    const before = process.memoryUsage();
    await client.callTool({ name: 'pour', arguments: { bytes } }, { timeout: 600_000 });
    const after = process.memoryUsage();
    await until(() => transport.stderrTail(1) === 'the last line', 10_000);
    await fixture.log('floods-stderr').flush();
    const folder = path.join(fixture.home, 'logs');
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(path.join(folder, name))).size),
    );

    expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(
      64 << 20,
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40_000_000);
    expect(transport.stderrTail(3).split('\n')).toHaveLength(3);
  });

  test('is shown and logged without secrets', async () => {
    await using fixture = await openStdioFixture();
    fixture.redactor.add('DATABASE_URL');
    const transport = fixture.transport('exits-immediately');
    const closed = closing(transport);
    await transport.start();
    await closed;
    await fixture.log('exits-immediately').close();

    expect(transport.stderrTail(1)).toBe('Error: [secret] is not set');
    expect(await readFile(fixture.log('exits-immediately').file, 'utf8')).toBe(
      'reading the configuration\nError: [secret] is not set\n',
    );
  });
});

test('the note on a process shows its command without secrets', async () => {
  await using fixture = await openStdioFixture();
  fixture.redactor.add('sup3r-s3cret');
  const transport = fixture.transport('echo', ['--api-key', 'abcdef123456', '--name=sup3r-s3cret']);
  await connectClient(transport);
  const notes = async (): Promise<readonly unknown[]> =>
    (await fixture.leases.listProcesses()).map(({ command, pid }) => ({ command, pid }));

  // The note is written while the program starts; neither waits for the other.
  await expect.poll(notes, { timeout: 10_000 }).toEqual([
    {
      command: `${process.execPath} ${path.join(serverFolder, 'echo.mjs')} --api-key *** --name=[secret]`,
      pid: transport.pid,
    },
  ]);
});
