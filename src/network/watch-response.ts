/**
 * Wraps a dispatcher to count bytes as they arrive and to report when a response ends. This is done here and
 * not on the body's stream, because an additional web stream per response is slow.
 */

import type { Dispatcher } from 'undici/index.js';

import { createMessageMeter, type MessageLimits, type MessageMeter } from './message-meter.ts';
import { excessFailure, type NetworkFailure } from './network-failure.ts';
import type { ReceiveSource } from './receive-budget.ts';

export interface Watch {
  readonly limits: MessageLimits;
  /** Where the bytes of the response are counted as received; not counted if undefined. */
  readonly source: ReceiveSource | undefined;
  readonly onStatus: (status: number) => void;
  readonly onAbortable: ((abort: () => void) => void) | undefined;
  /** Called once: with the error that broke the response, or without an argument. */
  readonly onEnd: (error?: unknown) => void;
}

/** Returns a dispatcher for one request. `rewrite` adapts the request for a forwarding proxy. */
export function watchedDispatcher(
  base: Dispatcher,
  watch: Watch,
  rewrite: (options: Dispatcher.DispatchOptions) => Dispatcher.DispatchOptions,
): Pick<Dispatcher, 'dispatch'> {
  return { dispatch: (options, handler) => base.dispatch(rewrite(options), watchHandler(handler, watch)) };
}

function watchHandler(
  handler: Dispatcher.DispatchHandler,
  { limits, source, onStatus, onAbortable, onEnd }: Watch,
): Dispatcher.DispatchHandler {
  let abort: ((error?: Error) => void) | undefined;
  /** Set once a limit is exceeded. The rest of the response is then ignored. */
  let refused: NetworkFailure | undefined;
  let body: WatchedBody | undefined;
  return {
    onConnect: (giveUp) => {
      abort = giveUp;
      handler.onConnect?.(giveUp);
      onAbortable?.(() => giveUp(new DOMException('given up', 'AbortError')));
    },
    onResponseStarted: () => handler.onResponseStarted?.(),
    onHeaders: (status, headers, resume, text) => {
      onStatus(status);
      const watched = watchBody(headers, { limits, source, resume });
      body = watched;
      return handler.onHeaders?.(status, headers, watched.resume, text) ?? true;
    },
    onData: (chunk) => {
      if (refused !== undefined) return true;
      const excess = body?.count(chunk);
      if (excess === undefined) return body?.mayGoOn(handler.onData?.(chunk) ?? true) ?? true;
      const failure = excessFailure(excess, limits);
      refused = failure;
      body?.end();
      source?.end();
      // Deferred: fetch misses the end of a response that ends while it is still starting.
      setImmediate(() => {
        abort?.(failure);
        onEnd(failure);
        handler.onError?.(failure);
      });
      return true;
    },
    onComplete: (trailers) => {
      if (refused !== undefined) return;
      body?.end();
      onEnd();
      handler.onComplete?.(trailers);
    },
    onError: (error) => {
      if (refused !== undefined) return;
      body?.end();
      source?.end();
      onEnd(error);
      handler.onError?.(error);
    },
    onUpgrade: (status, headers, socket) => handler.onUpgrade?.(status, headers, socket),
    onBodySent: (size, total) => handler.onBodySent?.(size, total),
  };
}

interface WatchedBody {
  readonly count: MessageMeter['count'];
  /** Resumes the response if neither its reader nor the receive budget requires a pause. */
  readonly resume: () => void;
  readonly mayGoOn: (isReaderReady: boolean) => boolean;
  readonly end: () => void;
}

interface BodyParts {
  readonly limits: MessageLimits;
  readonly source: ReceiveSource | undefined;
  readonly resume: () => void;
}

function watchBody(headers: readonly Buffer[], { limits, source, resume }: BodyParts): WatchedBody {
  const isEvents = headerOf(headers, 'content-type').startsWith('text/event-stream');
  const isPacked = headerOf(headers, 'content-encoding') !== '';
  // Compressed bytes have no JSON structure to count.
  const own = isPacked ? { ...limits, messageNodes: Number.POSITIVE_INFINITY } : limits;
  const meter = createMessageMeter(own, isEvents ? 'events' : 'body');
  // `source` itself counts the decompressed bytes elsewhere.
  const wire = isPacked ? source?.sibling() : source;
  const record = wire === undefined ? undefined : createRecord(wire, meter);
  let isReaderReady = true;
  wire?.attach({
    pause: () => undefined,
    resume: () => {
      if (isReaderReady) resume();
    },
  });
  return {
    count: (chunk) => {
      const excess = meter.count(chunk);
      record?.(chunk.byteLength);
      return excess;
    },
    resume: () => {
      isReaderReady = true;
      if (wire?.isPaused !== true) resume();
    },
    mayGoOn: (isReady) => {
      isReaderReady = isReady;
      return isReady && wire?.isPaused !== true;
    },
    end: () => wire?.end(),
  };
}

/** Returns a function that reports a meter's counts to `source`. */
export function createRecord(source: ReceiveSource, meter: MessageMeter): (bytes: number) => void {
  let nodes = 0;
  return (bytes) => {
    source.add(bytes, meter.totalNodes - nodes);
    nodes = meter.totalNodes;
    source.hold(meter.bytes);
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
