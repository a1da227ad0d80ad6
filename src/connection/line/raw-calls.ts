/**
 * Sends calls without the SDK client, on channels where all requests share one stream. This saves a second
 * parsing of each message and unused timers and signals. The ids have a prefix of their own.
 */

import type { JSONRPCMessage, Progress } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../kernel/json.ts';
import { AnswerError, LineClosedError } from './questions.ts';

export interface RawCallOptions {
  readonly onprogress: (progress: Progress) => void;
  /** Receives the function that cancels the call. */
  onStop(stop: (reason: unknown) => void): void;
}

export interface RawCalls {
  /** Rejects with `AnswerError`, `LineClosedError`, what `send` threw, or the reason for the cancellation. */
  call(
    method: string,
    params: JsonObject,
    options: RawCallOptions,
    /** The `_meta` entries about the sender that every request of the stateless protocol carries. */
    envelope?: JsonObject,
  ): Promise<JsonObject>;
  /** Handles the message if it belongs to one of these calls. Returns false otherwise. */
  take(message: JSONRPCMessage): boolean;
  close(): void;
}

interface Open {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: (progress: Progress) => void;
}

const prefix = 'call:';

export function isRawCall(id: unknown): boolean {
  return typeof id === 'string' && id.startsWith(prefix);
}

export function createRawCalls(send: (message: JSONRPCMessage) => Promise<void>): RawCalls {
  const open = new Map<unknown, Open>();
  let count = 0;
  let isClosed = false;
  return {
    call: (method, params, options, envelope) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new LineClosedError());
        count += 1;
        const id = `${prefix}${count}`;
        const own = params['_meta'] as JsonObject | undefined; // as the caller gave it
        open.set(id, { resolve, reject, onProgress: options.onprogress });
        let isSent = false;
        options.onStop((reason) => {
          if (!open.delete(id)) return;
          reject(reason);
          if (!isSent) return;
          const sender = envelope === undefined ? {} : { _meta: { ...envelope } };
          const told = { requestId: id, reason: String(reason), ...sender };
          send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: told }).catch(() => undefined);
        });
        // Cancelled before it was sent, so the server needs no notification.
        if (!open.has(id)) return;
        isSent = true;
        // Hot path: in Node 20, `{ ...params, _meta }` takes several times as long.
        const body = Object.assign({}, params, { _meta: { ...own, ...envelope, progressToken: id } });
        send({ jsonrpc: '2.0', id, method, params: body }).catch((error: unknown) => {
          if (open.delete(id)) reject(error);
        });
      }),
    take: (message) => {
      if ('method' in message) return takeProgress(message, open);
      if (!isRawCall(message.id)) return false;
      const call = open.get(message.id);
      open.delete(message.id);
      if ('error' in message)
        call?.reject(new AnswerError(message.error.code, message.error.message, message.error.data));
      else call?.resolve(message.result);
      return true;
    },
    close: () => {
      isClosed = true;
      for (const { reject } of open.values()) reject(new LineClosedError());
      open.clear();
    },
  };
}

/** Reports progress to its call. Ignores progress for calls that have completed. */
function takeProgress(
  message: JSONRPCMessage & { readonly method: string },
  open: ReadonlyMap<unknown, Open>,
): boolean {
  if (message.method !== 'notifications/progress') return false;
  const params: JsonObject = ('params' in message ? message.params : undefined) ?? {};
  const { progressToken, progress, total, message: words } = params;
  if (!isRawCall(progressToken)) return false;
  if (typeof progress === 'number')
    open.get(progressToken)?.onProgress({
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof words === 'string' ? { message: words } : {}),
    });
  return true;
}
