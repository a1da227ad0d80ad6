/**
 * The older HTTP+SSE transport: one stream delivers every server message, and the client sends with POST.
 * When the stream ends, the session ends too, so this transport closes instead of reconnecting by itself.
 */

import { type JSONRPCMessage, SSEClientTransport } from '@modelcontextprotocol/client';

import { HoltError } from '../kernel/errors.ts';
import type { NetworkFailure } from '../network/network-failure.ts';
import type { ReceiveSource } from '../network/receive-budget.ts';
import { isStreamNoise } from './classify-failure.ts';
import { createDeferred } from '../platform/waits.ts';
import { type RemoteParts, RemoteTransport } from './remote/remote-transport.ts';
import { type ServerTransport, type TransportEnd, TransportFailure } from './server-transport.ts';

export class SseTransport extends RemoteTransport implements ServerTransport {
  readonly #parts: RemoteParts;
  readonly #inner: SSEClientTransport;
  /** The stream that delivers every server message. */
  readonly #source: ReceiveSource;
  readonly #ended = createDeferred<never>();
  #ready = false;
  /** The original stream error. The SDK keeps only its message. */
  #streamFailure: Error | undefined;
  /** Why the stream ended, if it ended before `start` completed. */
  #endedEarly: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(url: URL, parts: RemoteParts) {
    super();
    this.#parts = parts;
    this.#source = parts.account.openSource();
    const inner = new SSEClientTransport(url, {
      fetch: (input, init) => this.#fetch(input, init ?? {}),
      redirectPolicy: 'follow',
    });
    const onmessage: ServerTransport['onmessage'] = (message, extra) => {
      if (this.ending !== undefined) return;
      this.onmessage?.(message, {
        ...extra,
        receipt: parts.account.receive(this.#source.take()),
      });
    };
    const onerror = (error: Error): void => {
      if (this.ending === undefined && !isStreamNoise(error)) this.onerror?.(error);
    };
    this.#inner = Object.assign(inner, { onmessage, onerror });
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    try {
      // The SDK's promise never settles if the transport closes before the server names its endpoint.
      await Promise.race([this.#inner.start(), this.#ended.promise]);
      if (this.#endedEarly !== undefined) throw this.#endedEarly;
      this.#ready = true;
    } catch (error) {
      const cause = this.ending?.cause ?? this.#streamFailure ?? (error as Error); // both reject with Errors
      await this.#shut({ reason: cause.message, cause });
      throw cause;
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.ending !== undefined)
      throw this.ending.cause ?? new TransportFailure({ kind: 'closed', reason: 'by holt' });
    try {
      await this.#inner.send(message);
    } catch (error) {
      throw this.#translate(error);
    }
  }

  async close(): Promise<void> {
    await this.#shut({ reason: 'closed by holt' });
  }

  async #fetch(input: string | URL, init: RequestInit): Promise<Response> {
    const streaming = (init.method ?? 'GET') === 'GET';
    try {
      // Without this check, the SDK's event source opens another stream after the server's `retry:` delay.
      if (streaming && this.#endedEarly !== undefined) throw this.#endedEarly;
      const response = await this.#parts.remote.fetch(
        input,
        init,
        streaming ? { source: this.#source, onEnd: (failure) => this.#streamEnded(failure) } : {},
      );
      this.opening.resolve();
      if (response.ok) return response;
      throw new TransportFailure({
        kind: 'http-status',
        status: response.status,
        body: await response.text(),
      });
    } catch (error) {
      if (streaming) this.#streamFailure = error as Error; // fetch rejects with Errors
      throw error;
    }
  }

  #streamEnded(failure: NetworkFailure | undefined): void {
    const cause = failure ?? new TransportFailure({ kind: 'closed', reason: 'the server ended its stream' });
    if (this.#ready) void this.#shut({ reason: cause.message, cause });
    else this.#endedEarly ??= cause;
  }

  #translate(error: unknown): unknown {
    if (this.ending?.cause !== undefined) return this.ending.cause;
    if (HoltError.is(error, 'auth-required')) {
      setImmediate(() => void this.#shut({ reason: error.message, cause: error }));
      return error;
    }
    if (!TransportFailure.is(error) || error.problem.kind !== 'http-status' || error.problem.status !== 404)
      return error;
    const cause = new TransportFailure({ kind: 'session-lost' }, error);
    queueMicrotask(() => void this.#shut({ reason: cause.message, cause }));
    return cause;
  }

  #shut(end: TransportEnd): Promise<void> {
    this.#closing ??= this.#shutOnce(end);
    return this.#closing;
  }

  async #shutOnce(end: TransportEnd): Promise<void> {
    this.ending = end;
    const cause = end.cause ?? new TransportFailure({ kind: 'closed', reason: 'by holt' });
    this.opening.reject(cause);
    this.#ended.reject(cause);
    this.onclose?.();
    await this.#inner.close();
    await this.#parts.remote.close();
  }
}
