/** Runs one piece of work on a server: within its limits, on a connection that lives, and a second time where that is safe. */

import type { Progress } from '@modelcontextprotocol/client';

import { HoltError } from '../kernel/errors.ts';
import type { Failure } from './door.ts';
import { inSeconds, type Limits } from './limits.ts';
import { CallClock } from './line/call-clock.ts';
import type { Session } from './session.ts';
import type { WakeWatch } from './wake-watch.ts';

/** For the options of the client's request. */
export interface CallRequest {
  readonly signal: AbortSignal;
  /** In place of the signal, for who can do without one. */
  onStop(stop: (reason: unknown) => void): void;
  readonly timeout: number;
  readonly onprogress: (progress: Progress) => void;
}

export type Work<Result> = (session: Session, request: CallRequest) => Promise<Result>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** In place of the server's own. */
  readonly idleMs?: number | undefined;
  readonly totalMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Doing it twice does no harm: it is done again when the connection broke in the middle of it. */
  readonly isSafe?: boolean | undefined;
}

/** How long somebody waits for a server. */
export interface Patience {
  readonly signal?: AbortSignal | undefined;
  /** Not longer than this for its next start. A start under way has limits of its own. */
  readonly withinMs?: number | undefined;
}

export interface RunParts {
  readonly server: string;
  readonly limits: () => Limits;
  readonly wake: WakeWatch;
  /** A session that may be used without looking at it first. */
  readonly usable: () => Session | undefined;
  readonly ready: (patience: Patience) => Promise<Session>;
  readonly explain: (error: unknown, session: Session) => Failure;
  readonly suspect: (session: Session) => void;
}

/** Our clocks are the ones that count. */
const noTimeoutMs = 2 ** 31 - 1;

export async function runCall<Result>(
  work: Work<Result>,
  options: CallOptions,
  parts: RunParts,
): Promise<Result> {
  const { signal, onProgress, isSafe = false } = options;
  const limits = parts.limits();
  const idleMs = options.idleMs ?? limits.idleMs;
  const totalMs = options.totalMs ?? limits.totalMs;
  for (let mayRepeat = isSafe; ; mayRepeat = false) {
    const session = parts.usable() ?? (await parts.ready({ signal, withinMs: options.totalMs }));
    const clock = new CallClock({ idleMs, totalMs, signal }, parts.wake);
    try {
      return await work(session, new ClockedRequest(clock, onProgress));
    } catch (error) {
      signal?.throwIfAborted();
      const failed = toCallError(error, { session, clock, limitMs: { idle: idleMs, total: totalMs } }, parts);
      if (!mayRepeat || !(HoltError.is(failed, 'connection-lost') || HoltError.is(failed, 'session-lost')))
        throw failed;
    } finally {
      clock.end();
    }
  }
}

class ClockedRequest implements CallRequest {
  readonly #clock: CallClock;
  readonly #tell: CallOptions['onProgress'];
  readonly timeout = noTimeoutMs;

  constructor(clock: CallClock, tell: CallOptions['onProgress']) {
    this.#clock = clock;
    this.#tell = tell;
  }

  get signal(): AbortSignal {
    return this.#clock.signal;
  }

  readonly onprogress = (progress: Progress): void => {
    this.#clock.touch();
    this.#tell?.(progress);
  };

  onStop(stop: (reason: unknown) => void): void {
    this.#clock.onStop(stop);
  }
}

interface FailedCall {
  readonly session: Session;
  readonly clock: CallClock;
  readonly limitMs: Readonly<Record<'idle' | 'total', number>>;
}

/** What the server itself said is passed on as it is. */
function toCallError(error: unknown, { session, clock, limitMs }: FailedCall, parts: RunParts): unknown {
  const { server } = parts;
  if (clock.passed !== undefined) {
    // It may be busy, or it may be dead: the next call finds out first.
    parts.suspect(session);
    const afterMs = limitMs[clock.passed];
    const what =
      clock.passed === 'idle'
        ? `was silent for ${inSeconds(afterMs)}`
        : `took longer than ${inSeconds(afterMs)}`;
    const message = `The call to "${server}" ${what} and was called off`;
    const remedy = `Raise timeouts.${clock.passed}Ms if it needs longer.`;
    return new HoltError(
      'call-timeout',
      message,
      { server, limit: clock.passed, afterMs },
      { cause: error, remedy },
    );
  }
  const failure = parts.explain(error, session);
  if (failure.kind === 'session-lost') {
    const message = `The server "${server}" has forgotten the session; it has been opened anew. The call was not repeated, because it may have been carried out.`;
    return new HoltError(
      'session-lost',
      message,
      { server },
      { cause: error, remedy: 'Call again if doing it twice does no harm.' },
    );
  }
  if (!session.line.isClosed && failure.kind !== 'connection-lost') return error;
  const message = `The connection to "${server}" broke during the call: ${failure.message}`;
  return new HoltError('connection-lost', message, { server, reason: failure.message }, { cause: error });
}
