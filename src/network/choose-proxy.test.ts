import { describe, expect, test } from 'vitest';

import { chooseProxy, type NetworkOptions, proxyAuthorization } from './choose-proxy.ts';
import { NetworkFailure } from './network-failure.ts';

const env = {
  HTTP_PROXY: 'http://plain.test:3128',
  HTTPS_PROXY: 'http://secure.test:3128',
  NO_PROXY: 'inside.test',
};

function chosen(
  url: string,
  options: NetworkOptions = {},
  variables: Record<string, string> = env,
): readonly [string, string] | undefined {
  const choice = chooseProxy(new URL(url), options, variables);
  return choice === undefined ? undefined : [choice.proxy, choice.variable];
}

describe('F41: the proxy of a URL', () => {
  test('follows the scheme, for http and WebSockets alike', () => {
    expect(
      ['http://a.test', 'ws://a.test', 'https://a.test', 'wss://a.test'].map((url) => chosen(url)),
    ).toEqual([
      ['http://plain.test:3128', 'HTTP_PROXY'],
      ['http://plain.test:3128', 'HTTP_PROXY'],
      ['http://secure.test:3128', 'HTTPS_PROXY'],
      ['http://secure.test:3128', 'HTTPS_PROXY'],
    ]);
  });

  test('lower-case variables win, and an empty one is none', () => {
    expect(chosen('https://a.test', {}, { ...env, https_proxy: 'http://lower.test' })).toEqual([
      'http://lower.test',
      'https_proxy',
    ]);
    expect(chosen('https://a.test', {}, { ...env, https_proxy: ' ' })).toEqual([
      'http://secure.test:3128',
      'HTTPS_PROXY',
    ]);
    expect(chosen('https://a.test', {}, { https_proxy: '' })).toBeUndefined();
  });

  test('HTTP_PROXY says nothing about https', () => {
    expect(chosen('https://a.test', {}, { HTTP_PROXY: 'http://plain.test' })).toBeUndefined();
  });

  test('NO_PROXY and the setting beside it both count', () => {
    expect(chosen('https://inside.test')).toBeUndefined();
    expect(chosen('https://b.test', { noProxy: ['b.test'] })).toBeUndefined();
    expect(chosen('https://b.test', { proxy: 'http://own.test', noProxy: ['b.test'] })).toBeUndefined();
  });

  test('the setting goes before the environment, an origin before both', () => {
    const options = {
      proxy: 'http://own.test',
      origins: { 'https://a.test': { proxy: 'http://origin.test' }, 'wss://b.test:444': { proxy: 'direct' } },
    };
    expect(chosen('https://c.test', options)).toEqual(['http://own.test', 'network.proxy']);
    expect(chosen('https://a.test/mcp', options)).toEqual(['http://origin.test', 'network.origins']);
    expect(chosen('wss://a.test/mcp', options)).toEqual(['http://origin.test', 'network.origins']);
    expect(chosen('https://b.test:444/mcp', options)).toBeUndefined();
    expect(chosen('https://d.test', { proxy: 'direct' })).toBeUndefined();
  });

  test('an origin that names a proxy is not stopped by NO_PROXY', () => {
    const options = { origins: { 'https://inside.test': { proxy: 'http://origin.test' } } };
    expect(chosen('https://inside.test', options)).toEqual(['http://origin.test', 'network.origins']);
  });

  test('a name without a scheme is an http proxy; another scheme is refused by the name of its variable', () => {
    expect(chosen('http://a.test', {}, { http_proxy: 'bare.test:8080' })).toEqual([
      'http://bare.test:8080',
      'http_proxy',
    ]);
    const refused = (): unknown =>
      chosen('http://a.test', {}, { HTTP_PROXY: 'socks5://user:hush@sock.test' });
    expect(refused).toThrow(
      new NetworkFailure({ kind: 'proxy-invalid', proxy: 'socks5://sock.test', variable: 'HTTP_PROXY' }),
    );
  });

  test('credentials go to the proxy decoded, and are never shown', () => {
    const choice = chooseProxy(new URL('http://a.test'), {}, { http_proxy: 'http://me:p%40ss@p.test:1' });
    expect(choice && [choice.proxy, proxyAuthorization(choice)]).toEqual([
      'http://p.test:1',
      `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
    ]);
    const plain = chooseProxy(new URL('http://a.test'), {}, { http_proxy: 'http://p.test:1' });
    expect(plain && proxyAuthorization(plain)).toBeUndefined();
    const odd = chooseProxy(new URL('http://a.test'), {}, { http_proxy: 'http://100%:x@p.test:1' });
    expect(odd && proxyAuthorization(odd)).toBe(`Basic ${Buffer.from('100%:x').toString('base64')}`);
  });
});
