/**
 * Chooses the proxy for a URL: the origin's setting, then the general setting, then the environment. Pure.
 */

import { NetworkFailure, type NamedProxy } from './network-failure.ts';
import { goesAround, readNoProxy } from './no-proxy.ts';

export interface OriginOptions {
  /** `direct` bypasses every proxy. */
  readonly proxy?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** The `network` setting. */
export interface NetworkOptions extends OriginOptions {
  readonly noProxy?: readonly string[];
  readonly origins?: Readonly<Record<string, OriginOptions>>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProxyChoice extends NamedProxy {
  readonly url: URL;
}

export function chooseProxy(url: URL, options: NetworkOptions, env: Environment): ProxyChoice | undefined {
  const own = originOptions(url, options)?.proxy;
  if (own !== undefined) return readProxy(own, 'network.origins');
  const general = fromSettings(options) ?? fromEnvironment(url, env);
  if (general === undefined) return undefined;
  const around = [...readNoProxy(valueOf(env, 'no_proxy')?.value ?? ''), ...(options.noProxy ?? [])];
  return goesAround(url, around) ? undefined : readProxy(general.value, general.variable);
}

/**
 * Treats `wss://a.test` and `https://a.test` as the same origin, so either spelling in the settings matches.
 */
export function originOptions(url: URL, { origins }: NetworkOptions): OriginOptions | undefined {
  const wanted = plainOrigin(url);
  const found = Object.entries(origins ?? {}).find(
    ([origin]) => URL.canParse(origin) && plainOrigin(new URL(origin)) === wanted,
  );
  return found?.[1];
}

/** Returns the URL's origin with `ws` and `wss` replaced by `http` and `https`. */
export function plainOrigin(url: URL): string {
  return `${url.protocol.replace(/^ws/, 'http')}//${url.host}`;
}

interface Given {
  readonly value: string;
  readonly variable: string;
}

function fromSettings({ proxy }: NetworkOptions): Given | undefined {
  return proxy === undefined ? undefined : { value: proxy, variable: 'network.proxy' };
}

function fromEnvironment(url: URL, env: Environment): Given | undefined {
  return valueOf(env, url.protocol === 'https:' || url.protocol === 'wss:' ? 'https_proxy' : 'http_proxy');
}

/** The lower-case variable wins, as in most programs. An empty value counts as unset. */
function valueOf(env: Environment, name: string): Given | undefined {
  for (const variable of [name, name.toUpperCase()]) {
    const value = env[variable]?.trim();
    if (value !== undefined && value !== '') return { value, variable };
  }
  return undefined;
}

function readProxy(value: string, variable: string): ProxyChoice | undefined {
  if (value === 'direct') return undefined;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new NetworkFailure({ kind: 'proxy-invalid', proxy: withoutCredentials(value), variable });
  }
  return { url, proxy: `${url.protocol}//${url.host}`, variable };
}

function withoutCredentials(value: string): string {
  return value.replace(/^(.*:\/\/)?[^@/]*@/, '$1');
}

/** Returns the `Proxy-Authorization` header for the user name and password in the proxy URL. */
export function proxyAuthorization({ url }: ProxyChoice): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decodePart(url.username)}:${decodePart(url.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
