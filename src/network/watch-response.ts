/**
 * Stands between fetch and the socket: counts bytes as they arrive, and tells when a response is over.
 * Done here and not on the body's stream, because one more web stream per answer is what makes clients slow.
 */

import type { Dispatcher } from 'undici';

import { createMessageMeter } from './message-meter.ts';
import { NetworkFailure } from './network-failure.ts';

export interface Watch {
  readonly limitBytes: number;
  readonly onStatus: (status: number) => void;
  readonly onAbortable: ((abort: () => void) => void) | undefined;
  /** Called once, with what broke it or with nothing. */
  readonly onEnd: (error?: unknown) => void;
}

/** Sends one request on its way; `rewrite` is how a forwarding proxy wants it. */
export function watchedDispatcher(
  base: Dispatcher,
  watch: Watch,
  rewrite: (options: Dispatcher.DispatchOptions) => Dispatcher.DispatchOptions,
): Pick<Dispatcher, 'dispatch'> {
  return { dispatch: (options, handler) => base.dispatch(rewrite(options), watchHandler(handler, watch)) };
}

function watchHandler(
  handler: Dispatcher.DispatchHandler,
  { limitBytes, onStatus, onAbortable, onEnd }: Watch,
): Dispatcher.DispatchHandler {
  let abort: ((error?: Error) => void) | undefined;
  /** From then on the rest of the answer is nobody's business. */
  let tooLarge: NetworkFailure | undefined;
  let meter = createMessageMeter(limitBytes, 'body');
  return {
    onConnect: (giveUp) => {
      abort = giveUp;
      handler.onConnect?.(giveUp);
      onAbortable?.(() => giveUp(new DOMException('given up', 'AbortError')));
    },
    onResponseStarted: () => handler.onResponseStarted?.(),
    onHeaders: (status, headers, resume, text) => {
      onStatus(status);
      if (headerOf(headers, 'content-type').startsWith('text/event-stream'))
        meter = createMessageMeter(limitBytes, 'events');
      return handler.onHeaders?.(status, headers, resume, text) ?? true;
    },
    onData: (chunk) => {
      if (tooLarge !== undefined) return true;
      if (meter.count(chunk)) return handler.onData?.(chunk) ?? true;
      const failure = new NetworkFailure({ kind: 'too-large', limitBytes });
      tooLarge = failure;
      // Not in here: fetch misses the end of an answer that ends while it begins.
      setImmediate(() => {
        abort?.(failure);
        onEnd(failure);
        handler.onError?.(failure);
      });
      return true;
    },
    onComplete: (trailers) => {
      if (tooLarge !== undefined) return;
      onEnd();
      handler.onComplete?.(trailers);
    },
    onError: (error) => {
      if (tooLarge !== undefined) return;
      onEnd(error);
      handler.onError?.(error);
    },
    onUpgrade: (status, headers, socket) => handler.onUpgrade?.(status, headers, socket),
    onBodySent: (size, total) => handler.onBodySent?.(size, total),
  };
}

function headerOf(headers: readonly Buffer[], name: string): string {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const key = headers[index];
    if (key?.length === name.length && key.toString('latin1').toLowerCase() === name)
      return headers[index + 1]?.toString('latin1').toLowerCase() ?? '';
  }
  return '';
}
