/** Every route of the API: what it answers, and what it answers to those who ask wrongly or may not ask. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { errorBody } from '../../src/api/contract/server-schemas.ts';
import { routes, type Route, type RouteKey } from '../../src/api/contract.ts';
import { check } from '../../src/api/contract/check.ts';
import {
  openServiceFixture,
  type AskGiven,
  type RawAnswer,
  type ServiceFixture,
} from '../support/service-fixture.ts';
import { serverFolder } from '../support/stdio-fixture.ts';

interface Sample {
  /** What is asked; logins have a file of their own. */
  readonly good: AskGiven | 'elsewhere';
  /** The answer, whole; left out where the schema and a later test say enough. */
  readonly answer?: unknown;
  /** Does not fit the schema. */
  readonly wrong?: readonly AskGiven[];
  /** Names something that is not there. */
  readonly unknown?: AskGiven;
}

const echo = { command: process.execPath, args: [`${serverFolder}/echo.mjs`] };
const connected = { status: 'connected' };
const nobody = { name: 'no body' };
const tool = 'mcp__echo__echo';

/** In this order: some change what the next ones see. */
const samples: { readonly [Key in RouteKey]: Sample } = {
  'GET /health': { good: {}, answer: { ok: true } },
  'GET /': { good: {} },
  'GET /openapi.json': { good: {} },
  'GET /metrics': { good: {} },
  'GET /mcp': { good: {}, answer: { echo: connected, other: { status: 'idle' } } },
  'POST /mcp/:name/connect': { good: {}, answer: connected, unknown: nobody, wrong: [{ body: { x: 1 } }] },
  'GET /mcp/:name': { good: {}, unknown: nobody },
  'GET /mcp/:name/logs': {
    good: { query: 'lines=5' },
    answer: { server: 'echo', lines: [] },
    unknown: nobody,
    wrong: [{ query: 'lines=0' }, { query: 'lines=x' }, { query: 'lines=10001' }],
  },
  'GET /tools': {
    good: { query: 'search=echo&limit=1' },
    wrong: [{ query: 'limit=-1' }],
    unknown: { query: 'server=nobody' },
  },
  'POST /tools/:name/call': {
    good: { name: tool, body: { arguments: { text: 'hello' } } },
    unknown: { name: 'mcp__echo__nothing', body: {} },
    wrong: [
      { name: tool, body: { arguments: 'text' } },
      { name: tool, body: { argument: {} } },
      { name: tool, body: { arguments: { text: { deep: true } } } },
      { name: tool, body: [] },
    ],
  },
  'GET /resources': { good: { query: 'server=echo' }, unknown: { query: 'server=nobody' } },
  'GET /resources/read': {
    good: { query: 'server=echo&uri=echo%3A%2F%2Fgreeting' },
    unknown: { query: 'server=nobody&uri=x' },
    wrong: [{ query: 'server=echo' }, { query: 'uri=x' }, {}],
  },
  'GET /prompts': { good: {}, unknown: { query: 'server=nobody' } },
  'POST /prompts/get': {
    good: { body: { server: 'echo', name: 'greet' } },
    unknown: { body: { server: 'nobody', name: 'greet' } },
    wrong: [
      {},
      { body: { server: 'echo' } },
      { body: { server: 'echo', name: 'greet', arguments: { a: 1 } } },
    ],
  },
  'GET /icon.svg': { good: {} },
  'GET /policy': { good: {} },
  'GET /problems': { good: {}, answer: { problems: [] } },
  'POST /reload': {
    good: {},
    answer: { added: [], removed: [], changed: [] },
    wrong: [{ body: { all: true } }],
  },
  'POST /trust': {
    good: 'elsewhere',
    unknown: { body: { server: 'nobody', decision: 'allow', digest: 'x' } },
    wrong: [
      {},
      { body: { server: 'echo' } },
      { body: { server: 'echo', decision: 'maybe' } },
      { body: { question: 'q' } },
    ],
  },
  'POST /mcp/:name/disconnect': { good: { name: 'echo' }, answer: { status: 'idle' }, unknown: nobody },
  'POST /mcp/:name/reload': { good: {}, answer: connected, unknown: nobody },
  'POST /mcp/:name/disable': { good: { name: 'other' }, answer: { status: 'disabled' }, unknown: nobody },
  'POST /mcp/:name/enable': { good: { name: 'other' }, answer: { status: 'idle' }, unknown: nobody },
  'POST /mcp': {
    good: { body: { name: 'added', config: echo } },
    answer: { echo: connected, other: { status: 'idle' }, added: connected },
    wrong: [
      {},
      { body: { name: 'x' } },
      { body: { name: '', config: echo } },
      { body: { name: 'x', config: 'echo' } },
      { body: { name: 'x', config: {} } },
      { body: { name: 'a\u0007', config: echo } },
      { body: { name: 'x', config: { command: 5 } } },
      { body: { name: 'x', config: echo, more: true } },
    ],
  },
  'DELETE /mcp/:name': {
    good: { name: 'added' },
    answer: { echo: connected, other: { status: 'idle' } },
    unknown: nobody,
  },
  'POST /mcp/:name/auth': { good: 'elsewhere', unknown: nobody, wrong: [{ body: { scope: 1 } }] },
  'POST /mcp/:name/auth/callback': {
    good: 'elsewhere',
    unknown: { ...nobody, body: { code: 'x', state: 'y' } },
    wrong: [{}, { body: { state: 'x' } }, { body: { code: '' } }],
  },
  'POST /mcp/:name/auth/authenticate': {
    good: 'elsewhere',
    unknown: nobody,
    wrong: [{ body: { flow: 'telepathy' } }],
  },
  'DELETE /mcp/:name/auth': { good: 'elsewhere', unknown: nobody },
  'POST /session': { good: 'elsewhere', wrong: [{}, { body: { code: 5 } }, { body: { code: '' } }] },
  'GET /events': { good: 'elsewhere' },
};
const keys = Object.keys(samples) as RouteKey[]; // the table has exactly these

