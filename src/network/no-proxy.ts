/** Decides which hosts bypass the proxy, by the rules of `NO_PROXY`. Pure. */

import net from 'node:net';

/** Splits a `NO_PROXY` value into its entries, as written. */
export function readNoProxy(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== '');
}

/**
 * `*` matches every host. A name matches itself and its subdomains, with or without a leading dot or `*.`. An
 * address matches exactly or by range (`10.0.0.0/8`). A `:port` suffix narrows any of them.
 */
export function goesAround(url: URL, entries: readonly string[]): boolean {
  const host = bareHost(url.hostname);
  const port = url.port === '' ? defaultPort(url.protocol) : url.port;
  return entries.some((entry) => covers(entry.toLowerCase(), host, port));
}

export function defaultPort(protocol: string): string {
  return protocol === 'https:' || protocol === 'wss:' ? '443' : '80';
}

/** Removes the brackets of an IPv6 address and the trailing dot of a fully qualified name. */
export function bareHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const { name, only } = splitPort(entry);
  if (only !== undefined && only !== port) return false;
  const range = /^(.+)\/(\d{1,3})$/.exec(name);
  if (range !== null) return inRange(host, range[1] ?? '', Number(range[2]));
  if (net.isIP(host) !== 0) return sameAddress(host, name);
  const suffix = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
}

/** An IPv6 address contains colons, so it needs brackets when a port follows. */
function splitPort(entry: string): { readonly name: string; readonly only: string | undefined } {
  const parts = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry) ?? /^([^:]+)(?::(\d+))?$/.exec(entry);
  return { name: parts?.[1] ?? entry, only: parts?.[2] };
}

function sameAddress(host: string, name: string): boolean {
  return net.isIP(name) !== 0 && inRange(host, name, net.isIP(name) === 6 ? 128 : 32);
}

function inRange(host: string, network: string, prefix: number): boolean {
  const family = net.isIP(network);
  if (family === 0 || net.isIP(host) !== family || prefix > (family === 6 ? 128 : 32)) return false;
  const list = new net.BlockList();
  const type = family === 6 ? 'ipv6' : 'ipv4';
  list.addSubnet(network, prefix, type);
  return list.check(host, type);
}
