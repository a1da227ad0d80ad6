import { describe, expect, test } from 'vitest';

import {
  answerTable,
  issuer,
  metadata,
  metadataRoute,
  resource,
  resourceRoute,
  targetFor,
} from '../../tests/support/login-flows.ts';
import { createFakeClock } from '../../tests/support/fake-clock.ts';
import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';
import { SecretValue } from '../masking/redactor.ts';
import { createCredentialMemory } from '../secrets/credential-stores.ts';
import type { LoginTarget } from './login-target.ts';
import { createTokenSource, type TokenSourceParts, type TokenSource } from './token-source.ts';

const tokenRoute = `POST ${issuer}/token`;
const record: CredentialRecord = {
  serverUrl: 'https://shop.test/mcp',
  issuer,
  resource: 'https://shop.test/mcp',
  client: { id: 'c' },
  tokens: { access: 'old', refresh: 'r1', expiresAt: 5000, scope: 's' },
  generation: 3,
};

interface World {
  readonly tokenSource: TokenSource;
  readonly store: CredentialStore;
  readonly refreshes: () => number;
  readonly learned: readonly string[];
}

async function openWorld(
  answer: Parameters<typeof answerTable>[0][string],
  {
    nowMs = 0,
    start = record,
    ...parts
  }: Partial<TokenSourceParts> & { nowMs?: number; start?: CredentialRecord } = {},
): Promise<World> {
  const store = createCredentialMemory();
  await store.set('mcp:shop', start);
  const { fetch, asked } = answerTable({
    [metadataRoute]: metadata(),
    [resourceRoute]: resource,
    [tokenRoute]: answer,
  });
  const learned: string[] = [];
  let line: Promise<unknown> = Promise.resolve();
  const tokenSource = createTokenSource({
    store,
    lock: (_, work) => {
      const next = line.then(work);
      line = next.catch(() => undefined);
      return next;
    },
    openFetch: () => Promise.resolve({ fetch, close: () => Promise.resolve() }),
    wallNow: () => nowMs,
    learn: (secret) => learned.push(secret),
    clock: createFakeClock(),
    closing: new AbortController().signal,
    onUnsaved: () => undefined,
    debug: () => undefined,
    ...parts,
  });
  return {
    tokenSource,
    store,
    refreshes: () => asked.filter(({ route }) => route === tokenRoute).length,
    learned,
  };
}

const fresh = { access_token: 'new', refresh_token: 'r2', expires_in: 3600 };
const refused = { used: 'old', challenge: {} };