let api: ServiceFixture;
beforeAll(async () => {
  api = await openServiceFixture({
    host: { servers: { echo, other: { ...echo, env: { OTHER: 'yes' } } }, policy: { default: 'allow' } },
  });
  await api.service.host.connect('echo');
});
afterAll(() => api[Symbol.asyncDispose]());

/** Status and whether the body is an error as it should be. */
function told({ status, json }: RawAnswer): readonly [number, boolean] {
  return [status, check(errorBody, json).ok];
}
const routeOf = (key: RouteKey): Route => routes[key];
const goodOf = (key: RouteKey): AskGiven => {
  const { good } = samples[key];
  return good === 'elsewhere' ? {} : good;
};

describe('every route', () => {
  test.each(keys.filter((key) => samples[key].good !== 'elsewhere'))(
    '%s answers what its schema says',
    async (key) => {
      const { kind, answer: schema } = routeOf(key);
      const given = await api.ask(key, goodOf(key));
      const isText = kind !== undefined && ['text', 'html', 'svg'].includes(kind);
      const value = isText ? given.text : given.json;
      expect([given.status, check(schema, value)]).toEqual([200, { ok: true }]);
      expect(given.json).toEqual(samples[key].answer ?? given.json);
    },
  );

  test.each(keys.filter((key) => samples[key].wrong !== undefined))(
    '%s refuses what does not fit its schema',
    async (key) => {
      for (const given of samples[key].wrong ?? [])
        expect(told(await api.ask(key, given))).toEqual([422, true]);
    },
  );

  test.each(keys.filter((key) => samples[key].unknown !== undefined))(
    '%s says so when there is nothing of that name',
    async (key) => {
      expect(told(await api.ask(key, samples[key].unknown))).toEqual([404, true]);
    },
  );

  test.each(keys.filter((key) => routeOf(key).scope !== undefined))(
    '%s needs a token, and one of ours',
    async (key) => {
      expect(told(await api.ask(key, { ...goodOf(key), token: undefined }))).toEqual([401, true]);
      expect(told(await api.ask(key, { ...goodOf(key), token: `holt_${'x'.repeat(43)}` }))).toEqual([
        401,
        true,
      ]);
    },
  );

  const below = { call: 'read', admin: 'call', trust: 'admin', read: 'read' } as const;
  test.each(keys.filter((key) => !['read', undefined].includes(routeOf(key).scope)))(
    '%s needs its scope',
    async (key) => {
      const token = api.tokens[below[routeOf(key).scope ?? 'read']];
      expect(told(await api.ask(key, { ...goodOf(key), token }))).toEqual([403, true]);
    },
  );
});

test('a route that does not exist is 404, and a method that it does not have 405', async () => {
  const token = api.tokens.read;
  expect(told(await api.raw({ path: '/nothing', token }))).toEqual([404, true]);
  expect(told(await api.raw({ path: '/mcp', method: 'PATCH', token }))).toEqual([405, true]);
});

