/** Reads a request body within limits for size and time. */

import type { IncomingMessage } from 'node:http';

export interface BodyLimits {
  readonly maxBytes: number;
  readonly withinMs: number;
}

export type BodyOutcome =
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
