/** A running service with fixture servers, and clients that can send what no browser or library would. */

import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';

import type { RouteKey } from '../../src/api/contract.ts';
import { createClient, type HoltClient } from '../../src/api/client.ts';
import { openService, type Service, type ServiceOptions } from '../../src/api/open-service.ts';
import type { HostOptions } from '../../src/host/host.ts';
import { openHostFixture, type HostFixture } from './host-fixture.ts';

export type Scope = 'read' | 'call' | 'admin' | 'trust';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown;
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** None: without Authorization. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

export interface ServiceFixture extends AsyncDisposable {
  readonly fixture: HostFixture;
  readonly service: Service;
  readonly port: number;
  readonly tokens: Readonly<Record<Scope, string>>;
  client(scope?: Scope): HoltClient;
  raw(request: RawRequest): Promise<RawAnswer>;
  /** Any route with any of its parts, by the full token unless told. */
  ask(key: RouteKey, given?: AskGiven): Promise<RawAnswer>;
}

export interface AskGiven {
  readonly name?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly token?: string | undefined;
}

export interface ServiceFixtureOptions {
  readonly host?: HostOptions;
  readonly service?: Partial<ServiceOptions>;
  /** A folder of the home to work in; the home itself when left out. */
  readonly project?: string;
  /** Before the host is opened. */
  readonly prepare?: (fixture: HostFixture) => Promise<void>;
}

export async function openServiceFixture(options: ServiceFixtureOptions = {}): Promise<ServiceFixture> {
  const fixture = await openHostFixture();
  await options.prepare?.(fixture);
  const service = await openService({
    at: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    version: '0.0.0',
    openHost: (own) => fixture.openWithin(own),
    ...options.service,
    host: { cwd: path.join(fixture.home, options.project ?? ''), home: fixture.home, ...options.host },
  });
  const { token: full, tokens } = await readRunFile(service.runFile);
  const port = Number(new URL(service.url).port);
  const raw = (request: RawRequest): Promise<RawAnswer> => sendRaw({ port, ...request });
  return {
    fixture,
    service,
    port,
    tokens,
    raw,
    client: (scope = 'trust') => createClient({ url: service.url, token: tokens[scope] }),
    ask: (key, given = {}) => {
      const [method = '', pattern = ''] = key.split(' ');
      const filled = pattern.replace(':name', encodeURIComponent(given.name ?? 'echo'));
      const token = 'token' in given ? given.token : full;
      return raw({
        method,
        path: given.query === undefined ? filled : `${filled}?${given.query}`,
        ...(token === undefined ? {} : { token }),
        ...(given.body === undefined
          ? {}
          : { body: JSON.stringify(given.body), headers: { 'content-type': 'application/json' } }),
      });
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

interface RunDocument {
  readonly url: string;
  readonly token: string;
  readonly tokens: Readonly<Record<Scope, string>>;
}

export async function readRunFile(file: string): Promise<RunDocument> {
  return JSON.parse(await readFile(file, 'utf8')) as RunDocument; // written by the service
}

/** Sends exactly these headers, and Host as it would be. */
export function sendRaw(
  request: RawRequest & { readonly port?: number; readonly socketPath?: string },
): Promise<RawAnswer> {
  const { method = 'GET', path: target = '/', token, headers = {}, body, port, socketPath } = request;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        ...(socketPath === undefined ? { host: '127.0.0.1', port } : { socketPath }),
        method,
        path: target,
        agent: false,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(headers as Record<string, string>), // arrays are taken as well
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text) }),
        );
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
