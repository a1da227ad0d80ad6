import { randomBytes } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { errorReply } from '../status-codes.ts';
import { createFailures, createOneTimeCodes, createTokens } from './tokens.ts';
import { findRoute } from '../handlers/handler.ts';
import { hostsOf } from './origins.ts';

describe('tokens', () => {
  test('each token allows everything that the one before it allows, and more', () => {
    const { all, scopesOf } = createTokens({ randomBytes });
    const scopes = Object.values(all).map((token) => [...(scopesOf(`Bearer ${token}`) ?? [])]);
    expect(scopes).toEqual([
      ['read'],
      ['read', 'call'],
      ['read', 'call', 'admin'],
      ['read', 'call', 'admin', 'trust'],
    ]);
  });

  test('hold 256 bits each and are never the same twice', () => {
    const made = [createTokens({ randomBytes }), createTokens({ randomBytes })].flatMap(({ all }) =>
      Object.values(all),
    );
    expect(new Set(made).size).toBe(8);
    for (const token of made) expect(token).toMatch(/^holt_[\w-]{43}$/);
  });

  test('one that the user chose allows everything', () => {
    const { scopesOf } = createTokens({ randomBytes, given: 'chosen-by-the-user' });
    expect(scopesOf('Bearer chosen-by-the-user')?.has('trust')).toBe(true);
  });

  test.each([undefined, '', 'Bearer', 'Bearer ', 'Basic x', 'Bearer a b', `Bearer ${'x'.repeat(600)}`])(
    'none of ours: %j',
    (header) => {
      expect(createTokens({ randomBytes }).scopesOf(header)).toBeUndefined();
    },
  );
});

describe('one-time codes', () => {
  function codesAt() {
    const clock = { at: 0 };
    return { clock, codes: createOneTimeCodes({ now: () => clock.at, randomBytes }) };
  }

  test('are good once', () => {
    const { codes } = codesAt();
    const code = codes.issue();
    expect([codes.redeem(code), codes.redeem(code)]).toEqual([true, false]);
  });

  test('are good for a minute and no longer', () => {
    const { clock, codes } = codesAt();
    const [early, late] = [codes.issue(), codes.issue()];
    clock.at = 59_999;
    expect(codes.redeem(early)).toBe(true);
    clock.at = 60_000;
    expect(codes.redeem(late)).toBe(false);
  });

  test('only a limited number of codes is stored', () => {
    const { codes } = codesAt();
    const first = codes.issue();
    for (let count = 0; count < 16; count += 1) codes.issue();
    expect(codes.redeem(first)).toBe(false);
  });
});

describe('wrong tokens', () => {
  const refusals = (failures: ReturnType<typeof createFailures>, tokens: readonly (string | undefined)[]) =>
    tokens.map((token) => failures.refuse(token).code);

  test('the twenty-first guess within a minute is too many, and a minute later it is forgotten', () => {
    let at = 0;
    const failures = createFailures(() => at);
    const first = refusals(
      failures,
      Array.from({ length: 21 }, (_, guess) => `guess ${guess}`),
    );
    expect(first.indexOf('too-many-failures')).toBe(20);
    at = 60_000;
    expect(refusals(failures, ['another'])).toEqual(['unauthorized']);
  });

  test('the same one again, or none, is no guess', () => {
    const failures = createFailures(() => 0);
    const same = refusals(failures, [
      ...Array<string>(50).fill('old'),
      ...Array<undefined>(50).fill(undefined),
    ]);
    expect(new Set(same)).toEqual(new Set(['unauthorized']));
  });
});

describe('the host names of a service', () => {
  test.each([
    ['127.0.0.1', 7420, ['127.0.0.1:7420', 'localhost:7420']],
    ['::1', 7420, ['[::1]:7420', 'localhost:7420']],
    ['192.168.1.5', 7420, ['192.168.1.5:7420']],
    ['box.lan', 80, ['box.lan:80', 'box.lan']],
    ['0.0.0.0', 7420, ['10.0.0.2:7420', '[fe80::1]:7420', 'localhost:7420']],
  ])('at %s', (host, port, names) => {
    expect([...hostsOf({ host, port, addresses: ['10.0.0.2', 'fe80::1'] })]).toEqual(names);
  });
});

describe('finding a route', () => {
  test('path segments are decoded after the path is split', () => {
    expect(findRoute('POST', '/tools/a%2Fb%3F%20c/call')).toEqual({
      key: 'POST /tools/:name/call',
      params: { name: 'a/b? c' },
    });
  });

  test('a part that is spelled out beats one that may be anything', () => {
    expect(findRoute('GET', '/resources/read').key).toBe('GET /resources/read');
    expect(findRoute('GET', '/mcp/logs').key).toBe('GET /mcp/:name');
  });

  test.each([
    ['GET', '/nothing', 404],
    ['GET', '/mcp/', 404],
    ['GET', '/mcp/a/b/c', 404],
    ['GET', '/MCP', 404],
    ['PUT', '/mcp', 405],
    ['HEAD', '/mcp', 405],
    ['HEAD', '/', 405],
    ['HEAD', '/metrics', 405],
    ['GET', '/mcp/%E0%A4%A', 400],
  ])('%s %s is refused', (method, path, status) => {
    const refused = (): number => {
      try {
        findRoute(method, path);
        return 200;
      } catch (error) {
        return errorReply(error).status;
      }
    };
    expect(refused()).toBe(status);
  });
});
