/** What a person decides over the API: whether a project's server may run, whether a call may be made, who logs in. */

import { mkdir, writeFile } from 'node:fs/promises';

import { describe, expect, test } from 'vitest';

import type { StreamMessage } from '../../src/api/client.ts';
import { browse, startAuth } from '../support/auth-fixture.ts';
import { openServiceFixture, type ServiceFixture } from '../support/service-fixture.ts';
import { serverFolder } from '../support/stdio-fixture.ts';

const echo = { command: process.execPath, args: [`${serverFolder}/echo.mjs`] };

/** A project whose file names a server that nobody has approved. */
function openInProject(entry: object = echo): Promise<ServiceFixture> {
  return openServiceFixture({
    project: 'work',
    prepare: async ({ home }) => {
      await mkdir(`${home}/work/.git`, { recursive: true });
      await writeFile(`${home}/work/.mcp.json`, JSON.stringify({ mcpServers: { fresh: entry } }));
    },
  });
}

describe('trust', () => {
  test('a project’s server is pending, is inspected, approved by its digest, and runs', async () => {
    await using api = await openInProject();
    const client = api.client();
    const params = { name: 'fresh' };
    expect(await client.send('POST /mcp/:name/connect', { params })).toEqual({ status: 'untrusted' });
    const { trust, question } = await client.send('GET /mcp/:name', { params });
    expect([trust, question?.reason, question?.definition.command]).toEqual([
      'untrusted',
      'new',
      echo.command,
    ]);
    const digest = question?.digest ?? '';
    const decided = await client.send('POST /trust', {
      body: { server: 'fresh', decision: 'allow', digest },
    });
    expect(decided).toEqual({ server: 'fresh', trust: 'approved' });
    expect(await client.send('POST /mcp/:name/connect', { params })).toEqual({ status: 'connected' });
    expect((await client.send('GET /mcp/:name', { params })).question).toBeUndefined();
  });

  test('a server that changed since it was inspected is not approved', async () => {
    await using api = await openInProject();
    const client = api.client();
    const { question } = await client.send('GET /mcp/:name', { params: { name: 'fresh' } });
    await writeFile(
      `${api.fixture.home}/work/.mcp.json`,
      JSON.stringify({ mcpServers: { fresh: { ...echo, args: [...echo.args, '--evil'] } } }),
    );
    await client.send('POST /reload');
    const body = { server: 'fresh', decision: 'allow', digest: question?.digest ?? '' } as const;
    await expect(client.send('POST /trust', { body })).rejects.toMatchObject({
      status: 409,
      code: 'trust-outdated',
    });
    expect((await client.send('GET /mcp/:name', { params: { name: 'fresh' } })).trust).toBe('untrusted');
  });

  test('without a digest nothing is decided; a refusal holds until it is revoked', async () => {
    await using api = await openInProject();
    const client = api.client();
    const state = async (): Promise<string> =>
      (await client.send('GET /mcp/:name', { params: { name: 'fresh' } })).trust;
    await expect(
      client.send('POST /trust', { body: { server: 'fresh', decision: 'allow' } }),
    ).rejects.toMatchObject({ status: 422 });
    const { question } = await client.send('GET /mcp/:name', { params: { name: 'fresh' } });
    await client.send('POST /trust', {
      body: { server: 'fresh', decision: 'deny', digest: question?.digest ?? '' },
    });
    expect(await state()).toBe('denied');
    await client.send('POST /trust', { body: { server: 'fresh', decision: 'revoke' } });
    expect(await state()).toBe('untrusted');
  });

  test('a variable that makes the program run other code needs its own approval', async () => {
    await using api = await openInProject({ ...echo, env: { NODE_OPTIONS: '--no-warnings' } });
    const client = api.client();
    const { question } = await client.send('GET /mcp/:name', { params: { name: 'fresh' } });
    const body = { server: 'fresh', decision: 'allow', digest: question?.digest ?? '' } as const;
    await expect(client.send('POST /trust', { body })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('NODE_OPTIONS') as string,
    });
    const loaderVariables = question?.loaderVariables ?? [];
    expect(await client.send('POST /trust', { body: { ...body, loaderVariables } })).toEqual({
      server: 'fresh',
      trust: 'approved',
    });
  });

  test('what is in a file of the user needs no approval', async () => {
    await using api = await openServiceFixture({ host: { servers: { echo } } });
    const body = { server: 'echo', decision: 'allow', digest: 'x' } as const;
    await expect(api.client().send('POST /trust', { body })).rejects.toMatchObject({ status: 409 });
  });
});

