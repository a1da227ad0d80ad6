/**
 * Is this request meant for us, and does it come from us? A page of somebody else's can make a browser send requests
 * here, under a name of its own (rebinding) or ours (forgery). Host and Origin tell, and a page cannot choose them.
 */

import type { HttpRequest } from '../../platform/http-server.ts';
import { Refusal } from '../status-codes.ts';

/**
 * Throws `Refusal`. `hosts` are the exact values of Host that are ours. A page may also be opened by a link on another site,
 * as a window of its own: the other site cannot read it then.
 */
export function requireOwnPage(
  { headers, method }: HttpRequest,
  hosts: ReadonlySet<string>,
  { isPage = false }: { readonly isPage?: boolean } = {},
): void {
  const [host, ...others] = valuesOf(headers, 'host');
  if (host === undefined || others.length > 0) throw new Refusal('host-invalid');
  if (!hosts.has(host)) throw new Refusal('host-refused');
  const origins = valuesOf(headers, 'origin');
  if (origins.some((origin) => origin !== `http://${host}`)) throw new Refusal('origin-refused');
  const sites = valuesOf(headers, 'sec-fetch-site');
  const isOurs = sites.every((site) => site === 'same-origin' || site === 'none');
  if (!isOurs && !(isPage && opensWindow(headers))) throw new Refusal('origin-refused');
  // The question a browser asks before a request of another page's. The answer is no.
  if (method === 'OPTIONS') throw new Refusal('origin-refused');
}

/** A top-level navigation; frames, images and scripts have other destinations. */
function opensWindow(headers: HttpRequest['headers']): boolean {
  const [modes, destinations] = [valuesOf(headers, 'sec-fetch-mode'), valuesOf(headers, 'sec-fetch-dest')];
  return modes.join() === 'navigate' && destinations.join() === 'document';
}

/** What a form or a plain script of another page can send is never JSON by name. */
export function requireJson({ headers }: HttpRequest): void {
  const types = valuesOf(headers, 'content-type');
  const hasBody = valuesOf(headers, 'content-length').some((length) => length !== '0');
  const isChunked = valuesOf(headers, 'transfer-encoding').length > 0;
  if (types.length === 0 && !hasBody && !isChunked) return;
  if (types.length !== 1 || !/^application\/json\s*(;|$)/i.test(types[0] ?? ''))
    throw new Refusal('content-type-refused');
}

export function valuesOf(headers: HttpRequest['headers'], name: string): readonly string[] {
  return headers.filter(([header]) => header === name).map(([, value]) => value);
}

export interface ServedAt {
  readonly host: string;
  readonly port: number;
  /** Addresses of this machine, for a service that listens at all of them. */
  readonly addresses: readonly string[];
}

/** Every Host by which the service may be called. */
export function hostsOf({ host, port, addresses }: ServedAt): ReadonlySet<string> {
  const names = isEverywhere(host)
    ? [...addresses, 'localhost']
    : isLoopback(host)
      ? [host, 'localhost']
      : [host];
  const bare = names.map((name) => (name.includes(':') ? `[${name}]` : name));
  const withPort = bare.map((name) => `${name}:${port}`);
  // Browsers leave the usual port out.
  return new Set(port === 80 ? [...withPort, ...bare] : withPort);
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
