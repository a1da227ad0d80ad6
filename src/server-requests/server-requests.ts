/**
 * Answers requests from servers. They arrive as separate requests in one protocol era and within a call in
 * the other; both are answered the same way.
 */

import type { ClientCapabilities } from '@modelcontextprotocol/client';

import type { Emit } from '../kernel/events.ts';
import type { ElicitAnswer, Interaction } from '../kernel/interaction.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Clock } from '../platform/clock.ts';
import { orAborted } from '../platform/waits.ts';
import { type ActiveCall, type ActiveCalls, createActiveCalls } from './active-calls.ts';
import { answerElicit } from './answer-elicit.ts';
import { createSampling, RefusedRequest } from './answer-sampling.ts';

/** A request from a server's message. */
export interface AskedRequest {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

export interface ServerRequests {
  /** The capabilities that servers receive. */
  readonly capabilities: ClientCapabilities;
  readonly calls: ActiveCalls;
  /**
   * Answers a request. `call` is the call it belongs to, if known. Rejects with a `RefusedRequest` when the
   * request is not supported or is refused.
   */
  answer(server: string, asked: AskedRequest, call?: ActiveCall): Promise<JsonObject>;
  /** Waits until the server reports these pages as complete, for a call that continues after that. */
  watchPages(server: string, ids: readonly string[], call: ActiveCall): PageVisit;
  /** Handles a notification: log messages, completed pages, updated resources. Ignores all others. */
  notice(server: string, method: string, params: JsonObject): void;
}

interface PageVisit {
  done(signal: AbortSignal): Promise<void>;
  stop(): void;
}

export interface RequestParts {
  readonly interaction: Interaction;
  /** The project's folder, as a URL. */
  readonly projectRoot: string;
  readonly clock: Clock;
  readonly emit: Emit;
  /** Returns a copy with secrets redacted. */
  readonly redact: <Value>(value: Value) => Value;
  readonly debug: (message: string) => void;
}

/** Interval at which the calls' idle timeouts are reset while the user is being asked. */
const touchMs = 5000;

export function createServerRequests(parts: RequestParts): ServerRequests {
  const { interaction, projectRoot, clock, emit, debug } = parts;
  const calls = createActiveCalls();
  const pages = createPageWatches();
  const noticeOnce = createNoticeOnce(emit);
  const sample = createSampling({ sample: interaction.sample, now: () => clock.now(), noticeOnce });
  const roots = interaction.roots ?? (() => Promise.resolve([{ uri: projectRoot }]));

  const elicit = async (server: string, params: JsonObject, call?: ActiveCall): Promise<ElicitAnswer> => {
    const known = call ?? calls.only(server);
    const waiting = known === undefined ? [...calls.all(server)] : [known];
    const refused = (reason: string): void =>
      emit('mcp.warning', {
        server,
        code: 'elicitation-refused',
        message: `A question from "${server}" was not answered: ${reason}`,
      });
    const handler = known?.onElicit ?? interaction.elicit;
    const signal = calls.over(waiting);
    const asking = answerElicit(params, { server, elicit: handler, refused, debug, signal });
    const releases = waiting.map((one) => one.hold?.());
    return whileAsking(asking, waiting, clock).finally(() => {
      for (const release of releases) release?.();
    });
  };
  return {
    // Elicitation is always offered, because a caller may pass its own handler with any call. Sampling is
    // offered only with a handler, because it costs money.
    capabilities: {
      roots: {},
      elicitation: { form: {}, url: {} },
      ...(interaction.sample === undefined ? {} : { sampling: {} }),
    },
    calls,
    notice: (server, method, params) => {
      const { elicitationId: page } = params;
      if (method !== 'notifications/elicitation/complete') report(server, method, params, parts);
      else if (typeof page === 'string') pages.finish(server, page);
    },
    watchPages: (server, ids, call) => {
      const watch = pages.watch(server, ids);
      return {
        done: (signal) => whileAsking(orAborted(watch.done, signal), [call], clock),
        stop: () => watch.stop(),
      };
    },
    answer: async (server, { method, params = {} }, call) => {
      if (method === 'elicitation/create') return { ...(await elicit(server, params, call)) };
      if (method === 'roots/list') return { roots: await roots() };
      if (method === 'sampling/createMessage') {
        const waiting = call === undefined ? [...calls.all(server)] : [call];
        return whileAsking(sample(server, params), waiting, clock);
      }
      noticeOnce(server, `asks:${method}`, `"${server}" asks for ${method}, which is not offered here`);
      throw new RefusedRequest(RefusedRequest.methodNotFound, `Method not found: ${method}`);
    },
  };
}

/** Emits each warning once per server. */
function createNoticeOnce(emit: Emit): (server: string, code: string, message: string) => void {
  const noticed = new Set<string>();
  return (server, code, message) => {
    const key = JSON.stringify([server, code]);
    if (noticed.has(key)) return;
    noticed.add(key);
    emit('mcp.warning', { server, code, message });
  };
}

const levels: ReadonlySet<unknown> = new Set([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]);

/** Emits an event for a notification that is for the host's listeners. Ignores malformed ones. */
function report(
  server: string,
  method: string,
  { uri, level, logger, data }: JsonObject,
  { emit, redact }: RequestParts,
): void {
  if (method === 'notifications/resources/updated' && typeof uri === 'string')
    emit('mcp.resource.updated', { server, uri });
  if (method !== 'notifications/message' || typeof level !== 'string' || !levels.has(level)) return;
  if (logger !== undefined && typeof logger !== 'string') return;
  emit('mcp.log', redact({ server, level, ...(logger === undefined ? {} : { logger }), data }));
}

async function whileAsking<Value>(
  asking: Promise<Value>,
  waiting: readonly ActiveCall[],
  clock: Clock,
): Promise<Value> {
  let stop: (() => void) | undefined;
  const touch = (): void => {
    for (const call of waiting) call.touch();
    stop = clock.setTimer(touchMs, touch, { background: true });
  };
  touch();
  try {
    return await asking;
  } finally {
    stop?.();
    for (const call of waiting) call.touch();
  }
}

export interface PageWatch {
  /** Resolves when the server has reported every page as complete. */
  readonly done: Promise<void>;
  stop(): void;
}

export interface PageWatches {
  watch(server: string, ids: readonly string[]): PageWatch;
  /** Call when the server reports this page as complete. */
  finish(server: string, id: string): void;
}

interface Waiting {
  readonly server: string;
  readonly left: Set<string>;
  settle: (() => void) | undefined;
}

export function createPageWatches(): PageWatches {
  const open = new Set<Waiting>();
  return {
    watch: (server, ids) => {
      const waiting: Waiting = { server, left: new Set(ids), settle: undefined };
      const done = new Promise<void>((resolve) => {
        waiting.settle = resolve;
      });
      open.add(waiting);
      return { done, stop: () => void open.delete(waiting) };
    },
    finish: (server, id) => {
      for (const { server: whose, left, settle } of open)
        if (whose === server && left.delete(id) && left.size === 0) settle?.();
    },
  };
}