describe('questions about calls', () => {
  test('without a client that may answer, a call without a rule is refused', async () => {
    await using api = await openServiceFixture({ host: { servers: { echo } } });
    await api.client().send('POST /mcp/:name/connect', { params: { name: 'echo' } });
    await expect(api.client('call').callTool('mcp__echo__echo', { text: 'x' })).rejects.toMatchObject({
      code: 'call-denied',
    });
  });

  test('a client that may answer is asked, and the call continues with the answer', async () => {
    await using api = await openServiceFixture({ host: { servers: { echo } } });
    const client = api.client();
    await client.send('POST /mcp/:name/connect', { params: { name: 'echo' } });
    const stop = new AbortController();
    const stream = client.events({ signal: stop.signal });
    await stream.next();
    const call = api.client('call').callTool('mcp__echo__echo', { text: 'allowed' });
    const said = await nextSaid(stream);
    if (said.event !== 'question') throw new Error('nothing was asked');
    const asked = said.data;
    expect(asked).toMatchObject({
      server: 'echo',
      tool: 'echo',
      name: 'mcp__echo__echo',
      arguments: { text: 'allowed' },
    });
    expect((await client.send('GET /policy')).questions).toEqual([asked]);
    expect((await api.client('admin').send('GET /policy')).questions).toEqual([]);
    await client.send('POST /trust', { body: { question: asked.question, answer: 'once' } });
    expect(await call).toMatchObject({ ok: true, text: 'allowed' });
    expect(await nextSaid(stream)).toEqual({ event: 'answered', data: { question: asked.question } });
    await expect(
      client.send('POST /trust', { body: { question: asked.question, answer: 'once' } }),
    ).rejects.toMatchObject({ status: 404 });
    stop.abort();
  });
});

type Said = Extract<StreamMessage, { readonly event: 'question' | 'answered' }>;

/** The next question, or the next word that one was answered. */
async function nextSaid(stream: AsyncGenerator<StreamMessage>): Promise<Said> {
  for (;;) {
    const { value, done } = await stream.next();
    if (done === true) throw new Error('the stream ended');
    const message: StreamMessage = value;
    if (message.event === 'question' || message.event === 'answered') return message;
  }
}

describe('logins', () => {
  test('one begins with an address, ends with its code, and is forgotten', async () => {
    await using provider = await startAuth('oidc-provider');
    await using guarded = await startAuth('guarded-server', { issuer: provider.url });
    await using api = await openServiceFixture({
      host: { servers: { docs: { type: 'http', url: guarded.url } } },
    });
    const client = api.client('admin');
    const params = { name: 'docs' };
    expect(await client.send('POST /mcp/:name/connect', { params })).toEqual({ status: 'needs_auth' });
    const { authorizationUrl, oauthState } = await client.send('POST /mcp/:name/auth', { params });
    expect(new URL(authorizationUrl).searchParams.get('state')).toBe(oauthState);
    const redirect = new URL(authorizationUrl).searchParams.get('redirect_uri') ?? '';
    const { url } = await browse('--stop-at', redirect, authorizationUrl);
    const back = new URL(url).searchParams;
    const answered = { code: back.get('code') ?? '', state: back.get('state') ?? '' };
    const iss = back.get('iss');
    const body = iss === null ? answered : { ...answered, iss };
    expect(await client.send('POST /mcp/:name/auth/callback', { params, body })).toEqual({
      status: 'connected',
    });
    const forgotten = await client.send('DELETE /mcp/:name/auth', { params });
    expect(forgotten).toMatchObject({ success: true, removed: true });
  });

  test('a program on this machine has no login, and says so', async () => {
    await using api = await openServiceFixture({ host: { servers: { echo } } });
    const params = { name: 'echo' };
    await expect(api.client().send('POST /mcp/:name/auth', { params })).rejects.toMatchObject({
      status: 409,
    });
    await expect(api.client().send('POST /mcp/:name/auth/authenticate', { params })).rejects.toMatchObject({
      status: 409,
    });
  });
});