test('the page names its icon, which is an image', async () => {
  const page = await api.raw({ path: '/' });
  expect(page.text).toContain('<link rel="icon" href="/icon.svg">');
  const icon = await api.raw({ path: '/icon.svg' });
  expect(icon.headers['content-type']).toBe('image/svg+xml');
  expect(icon.text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
});

test('a body that is not JSON is 400', async () => {
  const headers = { 'content-type': 'application/json' };
  const ask = { path: '/mcp', method: 'POST', token: api.tokens.trust, headers };
  expect(told(await api.raw({ ...ask, body: '{"name":' }))).toEqual([400, true]);
  expect(told(await api.raw({ ...ask, body: '{"name": "\u0000' }))).toEqual([400, true]);
});

test('names are percent-encoded, whatever they hold', async () => {
  const answer = await api.ask('GET /mcp/:name', { name: 'a/b?c#d e%2F' });
  expect(answer.json).toMatchObject({
    error: { message: expect.stringContaining('a/b?c#d e%2F') as string },
  });
});

describe('as opencode’s clients use it', () => {
  test('a server in opencode’s shape is added, connected and listed with the others', async () => {
    const config = { type: 'local', command: [echo.command, ...echo.args], enabled: true };
    const added = await api.ask('POST /mcp', { body: { name: 'oc', config }, query: 'directory=%2Ftmp' });
    expect([added.status, added.json]).toEqual([
      200,
      { echo: connected, other: { status: 'idle' }, oc: connected },
    ]);
    expect((await api.ask('GET /mcp', { query: 'directory=%2Ftmp' })).json).toEqual(added.json);
  });

  test('one that is switched off is added and not started', async () => {
    const config = { type: 'local', command: ['nothing'], enabled: false };
    const { json } = await api.ask('POST /mcp', { body: { name: 'off', config } });
    expect(json).toMatchObject({ off: { status: 'disabled' } });
  });

  test('one that cannot start is an answer, not an error', async () => {
    const config = { type: 'local', command: ['/nothing/here'] };
    const { status, json } = await api.ask('POST /mcp', { body: { name: 'bad', config } });
    expect([status, json]).toEqual([
      200,
      expect.objectContaining({ bad: { status: 'failed', error: expect.any(String) as string } }),
    ]);
  });

  test('the same name again replaces the earlier server', async () => {
    const before = (await api.ask('POST /mcp', { body: { name: 'twice', config: { command: '/nothing' } } }))
      .json;
    const after = (await api.ask('POST /mcp', { body: { name: 'twice', config: echo } })).json;
    expect([before, after]).toEqual([
      expect.objectContaining({ twice: expect.objectContaining({ status: 'failed' }) as object }),
      expect.objectContaining({ twice: connected }),
    ]);
  });
});

describe('a call', () => {
  test('returns a result, and a tool that reports failure is a result too', async () => {
    const client = api.client('call');
    const result = await client.send('POST /tools/:name/call', {
      params: { name: tool },
      body: { arguments: { text: 'x' } },
    });
    expect(result).toMatchObject({ ok: true, text: 'x', server: 'echo', tool: 'echo' });
  });

  test('as a stream sends its result as the last message', async () => {
    const answer = await api.raw({
      method: 'POST',
      path: `/tools/${tool}/call`,
      token: api.tokens.call,
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { text: 'streamed' } }),
    });
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(answer.text).toMatch(/^event: result\ndata: \{"ok":true,"text":"streamed".*\}\n\n$/);
  });

  test('as a stream sends an error as a message, because the status line is already sent', async () => {
    await expect(api.client('call').callTool('mcp__echo__nothing', {})).rejects.toMatchObject({
      code: 'tool-not-found',
    });
  });
});

describe('HEAD', () => {
  test('asks for health as GET does, and gets no body', async () => {
    const [got, asked] = [
      await api.raw({ path: '/health' }),
      await api.raw({ method: 'HEAD', path: '/health' }),
    ];
    const { date: _got, ...headers } = got.headers;
    const { date: _asked, ...same } = asked.headers;
    expect([asked.status, asked.text, same]).toEqual([200, '', headers]);
  });

  test('opens nothing else', async () => {
    const paths = Object.keys(routes).flatMap((key) => (key.startsWith('GET ') ? [key.slice(4)] : []));
    const others = paths.filter((path) => path !== '/health').map((path) => path.replace(':name', 'echo'));
    for (const path of others)
      expect([path, (await api.raw({ method: 'HEAD', path })).status]).toEqual([path, 401]);
    expect((await api.raw({ method: 'HEAD', path: '/mcp', token: api.tokens.trust })).status).toBe(405);
    const elsewhere = { host: 'evil.test' };
    expect((await api.raw({ method: 'HEAD', path: '/health', headers: elsewhere })).status).toBe(
      (await api.raw({ path: '/health', headers: elsewhere })).status,
    );
  });
});

test('a definition is shown without its secrets', async () => {
  const secret = 'sk-live-4242424242424242';
  const config = { ...echo, env: { API_KEY: secret }, args: [...echo.args, '--token', secret] };
  await api.ask('POST /mcp', { body: { name: 'keyed', config } });
  const { text, json } = await api.ask('GET /mcp/:name', { name: 'keyed' });
  expect(text).not.toContain(secret);
  expect(json).toMatchObject({ definition: { env: { API_KEY: '***' } }, status: connected });
});
