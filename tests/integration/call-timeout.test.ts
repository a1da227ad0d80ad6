/** The time that a caller gives a call: it is for all of the call, and for nothing that a person does in it. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { toChatTools } from '../../src/bridges/openai.ts';
import type { Host, HostCallOptions } from '../../src/host/host.ts';
import type { ToolResult } from '../../src/results/tool-result.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { nextStatus, openHostFixture, type HostFixture } from '../support/host-fixture.ts';
import { until } from '../support/processes.ts';

/** Less than any other limit: servers start and answer for real, and only the test moves the time. */
const timeoutMs = 4000;
/** Lists are shown without the servers that have not answered by then. */
const longestListWaitMs = 2000;
const clock = createFakeClock();
const parts = { clock, wallNow: () => clock.now(), backoff: { firstMs: 20 } };

/** The server called coming starts once this file exists. */
const gateOf = ({ home }: HostFixture): string => path.join(home, 'gate');

let fixture: HostFixture;
let host: Host;
beforeAll(async () => {
  fixture = await openHostFixture();
  const servers = {
    never: fixture.program('gated-start', '60000'),
    coming: fixture.program('gated-start', gateOf(fixture)),
    busy: fixture.program('gated-start'),
    crashes: fixture.program('gated-start', '0', fixture.startsFile),
    old: fixture.program('asks-questions', 'stateful'),
    new: fixture.program('asks-questions', 'stateless'),
  };
  const timeouts = { totalMs: 20_000 };
  host = await fixture.open({ policy: { default: 'allow' }, servers, timeouts }, parts);
  await Promise.all(['busy', 'crashes', 'old', 'new'].map((name) => host.connect(name)));
});
afterAll(async () => {
  let isClosed = false;
  const close = async (): Promise<void> => {
    await fixture[Symbol.asyncDispose]();
    isClosed = true;
  };
  const closing = close();
  // Programs that do not listen get some time before they are ended.
  await until(() => {
    void clock.advance(500);
    return isClosed;
  }, 10_000);
  await closing;
});

const timedOut = (server: string, where: string) => ({
  code: 'call-timeout',
  message: `The call to "${server}" took longer than 4 s and was cancelled${where}`,
});
const starting = ' while the server was still starting';
const hold = (key: string, options: HostCallOptions): Promise<ToolResult> =>
  host.call('mcp__busy__hold', { key }, options);
const seen = async (server: string): Promise<string> => (await host.call(`mcp__${server}__seen`)).text;