describe('a login', () => {
  test('is used unchanged while it is valid, and all of it is masked', async () => {
    const { tokenSource, refreshes, learned } = await openWorld(fresh);
    expect(await tokenSource.current(targetFor())).toMatchObject({ access: 'old' });
    expect(refreshes()).toBe(0);
    expect(learned).toEqual(expect.arrayContaining(['old', 'r1']));
  });

  test('is renewed a minute before it expires, with a new generation', async () => {
    const { tokenSource, store } = await openWorld(fresh, { nowMs: 4_940_001 });
    expect(await tokenSource.current(targetFor())).toEqual({
      access: 'new',
      refresh: 'r2',
      issuedAt: 4940,
      expiresAt: 8540,
      scope: 's',
    });
    expect(await store.get('mcp:shop')).toEqual({
      ...record,
      tokens: { access: 'new', refresh: 'r2', issuedAt: 4940, expiresAt: 8540, scope: 's' },
      generation: 4,
    });
  });

  test('is not renewed a moment earlier', async () => {
    const { tokenSource, refreshes } = await openWorld(fresh, { nowMs: 4_939_000 });
    await tokenSource.current(targetFor());
    expect(refreshes()).toBe(0);
  });

  test.each([30, 45, 60, 65, 240])(
    'T119: that is valid for %i seconds is renewed in its last quarter, not at every call',
    async (life) => {
      let nowMs = 4_999_000;
      const { tokenSource, refreshes } = await openWorld(
        { ...fresh, expires_in: life },
        { wallNow: () => nowMs },
      );
      for (let call = 0; call < 50; call += 1) await tokenSource.current(targetFor());
      expect(refreshes()).toBe(1);
      nowMs += life * 750;
      for (let call = 0; call < 50; call += 1) await tokenSource.current(targetFor());
      expect(refreshes()).toBe(1);
      nowMs += 1000;
      for (let call = 0; call < 50; call += 1) await tokenSource.current(targetFor());
      expect(refreshes()).toBe(2);
    },
  );

  test('T119: of an older version, without an issue time, is renewed a minute early, once', async () => {
    const { tokenSource, store, refreshes } = await openWorld(
      { ...fresh, expires_in: 40 },
      { nowMs: 4_950_000 },
    );
    for (let call = 0; call < 50; call += 1) await tokenSource.current(targetFor());
    expect(refreshes()).toBe(1);
    expect((await store.get('mcp:shop'))?.tokens).toMatchObject({ issuedAt: 4950, expiresAt: 4990 });
  });

  test('T119: with an issue time after its expiry is renewed when it has expired', async () => {
    const start = { ...record, tokens: { access: 'old', refresh: 'r1', issuedAt: 9000, expiresAt: 5000 } };
    const good = await openWorld(fresh, { nowMs: 4_999_000, start });
    const ended = await openWorld(fresh, { nowMs: 5_001_000, start });
    await Promise.all([good, ended].map(({ tokenSource }) => tokenSource.current(targetFor())));
    expect([good.refreshes(), ended.refreshes()]).toEqual([0, 1]);
  });

  test('F31: stays in use while its provider is down, which is not asked again immediately', async () => {
    const { tokenSource, store, refreshes } = await openWorld(500, { nowMs: 4_990_000 });
    expect(await tokenSource.current(targetFor())).toMatchObject({ access: 'old' });
    expect(await tokenSource.current(targetFor())).toMatchObject({ access: 'old' });
    expect([refreshes(), await store.get('mcp:shop')]).toEqual([1, record]);
  });

  test('F39: is renewed once for all callers that were rejected with it, early or late', async () => {
    const { tokenSource, refreshes } = await openWorld(fresh);
    const all = await Promise.all(Array.from({ length: 50 }, () => tokenSource.renew(targetFor(), refused)));
    const late = await tokenSource.renew(targetFor(), refused);
    expect(new Set([...all, late].map((tokens) => tokens?.access))).toEqual(new Set(['new']));
    expect(refreshes()).toBe(1);
  });

  test('that is renewed and cannot be saved is used in the meantime, and saved before another process gets the lock', async () => {
    const clock = createFakeClock();
    const store = createCredentialMemory();
    let failures = 3;
    const failing: CredentialStore = {
      ...store,
      set: (id, next) => {
        const isFull = next.generation === 4 && (failures -= 1) >= 0;
        return isFull ? Promise.reject(new Error('disk full')) : store.set(id, next);
      },
    };
    const released: string[] = [];
    const unsaved: unknown[] = [];
    const { tokenSource } = await openWorld(fresh, {
      store: failing,
      clock,
      onUnsaved: (_, error) => unsaved.push(error),
      lock: (_, work) => work().finally(() => released.push('released')),
    });
    await failing.set('mcp:shop', record);
    expect(await tokenSource.renew(targetFor(), refused)).toMatchObject({ access: 'new' });
    expect([released, (await store.get('mcp:shop'))?.tokens?.access, unsaved.length]).toEqual([[], 'old', 1]);
    expect(await tokenSource.current(targetFor())).toMatchObject({ access: 'new' });
    await clock.advance(200 + 400 + 800);
    expect([released, (await store.get('mcp:shop'))?.tokens?.access, unsaved.length]).toEqual([
      ['released'],
      'new',
      1,
    ]);
  });

  test('that another process has renewed is read, not renewed again', async () => {
    const { tokenSource, store, refreshes } = await openWorld(fresh);
    await tokenSource.current(targetFor());
    await store.set('mcp:shop', { ...record, tokens: { access: 'theirs', refresh: 'r9' }, generation: 4 });
    expect(await tokenSource.renew(targetFor(), refused)).toEqual({ access: 'theirs', refresh: 'r9' });
    expect(refreshes()).toBe(0);
  });

  test('F30: whose refresh token is rejected loses it, is marked as refused, and is no longer sent', async () => {
    const { tokenSource, store, refreshes } = await openWorld({ status: 400, error: 'invalid_grant' });
    expect(await tokenSource.renew(targetFor(), refused)).toBeUndefined();
    const { refresh: _, ...rest } = record.tokens ?? { access: '' };
    expect(await store.get('mcp:shop')).toEqual({ ...record, tokens: { ...rest, refused: 'invalid_grant' } });
    expect(await tokenSource.renew(targetFor(), refused)).toBeUndefined();
    expect(await tokenSource.current(targetFor())).toBeUndefined();
    expect(refreshes()).toBe(1);
  });

  test('whose client is rejected retains its refresh token, and works again once the provider renews it', async () => {
    let answer: object = { status: 401, error: 'invalid_client' };
    const { tokenSource, store } = await openWorld(() => answer);
    expect(await tokenSource.renew(targetFor(), refused)).toBeUndefined();
    const marked = { ...record.tokens, refused: 'invalid_client' };
    expect(await store.get('mcp:shop')).toEqual({ ...record, tokens: marked });
    expect(await tokenSource.current(targetFor())).toBeUndefined();
    answer = fresh;
    expect(await tokenSource.current(targetFor())).toEqual({
      access: 'new',
      refresh: 'r2',
      issuedAt: 0,
      expiresAt: 3600,
      scope: 's',
    });
    expect((await store.get('mcp:shop'))?.tokens?.refused).toBeUndefined();
  });

  test.each([
    ['a fault', 500],
    ['a page', {}],
  ])('stays unchanged after %s', async (_, answer) => {
    const { tokenSource, store } = await openWorld(answer);
    await tokenSource.renew(targetFor(), refused).catch(() => undefined);
    expect(await store.get('mcp:shop')).toEqual(record);
  });
});

