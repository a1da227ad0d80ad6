/** Reads request bodies within limits, and writes replies. */

import type { IncomingMessage, ServerResponse } from 'node:http';

export interface BodyLimits {
  readonly maxBytes: number;
  readonly withinMs: number;
}

type BodyOutcome =
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large' | 'too-slow' | 'gone' };

export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<BodyOutcome> {
  if (Number(request.headers['content-length'] ?? 0) > limits.maxBytes) return { kind: 'too-large' };
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const finish = (outcome: BodyOutcome): void => {
      clearTimeout(timer);
      request.off('data', take);
      // Ignore the rest of the body; the response closes the connection.
      if (outcome.kind !== 'body') request.pause();
      resolve(outcome);
    };
    const take = (chunk: Uint8Array): void => {
      size += chunk.length;
      if (size > limits.maxBytes) finish({ kind: 'too-large' });
      else chunks.push(chunk);
    };
    const timer = setTimeout(() => finish({ kind: 'too-slow' }), limits.withinMs);
    request.on('data', take);
    request.once('end', () => finish({ kind: 'body', bytes: Buffer.concat(chunks) }));
    request.once('close', () => finish({ kind: 'gone' }));
  });
}

export interface HttpStream {
  write(bytes: Uint8Array | string): void;
  /** The bytes that were written but that the system has not accepted yet. */
  readonly backlogBytes: number;
  end(): void;
  /** Closes the stream immediately and drops unsent data. */
  destroy(): void;
  /** Resolves when the stream has ended, whichever side ended it. */
  readonly closed: Promise<void>;
}

export interface HttpReply {
  send(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array): void;
  stream(status: number, headers: Readonly<Record<string, string>>): HttpStream;
  /** Resolves when nothing more will be sent, whether or not the response arrived. */
  readonly closed: Promise<void>;
}

export function openReply(response: ServerResponse): HttpReply {
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => resolve());
  });
  // A client may disconnect at any time; this is not an error in holt.
  response.on('error', () => undefined);
  return {
    closed,
    send: (status, headers, body) => {
      if (response.headersSent || response.destroyed) return;
      response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
      response.end(body);
    },
    stream: (status, headers) => {
      response.writeHead(status, headers);
      response.flushHeaders();
      return {
        write: (bytes) => {
          if (!response.destroyed && !response.writableEnded) response.write(bytes);
        },
        get backlogBytes() {
          return response.writableLength;
        },
        end: () => response.end(),
        destroy: () => response.destroy(),
        closed,
      };
    },
  };
}
