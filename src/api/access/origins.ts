/**
 * Checks that a request is meant for this service and comes from its own page. Another site's page can make a
 * browser send requests here, under its own name (DNS rebinding) or under ours (request forgery). Host and
 * Origin reveal this, and a page cannot choose them.
 */

import type { HttpRequest } from '../../platform/listeners/http-server.ts';
import { Refusal } from '../status-codes.ts';

/**
 * Throws `Refusal`. `hosts` are the exact values of Host that belong to this service. A link on another site
 * may also open a page as a top-level window, because the other site cannot read it there.
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
  // A CORS preflight request. Requests from other origins are never allowed.
  if (method === 'OPTIONS') throw new Refusal('origin-refused');
}

/** Whether the request is a top-level navigation; frames, images and scripts have other destinations. */
function opensWindow(headers: HttpRequest['headers']): boolean {
  const [modes, destinations] = [valuesOf(headers, 'sec-fetch-mode'), valuesOf(headers, 'sec-fetch-dest')];
  return modes.join() === 'navigate' && destinations.join() === 'document';
}

/**
 * Throws `Refusal` for a body that is not declared as JSON, because forms and plain scripts of other pages
 * cannot declare that.
 */
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
  /** Addresses of this machine, for a service that listens on all of them. */
  readonly addresses: readonly string[];
}

/** Returns every value of Host under which the service can be reached. */
export function hostsOf({ host, port, addresses }: ServedAt): ReadonlySet<string> {
  const names = isEverywhere(host)
    ? [...addresses, 'localhost']
    : isLoopback(host)
      ? [host, 'localhost']
      : [host];
  const bare = names.map((name) => (name.includes(':') ? `[${name}]` : name));
  const withPort = bare.map((name) => `${name}:${port}`);
  // Browsers omit the default port.
  return new Set(port === 80 ? [...withPort, ...bare] : withPort);
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
