/** Runs one piece of work on a server: within its limits, on a connection that lives, and a second time where that is safe. */

import type { Progress } from '@modelcontextprotocol/client';

import { HoltError } from '../kernel/errors.ts';
import { CallDeadline } from './call-deadline.ts';
import type { Failure } from './door.ts';
import { inSeconds, type Limits } from './limits.ts';
import { CallClock } from './line/call-clock.ts';
import { loginLost } from './server-state.ts';
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
  /** The time that the caller gives it, in place of the server's own limits. It may have begun long ago. */
  readonly deadline?: CallDeadline | undefined;
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
  const { signal, deadline, isSafe = false } = options;
  const limits = parts.limits();
  const { idleMs, totalMs } = limits;
  for (let mayRepeat = isSafe; ; mayRepeat = false) {
    const session = parts.usable() ?? (await readied(options, parts));
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
      // The caller's own time goes on.
      if (clock !== deadline) clock.end();
    }
  }
}

function readied({ signal, deadline }: CallOptions, { server, ready }: RunParts): Promise<Session> {
  if (deadline === undefined) return ready({ signal });
  deadline.waitsFor('start', server);
  return ready({ signal: deadline.signal, withinMs: deadline.leftMs });
}

class ClockedRequest implements CallRequest {
  readonly #clock: CallClock | CallDeadline;
  readonly #tell: CallOptions['onProgress'];
  readonly timeout = noTimeoutMs;

  constructor(clock: CallClock | CallDeadline, tell: CallOptions['onProgress']) {
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
  readonly clock: CallClock | CallDeadline;
  readonly limits: Limits;
}

/** What the server itself said is passed on as it is. */
function toCallError(error: unknown, { session, clock, limits }: FailedCall, parts: RunParts): unknown {
  const { server } = parts;
  const late = clock instanceof CallDeadline ? clock.failure : tooLate(error, clock.passed, limits, server);
  if (late !== undefined) {
    // It may be busy, or it may be dead: the next call finds out first.
    parts.suspect(session);
    return late;
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
  if (failure.status === 'needs_auth') return loginLost(server, failure, session.line.transport.end?.cause);
  const message = `The connection to "${server}" broke during the call: ${failure.message}`;
  return new HoltError('connection-lost', message, { server, reason: failure.message }, { cause: error });
}

function tooLate(
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
    `The call to "${server}" ${what} and was called off`,
    { server, limit: passed, afterMs },
    { cause: error, remedy: `${limits.advice(passed, afterMs)} if it needs longer.` },
  );
}
