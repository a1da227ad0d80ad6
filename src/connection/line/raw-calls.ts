/**
 * Calls that go past the SDK's client, on lines where all requests share one stream: nothing is read twice, and no timer or
 * signal is made that nobody needs. Their ids are names of their own.
 */

import type { JSONRPCMessage, Progress } from '@modelcontextprotocol/client';

import { AnswerError, LineClosedError, type JsonObject } from './questions.ts';

export interface RawCallOptions {
  readonly onprogress: (progress: Progress) => void;
  /** Takes what calls it off. */
  onStop(stop: (reason: unknown) => void): void;
}

export interface RawCalls {
  /** Rejects with `AnswerError`, `LineClosedError`, what `send` threw, or the reason it was called off for. */
  call(
    method: string,
    params: JsonObject,
    options: RawCallOptions,
    /** What every request of the stateless protocol says about its sender. */
    envelope?: JsonObject,
  ): Promise<JsonObject>;
  /** True when the message was about one of these. */
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
        // Called off before it began: the server hears nothing of it.
        if (!open.has(id)) return;
        isSent = true;
        // Each call comes by here, and in Node 20 `{ ...params, _meta }` takes several times as long.
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

/** News of a call that is over are no news. */
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
