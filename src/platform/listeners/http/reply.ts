/**
 * Responds to one HTTP request, either in one piece or as a stream. The user of a stream decides when a
 * client is too far behind.
 */

import type { ServerResponse } from 'node:http';

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
