import { describe, expect, test } from 'vitest';

import type { RemoteLogin } from '../../auth/remote-login.ts';
import type { Remote } from '../../network/create-network.ts';
import { withLogin } from './with-login.ts';

interface Scene {
  readonly sent: readonly (string | null)[];
  readonly renewed: readonly number[];
  readonly ends: readonly unknown[];
  readonly get: (url?: string) => Promise<Response>;
}

const insufficient = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="more"' };

/** A server that gives these answers in turn, then 200; every renewal gives the next token. */
function scene(
  answers: readonly [status: number, headers?: Record<string, string>][],
  first?: string,
): Scene {
  const [sent, renewed, ends]: [(string | null)[], number[], unknown[]] = [[], [], []];
  const remote: Remote = {
    fetch: (_, init, hooks) => {
      sent.push(new Headers(init?.headers).get('authorization'));
      const [status, headers = {}] = answers[sent.length - 1] ?? [200];
      hooks?.onEnd?.(undefined);
      return Promise.resolve(new Response('', { status, headers }));
    },
    dial: () => Promise.reject(new Error('not asked for')),
    close: () => Promise.resolve(),
  };
  const login: RemoteLogin = {
    origin: 'https://shop.test',
    authorization: () => Promise.resolve(first),
    renew: (_, { status }) => {
      renewed.push(status);
      return Promise.resolve(`Bearer t${renewed.length}`);
    },
    refusal: ({ status }) => new Error(`refused for good with ${status}`),
  };
  const { fetch } = withLogin(remote, login);
  const get = (url = 'https://shop.test/mcp'): Promise<Response> =>
    fetch(url, { headers: { a: 'b' } }, { onEnd: (failure) => ends.push(failure) });
  return { sent, renewed, ends, get };
}

describe('a request', () => {
  test('is sent with the login, and once more with a renewed one', async () => {
    const { sent, ends, get } = scene([[401]], 'Bearer t0');
    expect((await get()).status).toBe(200);
    expect([sent, ends]).toEqual([['Bearer t0', 'Bearer t1'], [undefined]]);
  });

  test('without a login goes without one first', async () => {
    const { sent, get } = scene([[401]]);
    await get();
    expect(sent).toEqual([null, 'Bearer t1']);
  });

  test('that is turned down again is given up', async () => {
    const { sent, get } = scene([[401], [401]], 'Bearer t0');
    await expect(get()).rejects.toThrow('refused for good with 401');
    expect(sent).toHaveLength(2);
  });

  test('T45: is stepped up twice, and no third time', async () => {
    const { renewed, get } = scene(
      [
        [403, insufficient],
        [403, insufficient],
        [403, insufficient],
      ],
      'Bearer t0',
    );
    await expect(get()).rejects.toThrow('refused for good with 403');
    expect(renewed).toEqual([403, 403]);
  });

  test('that is simply forbidden is not stepped up', async () => {
    const { renewed, get } = scene([[403]], 'Bearer t0');
    expect((await get()).status).toBe(403);
    expect(renewed).toEqual([]);
  });

  test('T35: to another origin never carries the login', async () => {
    const { sent, renewed, get } = scene([[401]], 'Bearer t0');
    expect((await get('https://other.test/mcp')).status).toBe(401);
    expect([sent, renewed]).toEqual([[null], []]);
  });
});
