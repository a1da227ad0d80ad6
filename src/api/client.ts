/**
 * `holt/client`: a typed client for the API of `holt serve`. Its types come from the table of routes with
 * which the service checks requests, so the two cannot diverge. Needs only `fetch`, so it also runs in
 * browsers.
 */

import type { StreamMessage } from './contract/catalog-schemas.ts';
import type { AnswerOf, BodyOf, PathParams, QueryOf, RouteKey, Routes } from './contract.ts';

export type { StreamMessage } from './contract/catalog-schemas.ts';
export type { RouteKey } from './contract.ts';

export interface ClientOptions {
  /** For example `http://127.0.0.1:7420`. */
  readonly url: string;
  readonly token: string;
  /** Replaces the global `fetch`, for example to use a Unix socket or to inspect requests. */
  readonly fetch?: typeof fetch | undefined;
}

type Given<Name extends string, Type> = Type extends undefined ? unknown : { readonly [Key in Name]: Type };
type PossiblyEmpty<Name extends string, Type> = Type extends undefined
  ? unknown
  : Partial<Type> extends Type
    ? { readonly [Key in Name]?: Type }
    : { readonly [Key in Name]: Type };

/** What a route takes: path parameters, query and body. */
export type RequestOf<Key extends RouteKey> = Given<
  'params',
  [PathParams<Key>] extends [never] ? undefined : Readonly<Record<PathParams<Key>, string>>
> &
  PossiblyEmpty<'query', QueryOf<Routes[Key]>> &
  PossiblyEmpty<'body', BodyOf<Routes[Key]>> & { readonly signal?: AbortSignal | undefined };

export type ResponseOf<Key extends RouteKey> = AnswerOf<Routes[Key]>;

type Arguments<Key extends RouteKey> =
  Partial<RequestOf<Key>> extends RequestOf<Key> ? [request?: RequestOf<Key>] : [request: RequestOf<Key>];

type ToolResult = ResponseOf<'POST /tools/:name/call'>;

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface HoltClient {
  /**
   * Sends one request: `client.send('POST /mcp/:name/connect', { params: { name: 'fs' } })`. Rejects with
   * `ApiError` when the service answers with an error.
   */
  send<Key extends RouteKey>(key: Key, ...given: Arguments<Key>): Promise<ResponseOf<Key>>;
  /** Calls a tool and reports its progress. */
  callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options?: {
      readonly onProgress?: (progress: Progress) => void;
      readonly timeoutMs?: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<ToolResult>;
  /**
   * Yields every event until `signal` is aborted or the service ends the stream. `lastEventId` resumes after
   * the last event that was seen.
   */
  events(options?: {
    readonly lastEventId?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }): AsyncGenerator<StreamMessage>;
}

/** An error that the service answered with, or the loss of its connection. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }
}

interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export function createClient({ url, token, fetch: send = globalThis.fetch }: ClientOptions): HoltClient {
  const ask = async (key: RouteKey, given: Sent, headers: Readonly<Record<string, string>> = {}) => {
    const { signal, body } = given;
    const [method = '', path = ''] = key.split(' ');
    const response = await send(new URL(fillPath(path, given), url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      redirect: 'error',
    });
    if (!response.ok) throw await readError(response);
    return response;
  };
  return {
    send: async (key, ...[given]) => {
      const response = await ask(key, given ?? {});
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      return (isJson ? await response.json() : await response.text()) as never; // typed by the schemas
    },
    callTool: async (name, args, { onProgress, timeoutMs, signal } = {}) => {
      const body = { arguments: args, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
      const accept = { accept: 'text/event-stream' };
      const response = await ask('POST /tools/:name/call', { params: { name }, body, signal }, accept);
      for await (const { event, data } of readEvents(bodyOf(response))) {
        if (event === 'progress') onProgress?.(data as Progress); // typed by the service's schemas
        if (event === 'result') return data as ToolResult; // as above
        if (event === 'error') throw toError(200, data);
      }
      throw new ApiError(200, 'connection-lost', 'The service ended before the call did');
    },
    events: async function* events({ lastEventId, signal } = {}) {
      const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      try {
        const response = await ask('GET /events', { signal }, { accept: 'text/event-stream', ...resume });
        for await (const { event, data } of readEvents(bodyOf(response)))
          yield { event, data } as StreamMessage; // typed by the service's schemas
      } catch (error) {
        // The caller ended the stream, so ignore the error that this causes.
        if (signal?.aborted !== true) throw error;
      }
    },
  };
}

function fillPath(path: string, { params = {}, query = {} }: Sent): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, `${value}`);
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  if (response.body === null) throw new ApiError(response.status, 'connection-lost', 'The answer is empty');
  return response.body;
}

async function readError(response: Response): Promise<ApiError> {
  return toError(response.status, await response.json().catch(() => undefined));
}

function toError(status: number, body: unknown): ApiError {
  const { error } = (body ?? {}) as {
    readonly error?: { readonly code?: string; readonly message?: string };
  }; // each field is checked below
  return new ApiError(
    status,
    error?.code ?? 'unknown',
    error?.message ?? `The service responded with status ${status}`,
  );
}

export interface StreamedMessage {
  readonly event: string;
  readonly data: unknown;
  readonly id: string | undefined;
}

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      yield* blocks.flatMap(readBlock);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Returns nothing for comments, which only keep the connection alive. */
function readBlock(block: string): readonly StreamedMessage[] {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).replace(/^ /, ''));
  }
  const data = fields.get('data');
  if (data === undefined) return [];
  return [
    { event: fields.get('event') ?? 'message', data: JSON.parse(data) as unknown, id: fields.get('id') },
  ];
}
