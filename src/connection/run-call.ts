/**
 * Runs one piece of work on a server within its limits. Connects first if needed, and repeats safe work once
 * if the connection or the session is lost.
 */

import type { Progress } from '@modelcontextprotocol/client';

import { HoltError } from '../kernel/errors.ts';
import { CallClock, CallDeadline } from './call-timers.ts';
import type { CallOptions as SendOptions } from './requests.ts';
import type { Failure } from './explain-failure.ts';
import { inSeconds, type Limits } from './limits.ts';
import { loginLost } from './server-state.ts';
import type { Session } from './session.ts';
import type { WakeWatch } from './wake-watch.ts';

/** What work needs to send its request, and to be cancelled. */
export interface CallRequest extends SendOptions {
  readonly signal: AbortSignal;
}

export type Work<Result> = (session: Session, request: CallRequest) => Promise<Result>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The caller's time limit, which replaces the server's limits. It may already be running. */
  readonly deadline?: CallDeadline | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Repeating the work does no harm. It runs again if the first run loses the connection or session. */
  readonly isSafe?: boolean | undefined;
}

/** How long a caller waits for a server to be ready. */
export interface Patience {
  readonly signal?: AbortSignal | undefined;
  /** Rejects if the next restart is due later than this. A start in progress has its own limits. */
  readonly withinMs?: number | undefined;
}

export interface RunParts {
  readonly server: string;
  readonly limits: () => Limits;
  readonly wake: WakeWatch;
  /** Returns a session that needs no liveness check. */
  readonly usable: () => Session | undefined;
  readonly ready: (patience: Patience) => Promise<Session>;
  readonly explain: (error: unknown, session: Session) => Failure;
  readonly suspect: (session: Session) => void;
}

export async function runCall<Result>(
  work: Work<Result>,
  options: CallOptions,
  parts: RunParts,
): Promise<Result> {
  const { signal, deadline, isSafe = false } = options;
  const limits = parts.limits();
  const { idleMs, totalMs } = limits;
  for (let mayRepeat = isSafe; ; mayRepeat = false) {
    const session = parts.usable() ?? (await readySession(options, parts));
    if (deadline !== undefined) {
      deadline.throwIfPassed();
      deadline.waitsForAnswer(parts.server, totalMs);
    }
    const clock = deadline ?? new CallClock({ idleMs, totalMs, signal }, parts.wake);
    try {
      return await work(session, new ClockedRequest(clock, options.onProgress));
    } catch (error) {
      signal?.throwIfAborted();
      const failed = toCallError(error, { session, clock, limits }, parts);
      if (!mayRepeat || !(HoltError.is(failed, 'connection-lost') || HoltError.is(failed, 'session-lost')))
        throw failed;
    } finally {
      // A deadline belongs to the caller and keeps running.
      if (clock !== deadline) clock.end();
    }
  }
}

function readySession({ signal, deadline }: CallOptions, { server, ready }: RunParts): Promise<Session> {
  if (deadline === undefined) return ready({ signal });
  deadline.waitsFor('start', server);
  return ready({ signal: deadline.signal, withinMs: deadline.leftMs });
}

class ClockedRequest implements CallRequest {
  readonly #clock: CallClock | CallDeadline;
  readonly #onProgress: CallOptions['onProgress'];

  constructor(clock: CallClock | CallDeadline, onProgress: CallOptions['onProgress']) {
    this.#clock = clock;
    this.#onProgress = onProgress;
  }

  get signal(): AbortSignal {
    return this.#clock.signal;
  }

  readonly onprogress = (progress: Progress): void => {
    this.#clock.touch();
    this.#onProgress?.(progress);
  };

  onStop(stop: (reason: unknown) => void): void {
    this.#clock.onStop(stop);
  }
}

interface FailedCall {
  readonly session: Session;
  readonly clock: CallClock | CallDeadline;
  readonly limits: Limits;
}

/** Wraps timeouts and lost connections. Returns an error answer of the server unchanged. */
function toCallError(error: unknown, { session, clock, limits }: FailedCall, parts: RunParts): unknown {
  const { server } = parts;
  const timeout =
    clock instanceof CallDeadline ? clock.failure : timeoutOf(error, clock.passed, limits, server);
  if (timeout !== undefined) {
    // The server may be busy or dead, so check it before the next call.
    parts.suspect(session);
    return timeout;
  }
  const failure = parts.explain(error, session);
  if (failure.kind === 'session-lost') {
    const message = `The server "${server}" has forgotten the session; a new session has been opened. The call was not repeated, because it may have been carried out.`;
    return new HoltError(
      'session-lost',
      message,
      { server },
      { cause: error, remedy: 'Call again if doing it twice does no harm.' },
    );
  }
  if (!session.channel.isClosed && failure.kind !== 'connection-lost') return error;
  if (failure.status === 'needs_auth')
    return loginLost(server, failure, session.channel.transport.end?.cause);
  const message = `The connection to "${server}" broke during the call: ${failure.message}`;
  return new HoltError('connection-lost', message, { server, reason: failure.message }, { cause: error });
}

function timeoutOf(
  error: unknown,
  passed: CallClock['passed'],
  limits: Limits,
  server: string,
): HoltError<'call-timeout'> | undefined {
  if (passed === undefined) return undefined;
  const afterMs = limits[`${passed}Ms`];
  const what =
    passed === 'idle' ? `was silent for ${inSeconds(afterMs)}` : `took longer than ${inSeconds(afterMs)}`;
  return new HoltError(
    'call-timeout',
    `The call to "${server}" ${what} and was cancelled`,
    { server, limit: passed, afterMs },
    { cause: error, remedy: `${limits.advice(passed, afterMs)} if it needs longer.` },
  );
}