describe('T37: a login is not used', () => {
  test.each<[string, Partial<LoginTarget>]>([
    ['for another URL of the same name', { serverUrl: 'https://shop.test/other' }],
    ['for another host of the same name', { serverUrl: 'https://evil.test/mcp' }],
    ['where the entry names another issuer', { oauth: { issuer: 'https://other.test' } }],
  ])('%s', async (_, change) => {
    const { tokenSource, store, refreshes } = await openWorld(fresh, { nowMs: 4_990_000 });
    const target = targetFor(change);
    expect(await tokenSource.current(target)).toBeUndefined();
    expect(await tokenSource.renew(target, { used: undefined, challenge: {} })).toBeUndefined();
    expect([refreshes(), await store.get('mcp:shop')]).toEqual([0, record]);
  });

  test('and a new one for another URL does not replace it', async () => {
    const { tokenSource, store } = await openWorld(fresh);
    const target = targetFor({ serverUrl: 'https://evil.test/mcp' });
    const other = { serverUrl: 'https://evil.test/mcp', tokens: { access: 'other' } };
    await tokenSource.change(target, () => other);
    expect(await tokenSource.current(target)).toEqual({ access: 'other' });
    expect(await tokenSource.current(targetFor())).toMatchObject({ access: 'old' });
    expect((await store.list()).map(({ id }) => id)).toEqual([
      'mcp:shop',
      expect.stringMatching(/^mcp:shop#[0-9a-f]{8}$/),
    ]);
  });
});

describe('a project’s entry for a server where the user is logged in', () => {
  const target = targetFor({ sharing: 'theirs' });

  test('gets no token when there is no one to ask', async () => {
    const { tokenSource } = await openWorld(fresh);
    expect(await tokenSource.current(target)).toBeUndefined();
    expect(await tokenSource.renew(target, { used: undefined, challenge: {} })).toBeUndefined();
  });

  test.each([
    ['no', undefined, undefined],
    ['once', 'old', undefined],
    ['always', 'old', ['theirs']],
  ] as const)('causes one question; after "%s" it gets %s', async (answer, access, sharedWith) => {
    let asked = 0;
    const askSharing = (): Promise<typeof answer> => {
      asked += 1;
      return Promise.resolve(answer);
    };
    const { tokenSource, store } = await openWorld(fresh, { askSharing });
    expect((await tokenSource.current(target))?.access).toBe(access);
    expect((await tokenSource.current(target))?.access).toBe(access);
    expect([asked, (await store.get('mcp:shop'))?.sharedWith]).toEqual([1, sharedWith]);
  });

  test('causes another question when the first was cancelled', async () => {
    const answers = [Promise.reject(new Error('called off')), Promise.resolve('once' as const)];
    const askSharing = (): Promise<'once' | 'no'> => answers.shift() ?? Promise.resolve('no');
    const { tokenSource } = await openWorld(fresh, { askSharing });
    await expect(tokenSource.current(target)).rejects.toThrow('called off');
    expect((await tokenSource.current(target))?.access).toBe('old');
  });

  test('causes no question when it may already use the login', async () => {
    const { tokenSource } = await openWorld(fresh, { start: { ...record, sharedWith: ['theirs'] } });
    expect(await tokenSource.current(target)).toMatchObject({ access: 'old' });
  });
});

describe('client credentials', () => {
  const oauth = { grant: 'client_credentials', clientId: 'c', clientSecret: new SecretValue('hush-hush') };
  const target = targetFor({ oauth });
  const empty: CredentialRecord = { serverUrl: 'https://elsewhere.test' };

  test('need no user, and request the scope that the server names', async () => {
    const { tokenSource, store } = await openWorld(({ form }) => ({ access_token: `for ${form['scope']}` }), {
      start: empty,
    });
    expect(await tokenSource.renew(target, { used: undefined, challenge: { scope: 'a' } })).toEqual({
      access: 'for a',
      scope: 'a',
    });
    expect((await store.list()).at(-1)?.record).toMatchObject({
      issuer,
      resource: 'https://shop.test/mcp',
      generation: 1,
    });
  });

  test('T45: step up to the union of scopes', async () => {
    const { tokenSource } = await openWorld(({ form }) => ({ access_token: `for ${form['scope']}` }), {
      start: { ...record, tokens: { access: 'old', scope: 'a b' } },
    });
    const tokens = await tokenSource.renew(target, {
      used: 'old',
      challenge: { scope: 'c' },
      wantsScope: true,
    });
    expect(tokens?.access).toBe('for a b c');
  });

  test('T38: are sent only to the first issuer', async () => {
    const { tokenSource, refreshes } = await openWorld(fresh, {
      start: { ...record, issuer: 'https://first.test' },
    });
    await expect(tokenSource.renew(target, { used: 'old', challenge: {} })).rejects.toMatchObject({
      code: 'auth-failed',
    });
    expect(refreshes()).toBe(0);
  });
});
