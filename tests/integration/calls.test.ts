/** Calls through a host, with servers of both eras: what comes back, what is thrown, what reaches the server. */

import { existsSync, readFileSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import { HoltError } from '../../src/kernel/errors.ts';
import type { ElicitRequest } from '../../src/kernel/interaction.ts';
import { nextEvent, openHostFixture, type HostFixture } from '../support/host-fixture.ts';
import { until } from '../support/processes.ts';

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const allowed = { policy: { default: 'allow' } } as const;
/** What differs from run to run. */
const timeless = <Result extends { readonly ms: number }>(result: Result): Result => ({ ...result, ms: 0 });

let fixture: HostFixture;
let host: Host;
beforeAll(async () => {
  fixture = await openHostFixture();
  host = await fixture.open({
    ...allowed,
    servers: {
      old: fixture.program('sends-content', 'stateful'),
      new: fixture.program('sends-content', 'stateless'),
      gone: { command: path.join(fixture.home, 'not-there') },
      dies: fixture.program('exits-after-one-call'),
    },
  });
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe.each(['old', 'new'])('results of the server %s', (server) => {
  const call: Host['call'] = (tool, args, options) => host.call(`mcp__${server}__${tool}`, args, options);

  test('text, links, notes and attachments are what they were', async () => {
    const { content, ...result } = timeless(await call('mixed'));
    expect(content).toHaveLength(7);
    expect(result).toEqual({
      ok: true,
      text: [
        'first',
        '[image: image-1.jpg, image/jpeg, 2.9 KiB]',
        'the log <file:///var/log/a.log>',
        'a note',
        '[file: a_20b.bin, application/octet-stream, 10 bytes]',
        '[audio: audio-3.wav, audio/wav, 2 bytes]',
        '[content of the unknown type "hologram" was left out]',
      ].join('\n\n'),
      attachments: [
        { mimeType: 'image/jpeg', data: Buffer.alloc(3000, 7).toString('base64'), name: 'image-1.jpg' },
        {
          mimeType: 'application/octet-stream',
          data: Buffer.alloc(10, 7).toString('base64'),
          name: 'a_20b.bin',
        },
        { mimeType: 'audio/wav', data: Buffer.alloc(2, 7).toString('base64'), name: 'audio-3.wav' },
      ],
      server,
      tool: 'mixed',
      agent: 'holt',
      ms: 0,
      meta: { took: 3 },
    });
  });

  test('a tool that says isError is a result that begins with Error', async () => {
    expect(timeless(await call('fails'))).toEqual({
      ok: false,
      text: 'Error: the disk is full',
      content: [{ type: 'text', text: 'the disk is full' }],
      attachments: [],
      error: { code: 'tool-error', message: 'Error: the disk is full' },
      server,
      tool: 'fails',
      agent: 'holt',
      ms: 0,
    });
  });

  test('an error of the protocol is a result that begins with MCP error', async () => {
    const message = 'the server answered with an error: no such disk (-32602)';
    expect(timeless(await call('refuses'))).toEqual({
      ok: false,
      text: `MCP error: ${message}`,
      content: [],
      attachments: [],
      error: { code: 'request-failed', message },
      server,
      tool: 'refuses',
      agent: 'holt',
      ms: 0,
    });
  });

  test('a result that cannot be read is a violation of the protocol to this caller only', async () => {
    const { ok, error } = await call('no_content');
    expect({ ok, code: error?.code }).toEqual({ ok: false, code: 'protocol-violation' });
    expect((await call('half')).ok).toBe(true);
  });

  test('structured content is checked against what was promised, and delivered either way', async () => {
    const good = await call('data');
    const bad = await call('wrong_data');
    expect({ structured: good.structured, meta: good.meta, text: good.text }).toEqual({
      structured: { n: 5 },
      text: '{"n":5}',
    });
    expect(bad.structured).toEqual({ n: 'five' });
    expect(bad.meta?.['holt/output-mismatch']).toEqual([expect.stringContaining('n')]);
  });

  test('a cut character is dropped', async () => {
    expect((await call('half')).text).toBe('a\ufffdb');
  });

  test('10 MB of text arrive completely: cut in the text, and in full in a private file', async () => {
    const { text, content, ok } = await call('long', { bytes: 10_000_000 });
    const [block] = content;
    const file = /is in (.*)\]$/.exec(text)?.[1] ?? '';
    const facts = await stat(file);
    expect({ ok, length: block?.type === 'text' ? block.text.length : 0 }).toEqual({
      ok: true,
      length: 10_000_000,
    });
    expect(text.slice(262_143, 262_220)).toMatch(/^x\n\n\[9737856 of 10000000 bytes are left out here; /);
    expect({ size: facts.size, mode: facts.mode & 0o777 }).toEqual({ size: 10_000_000, mode: 0o600 });
  });

  test('a text is cut between characters', async () => {
    const { text } = await call('long', { bytes: 300_000, unit: '€' });
    const file = /is in (.*)\]$/.exec(text)?.[1] ?? '';
    expect(text.isWellFormed()).toBe(true);
    expect(text.slice(0, text.indexOf('\n\n['))).toBe('€'.repeat(Math.floor(262_144 / 3)));
    expect(textOf(file)).toBe('€'.repeat(100_000));
  });

  test('an image of 5 MB arrives completely', async () => {
    const { attachments, text } = await call('image', { bytes: 5_000_000 });
    expect(attachments[0]?.data.length).toBe(Math.ceil(5_000_000 / 3) * 4);
    expect(text).toBe('[image: image-1.png, image/png, 4.8 MiB]');
  });

  test('T60 many thousand blocks are one result', async () => {
    const { text, content } = await call('blocks', { count: 100_000 });
    expect({ count: content.length, isCut: text.length < 300_000 }).toEqual({ count: 100_000, isCut: true });
  });

  test('the raw response of the server is returned unchanged', async () => {
    expect(await host.callRaw(`mcp__${server}__fails`)).toMatchObject({
      content: [{ type: 'text', text: 'the disk is full' }],
      isError: true,
    });
    await expect(host.callRaw(`mcp__${server}__refuses`)).rejects.toMatchObject({ code: 'request-failed' });
  });

  test('slightly wrong arguments are corrected, and the result says so', async () => {
    const { text, repaired } = await call('arguments', { n: '5', tags: '["a"]' });
    expect({ args: JSON.parse(text) as unknown, count: repaired?.length }).toEqual({
      args: { n: 5, tags: ['a'] },
      count: 2,
    });
  });

  test('wrong arguments throw an error with what was expected, and are not sent', async () => {
    await expect(call('arguments', { n: 'five' })).rejects.toMatchObject({
      code: 'arguments-invalid',
      details: { tool: `mcp__${server}__arguments`, errors: [{ path: 'n' }] },
    });
  });

  test('an abort reaches the server and rejects the call within 100 ms', async () => {
    const file = path.join(fixture.home, `${server}-cancelled.txt`);
    const stop = new AbortController();
    const calling = call(
      'hang',
      { file, progressMs: 20 },
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    stop.signal.addEventListener('abort', () => {
      at = performance.now();
    });
    let at = 0;
    const error = await calling.catch((thrown: unknown) => thrown);
    expect(performance.now() - at).toBeLessThan(100);
    expect(HoltError.is(error, 'call-aborted') && error.details).toEqual({
      server,
      tool: 'hang',
    });
    expect(error).toHaveProperty('name', 'ToolAborted');
    await until(() => textOf(file) === 'cancelled\n', 5000);
  });

  test('progress extends the idle timeout, not the total timeout', async () => {
    let heard = 0;
    const onProgress = (): void => void (heard += 1);
    const { ok, error } = await call('hang', { progressMs: 50 }, { timeoutMs: 400, onProgress });
    expect({ ok, code: error?.code, wasLong: heard > 3 }).toEqual({
      ok: false,
      code: 'call-timeout',
      wasLong: true,
    });
    expect(error?.message).toContain('took longer than 0.4 s');
  });

  test('every call emits an event, without arguments and results', async () => {
    const told = nextEvent(
      host,
      'mcp.tool.called',
      (event) => event.server === server && event.tool === 'fails',
    );
    await call('fails');
    expect(await told).toEqual({
      server,
      tool: 'fails',
      name: `mcp__${server}__fails`,
      ms: expect.any(Number),
      ok: false,
      at: expect.any(String),
      id: expect.any(Number),
    });
  });
});

describe('what is thrown and what is a result', () => {
  test('an unknown name throws an error with the nearest name', async () => {
    await expect(host.call('mcp__old__fial')).rejects.toMatchObject({
      code: 'tool-not-found',
      details: { tool: 'mcp__old__fial', nearest: 'mcp__old__fails' },
    });
  });

  test('a server that cannot be started is a result of the tool that was asked for', async () => {
    const result = await host.call('mcp__gone__anything');
    expect(timeless(result)).toEqual({
      ok: false,
      text: expect.stringMatching(/^MCP error: /),
      content: [],
      attachments: [],
      error: { code: 'program-missing', message: expect.any(String) },
      server: 'gone',
      tool: 'anything',
      agent: 'holt',
      ms: 0,
    });
  });

  test('a server that no longer starts is a result with the tool’s own name, its agent and the time it took', async () => {
    const [serverFile = ''] = fixture.program('named-tools').args;
    const program = path.join(fixture.home, 'program.mjs');
    await writeFile(program, `import ${JSON.stringify(pathToFileURL(serverFile).href)};`);
    const servers = { s: { command: process.execPath, args: [program, 'read.file'] } };
    const first = await fixture.open({ ...allowed, servers });
    expect((await first.tools()).map(({ name }) => name)).toEqual(['mcp__s__read_file']);
    await first.close();
    await rm(program);

    const next = await fixture.open({ ...allowed, servers });
    const { ok, error, server, tool, agent, ms } = await next.call('mcp__s__read_file');
    expect({ ok, code: error?.code, server, tool, agent, tookTime: ms > 0 }).toEqual({
      ok: false,
      code: 'connect-failed',
      server: 's',
      tool: 'read.file',
      agent: 'holt',
      tookTime: true,
    });
  });

  test('a connection that breaks in the middle of a call is a result', async () => {
    await host.tools({ server: 'dies' });
    const { ok, error } = await host.call('mcp__dies__die');
    expect({ ok, code: error?.code }).toEqual({ ok: false, code: 'connection-lost' });
  });

  test('a server that is disabled is thrown, and so is a host that is closed', async () => {
    const other = await fixture.open({
      ...allowed,
      servers: { off: { ...fixture.program('echo'), enabled: false } },
    });
    await expect(other.call('mcp__off__echo')).rejects.toMatchObject({ code: 'server-disabled' });
    await other.close();
    await expect(other.call('mcp__off__echo')).rejects.toMatchObject({ code: 'host-closed' });
  });

  test('spilled results are deleted with the host', async () => {
    const other = await fixture.open({ ...allowed, servers: { s: fixture.program('sends-content') } });
    const { text } = await other.call('mcp__s__long', { bytes: 300_000 });
    const file = /is in (.*)\]$/.exec(text)?.[1] ?? '';
    expect((await stat(file)).size).toBe(300_000);
    await other.close();
    await expect(stat(path.dirname(file))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('permission', () => {
  test('a call that needs permission is denied without a handler, and the error names the option', async () => {
    const other = await fixture.open({ servers: { s: fixture.program('sends-content') } });
    await expect(other.call('mcp__s__fails')).rejects.toMatchObject({
      code: 'call-denied',
      details: { server: 's', tool: 'fails', decision: 'ask' },
      remedy: expect.stringContaining('interaction.askPermission'),
    });
    expect((await other.call('mcp__s__fails', {}, { asked: true })).ok).toBe(false);
  });

  test('"for this run" is asked one time, "once" each time, and a refusal denies the call', async () => {
    const answers = ['once', 'deny', 'run'] as const;
    const questions: unknown[] = [];
    const other = await fixture.open({
      servers: { s: fixture.program('sends-content') },
      interaction: {
        askPermission: async (question) => {
          questions.push(question);
          return answers[questions.length - 1] ?? 'deny';
        },
      },
    });
    const call = (): Promise<string> =>
      other.call('mcp__s__arguments', { n: 1 }).then(
        ({ text }) => text,
        (error: HoltError) => error.code,
      );
    expect([await call(), await call(), await call(), await call()]).toEqual([
      '{"n":1}',
      'call-denied',
      '{"n":1}',
      '{"n":1}',
    ]);
    expect(questions).toHaveLength(3);
    expect(questions[0]).toEqual({
      server: 's',
      tool: 'arguments',
      name: 'mcp__s__arguments',
      title: 'What it was given',
      arguments: { n: 1 },
      reason: expect.stringContaining('the default is ask'),
    });
  });

  test('always is written to the user’s settings, and holds for the next host', async () => {
    const servers = { s: fixture.program('sends-content') };
    const first = await fixture.open({ servers, interaction: { askPermission: async () => 'always' } });
    expect((await first.call('mcp__s__arguments')).ok).toBe(true);
    await first.close();
    const next = await fixture.open({ servers });
    expect((await next.call('mcp__s__arguments')).ok).toBe(true);
    await expect(next.call('mcp__s__fails')).rejects.toMatchObject({ code: 'call-denied' });
  });

  test('what is denied is listed with its decision and starts no server', async () => {
    const servers = { s: fixture.program('sends-content') };
    const other = await fixture.open({ servers, policy: { default: 'allow', deny: ['mcp__s__fails'] } });
    const decisions = (await other.tools()).map(({ tool, decision }) => [tool, decision]);
    expect(Object.fromEntries(decisions)).toMatchObject({ fails: 'deny', mixed: 'allow' });
    await expect(other.call('mcp__s__fails', {}, { asked: true })).rejects.toMatchObject({
      code: 'call-denied',
      details: { decision: 'deny', rule: 'mcp__s__fails' },
    });
    expect(await other.explain('s.fails')).toEqual({
      name: 'mcp__s__fails',
      server: 's',
      tool: 'fails',
      decision: 'deny',
      rule: { text: 'mcp__s__fails' },
      reason: expect.stringContaining('mcp__s__fails'),
    });
  });
});

describe.each(['stateful', 'stateless'])('questions of a %s server', (era) => {
  const form = {
    message: 'Who?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  };
  const ask = (asking: Host, method: string, params: object, more: object = {}): Promise<unknown> =>
    asking.call('mcp__a__ask', { method, params, ...more }).then(({ text }) => JSON.parse(text) as unknown);
  const open = (interaction: Parameters<HostFixture['open']>[0] = {}): Promise<Host> =>
    fixture.open({ ...allowed, servers: { a: fixture.program('asks-questions', era) }, ...interaction });

  test('a form is answered by the host’s handler, or by the call’s own', async () => {
    const seen: ElicitRequest[] = [];
    const asking = await open({
      interaction: {
        elicit: async (request) => {
          seen.push(request);
          return { action: 'accept', content: { name: 'host' } };
        },
      },
    });
    expect(await ask(asking, 'elicitation/create', form)).toEqual({
      action: 'accept',
      content: { name: 'host' },
    });
    expect(seen).toEqual([{ server: 'a', mode: 'form', ...form }]);
    const own = await asking.call(
      'mcp__a__ask',
      { method: 'elicitation/create', params: form },
      { onElicit: async () => ({ action: 'accept', content: { name: 'call' } }) },
    );
    expect(JSON.parse(own.text)).toEqual({ action: 'accept', content: { name: 'call' } });
  });

  test('without a handler it is cancelled, and the call continues', async () => {
    const asking = await open();
    expect(await ask(asking, 'elicitation/create', form)).toEqual({ action: 'cancel' });
  });

  test('a handler that throws or returns an invalid answer cancels, and is reported', async () => {
    const answers = [undefined, 'accept', { action: 'bogus' }, new Error('gone')];
    const asking = await open({
      interaction: {
        elicit: async () => {
          const answer = answers.shift();
          if (answer instanceof Error) throw answer;
          return answer as never; // what a program in plain JavaScript may do
        },
      },
    });
    const warnings: string[] = [];
    asking.on('mcp.warning', ({ code, message }) => warnings.push(`${code}: ${message}`));
    while (answers.length > 0)
      expect(await ask(asking, 'elicitation/create', form)).toEqual({ action: 'cancel' });
    const unanswered = 'elicitation-refused: A question from "a" was not answered:';
    const odd = `${unanswered} the handler returned none of accept, decline and cancel`;
    expect(warnings).toEqual([odd, odd, odd, `${unanswered} the handler failed`]);
  });

  test('defaults fill what was left out, and what does not fit is not sent', async () => {
    const properties = { name: { type: 'string', default: 'Ada' }, age: { type: 'integer', default: 36 } };
    const params = { message: 'Who?', requestedSchema: { type: 'object', properties } };
    const contents = [{ name: 'Grace' }, { age: 'old' }];
    const asking = await open({
      interaction: { elicit: async () => ({ action: 'accept', content: contents.shift() ?? {} }) },
    });
    expect(await ask(asking, 'elicitation/create', params)).toEqual({
      action: 'accept',
      content: { name: 'Grace', age: 36 },
    });
    expect(await ask(asking, 'elicitation/create', params)).toEqual({ action: 'cancel' });
  });

  test('T58 a form that asks for a secret and a page that is none are declined unasked; a look-alike host is shown as it is', async () => {
    const seen: ElicitRequest[] = [];
    const warnings: string[] = [];
    const asking = await open({
      interaction: {
        elicit: async (request) => {
          seen.push(request);
          return { action: 'accept' };
        },
      },
    });
    asking.on('mcp.warning', ({ code }) => warnings.push(code));
    const secret = {
      message: 'Log in',
      requestedSchema: { type: 'object', properties: { password: { type: 'string' } } },
    };
    const page = (url: string): object => ({ mode: 'url', message: 'Go', url, elicitationId: '1' });
    expect(await ask(asking, 'elicitation/create', secret)).toEqual({ action: 'decline' });
    expect(await ask(asking, 'elicitation/create', page('file:///etc/passwd'))).toEqual({
      action: 'decline',
    });
    expect(await ask(asking, 'elicitation/create', page('https://аpple.com/login'))).toEqual({
      action: 'accept',
    });
    expect(seen).toEqual([
      { server: 'a', mode: 'url', message: 'Go', url: 'https://xn--pple-43d.com/login' },
    ]);
    expect(warnings).toEqual(['elicitation-refused', 'elicitation-refused']);
  });

  test('roots are the project, or what the host says', async () => {
    expect(await ask(await open(), 'roots/list', {})).toEqual({
      roots: [{ uri: expect.stringContaining(path.basename(fixture.home)) }],
    });
    const roots = [{ uri: 'file:///a', name: 'a' }];
    expect(await ask(await open({ interaction: { roots: async () => roots } }), 'roots/list', {})).toEqual({
      roots,
    });
  });

  test('a completion is asked of the host’s model', async () => {
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 };
    const answer = { model: 'm', role: 'assistant', content: { type: 'text', text: 'Hello' } };
    const asking = await open({
      interaction: { sample: async ({ params: given }) => (given['maxTokens'] === 5 ? answer : undefined) },
    });
    expect(await ask(asking, 'sampling/createMessage', params)).toEqual(answer);
  });

  test('T59 sampling without a handler is declined, with one notice for all requests', async () => {
    const params = { messages: [], maxTokens: 5 };
    const warnings: string[] = [];
    const asking = await open();
    asking.on('mcp.warning', ({ code }) => warnings.push(code));
    const many = Array.from({ length: 20 }, () =>
      asking.call('mcp__a__ask', { method: 'sampling/createMessage', params, times: 5 }),
    );
    const texts = (await Promise.all(many)).map(({ text }) => text);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('not offered');
    expect(warnings).toEqual(['sampling-off']);
  });
});

test('with two calls in flight a stateful server’s question goes to the host', async () => {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const host2 = await fixture.open({
    ...allowed,
    servers: { a: fixture.program('asks-questions', 'stateful'), b: fixture.program('sends-content') },
    interaction: {
      elicit: async () => {
        asked.push('host');
        await new Promise<void>((resolve) => {
          answers.push(resolve);
          if (answers.length === 2) for (const go of answers) go();
        });
        return { action: 'decline' };
      },
    },
  });
  const params = {
    method: 'elicitation/create',
    params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
  };
  await host2.tools();
  const onElicit = async (): Promise<{ action: 'decline' }> => {
    asked.push('call');
    return { action: 'decline' };
  };
  await Promise.all([
    host2.call('mcp__a__ask', params, { onElicit }),
    host2.call('mcp__a__ask', params, { onElicit }),
  ]);
  expect(asked).toEqual(['host', 'host']);
});

describe.each(['stateful', 'stateless'])('tasks of a %s server', (era) => {
  test('a call that becomes a task is waited for; one that fails is a result; one that is aborted is cancelled', async () => {
    const file = path.join(fixture.home, `${era}-tasks.txt`);
    const tasks = await fixture.open({
      ...allowed,
      servers: { t: fixture.program('runs-tasks', era, file) },
    });
    const both = [tasks.call('mcp__t__work', { polls: 2 }), tasks.call('mcp__t__work', { polls: 1 })];
    expect((await Promise.all(both)).map(({ ok, text }) => ({ ok, text }))).toEqual([
      { ok: true, text: 'the task is done' },
      { ok: true, text: 'the task is done' },
    ]);
    const broken = await tasks.call('mcp__t__work', { end: 'failed' });
    expect({ ok: broken.ok, text: broken.text }).toEqual({
      ok: false,
      text: expect.stringContaining('the task broke'),
    });
    const stop = new AbortController();
    const waiting = tasks.call('mcp__t__work', { polls: 1_000_000 }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    await expect(waiting).rejects.toMatchObject({ code: 'call-aborted' });
    await until(() => textOf(file) === 'task-4\n', 5000);
  });
});
