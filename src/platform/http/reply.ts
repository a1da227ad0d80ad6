/** Answering one request: at once, or as a stream of which somebody else decides when it is too far behind. */

import type { ServerResponse } from 'node:http';

export interface HttpStream {
  write(bytes: Uint8Array | string): void;
  /** What was written and not yet taken by the system. */
  readonly backlogBytes: number;
  end(): void;
  /** Ends it at once; what waits is dropped. */
  destroy(): void;
  /** When it is over, whoever ended it. */
  readonly closed: Promise<void>;
}

export interface HttpReply {
  send(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array): void;
  stream(status: number, headers: Readonly<Record<string, string>>): HttpStream;
  /** When nothing more will be sent, whether it arrived or not. */
  readonly closed: Promise<void>;
}

export function openReply(response: ServerResponse): HttpReply {
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => resolve());
  });
  // A client that went away in the middle is no fault of ours.
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