describe('the time of a call ends', () => {
  test('while its server starts, which continues for others, and the server receives no request', async () => {
    const begun = nextStatus(host, 'coming', 'connecting');
    const late = host.call('mcp__coming__hold', { key: 'late' }, { timeoutMs });
    await begun;
    const patient = host.call('mcp__coming__seen');
    await clock.advance(timeoutMs);
    const error = timedOut('coming', starting);
    expect(await late).toEqual({
      ok: false,
      text: `MCP error: ${error.message}`,
      content: [],
      attachments: [],
      error,
      server: 'coming',
      tool: 'hold',
      agent: 'holt',
      ms: timeoutMs,
    });
    expect(host.status()['coming']).toMatchObject({ status: 'connecting' });
    await writeFile(gateOf(fixture), '');
    expect(await patient).toMatchObject({ ok: true, text: '' });
    expect(await seen('coming')).toBe('');
  });

  test('while a server that crashed is started again', async () => {
    expect(await host.call('mcp__crashes__die')).toMatchObject({ error: { code: 'connection-lost' } });
    const late = host.call('mcp__crashes__seen', {}, { timeoutMs });
    await clock.advance(20);
    await until(() => 'phase' in (host.status()['crashes'] ?? {}), 5000);
    await clock.advance(timeoutMs - 20);
    expect((await late).error).toEqual(timedOut('crashes', starting));
    expect(host.status()['crashes']).toMatchObject({ status: 'connecting' });
  });

  test('while it is queued, and the next call takes its place', async () => {
    const stops = Array.from({ length: 64 }, () => new AbortController());
    const inside = Promise.allSettled(stops.map(({ signal }, at) => hold(String(at), { signal })));
    const [late, next] = [hold('late', { timeoutMs }), host.call('mcp__busy__seen')];
    await clock.advance(timeoutMs);
    expect((await late).error).toEqual(timedOut('busy', ' while it waited for its turn'));
    stops[0]?.abort();
    expect((await next).text).toBe(stops.map((_, at) => at).join(' '));
    for (const stop of stops) stop.abort();
    await inside;
  });

  test('while the server is silent, as it did', async () => {
    const late = hold('sent', { timeoutMs });
    await clock.advance(timeoutMs);
    expect((await late).error).toEqual(timedOut('busy', ''));
    expect(await seen('busy')).toMatch(/ sent$/);
    const nullMs = JSON.parse('{"timeoutMs":null}') as HostCallOptions; // what is null was left out
    expect(await host.call('mcp__busy__seen', {}, nullMs)).toMatchObject({ ok: true });
  });

  test('for the server’s own answer, a bridge’s tool, one of holt’s own, and the search for one', async () => {
    const begun = nextStatus(host, 'never', 'connecting');
    const tools = toChatTools(host, { search: true });
    await begun;
    await clock.advance(longestListWaitMs);
    const { dispatch } = await tools;
    const raw = host.callRaw('mcp__never__seen', {}, { timeoutMs }).catch((error: unknown) => error);
    const call = { name: 'call_tool', arguments: '{"name":"mcp__never__seen"}' };
    const bridged = dispatch({ type: 'function', id: '1', function: call }, { timeoutMs });
    const own = host.call('list_mcp_resources', { server: 'never' }, { timeoutMs });
    const found = host.findTool('never.seen', { timeoutMs }).catch((error: unknown) => error);
    await clock.advance(timeoutMs);
    expect(await raw).toMatchObject({
      ...timedOut('never', starting),
      details: { server: 'never', limit: 'total', afterMs: timeoutMs },
    });
    expect(await found).toMatchObject({ code: 'call-timeout' });
    expect((await bridged).content).toContain(' took longer than 4 s and was cancelled');
    expect(await own).toMatchObject({ ok: false, error: timedOut('holt', ''), server: 'holt' });
  });
});

describe('what is not counted', () => {
  const thinkLong = (): Promise<void> => clock.advance(timeoutMs + 500);

  test.each(['old', 'new'])('the time in which the server %s asks a person', async (server) => {
    const params = { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
    const ask = (onElicit: NonNullable<HostCallOptions['onElicit']>): Promise<ToolResult> =>
      host.call(`mcp__${server}__ask`, { method: 'elicitation/create', params }, { timeoutMs, onElicit });
    const answered = await ask(async () => {
      await thinkLong();
      return { action: 'accept' };
    });
    expect(answered).toMatchObject({ ok: true, text: '{"action":"accept","content":{}}' });

    // A question that nobody answers ends with the time that the server's calls have at all.
    const forgotten = await ask(() => {
      void clock.advance(20_000);
      return new Promise(() => undefined);
    });
    expect(forgotten.error?.message).toBe(`The call to "${server}" took longer than 20 s and was cancelled`);
  });

  test('the time in which a person is asked for a value or for permission, or a hook looks', async () => {
    const project = path.join(fixture.home, 'code');
    await mkdir(path.join(project, '.vscode'), { recursive: true });
    const echo = { ...fixture.program('echo'), env: { KEY: '${input:key}' } };
    const inputs = [{ id: 'key', type: 'promptString', description: 'API key', password: true }];
    const file = path.join(project, '.vscode', 'mcp.json');
    await writeFile(file, JSON.stringify({ inputs, servers: { echo } }), { mode: 0o600 });
    const asked: string[] = [];
    const answer =
      <Value>(what: string, value: Value) =>
      async (): Promise<Value> => {
        asked.push(what);
        await thinkLong();
        return value;
      };
    const interaction = {
      confirmTrust: () => Promise.resolve('allow' as const),
      askPermission: answer('permission', 'once' as const),
    };
    const first = await fixture.open({ cwd: project, interaction }, parts);
    await first.connect('echo');
    await first.close();
    const hooks = { 'tool.execute.before': answer('hook', undefined) };
    const asking = await fixture.open(
      { cwd: project, interaction: { ...interaction, askSecret: answer('value', 's3cret-value') }, hooks },
      parts,
    );
    const call = await asking.call('mcp__echo__echo', { text: 'x' }, { timeoutMs });
    expect(call).toMatchObject({ ok: true, text: 'x' });
    expect(asked).toEqual(['value', 'permission', 'hook']);
  });
});
