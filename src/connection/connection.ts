/**
 * The connection to one server: starts it on demand, shares it between callers, restarts it after a failure
 * and closes it. `#state` holds the whole state, and every change of it goes through `#become`.
 */

import { orAborted } from '../platform/waits.ts';
import type { HoltError } from '../kernel/errors.ts';
import type { Status } from '../kernel/phases.ts';
import { isAllowed } from '../trust/trust-state.ts';
import { type LiveCheck, Retirement, type ServerEntry, type ServerState } from './server-state.ts';
import { createBackoff, type Backoff } from './backoff.ts';

import type { AdmitOptions, ConnectionParts, ConnectOptions, StartOptions } from './connection-parts.ts';
import { createExplain, stderrOf, type Failure } from './explain-failure.ts';
import type { Channel, ChannelEvents, ListKind } from './channel.ts';
import { ChannelClosedError } from './requests.ts';
import { createPhaseWalk, type PhaseWalk } from './phase-table.ts';
import { runCall, type CallOptions, type Patience, type RunParts, type Work } from './run-call.ts';
import { reportOf, type ServerReport } from './server-report.ts';
import * as states from './server-state.ts';
import type { Session } from './session.ts';
import { readFailure } from './start/connect-failure.ts';
import { connectOnce } from './start/connect-once.ts';
import { closeWithin, delay } from './wake-watch.ts';

const usualLivenessMs = 2000;
/** A session that is lost again this soon is not reopened immediately. */
const reopenAfterMs = 5000;

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #phases: PhaseWalk;
  readonly #backoff: Backoff;
  readonly #callParts: RunParts;
  /** Ended once the connection must never start again. */
  readonly retirement = new Retirement();
  #entry: ServerEntry;
  #state: ServerState;
  #reopenedAt = Number.NEGATIVE_INFINITY;

  /** The first start waits for `closing`: the previous server of that name may use the same port. */
  constructor(entry: ServerEntry, parts: ConnectionParts, closing = states.nothingOpen) {
    this.#entry = entry;
    this.#parts = parts;
    this.#backoff = createBackoff(parts.backoff);
    this.#phases = createPhaseWalk({
      server: entry.ref,
      clock: parts.clock,
      onStep: (step) => parts.emit('mcp.phase', { server: entry.ref, ...step }),
    });
    this.#state = { kind: 'resting', status: states.restingStatus(entry), closing };
    this.#callParts = {
      server: entry.ref,
      limits: () => parts.limitsOf(this.#entry),
      wake: parts.wake,
      usable: () => this.#usable(),
      ready: (patience) => this.ready(patience),
      explain: (error, session) => this.explain(error, session),
      suspect: (session) => this.suspect(session),
    };
  }

  get entry(): ServerEntry {
    return this.#entry;
  }

  get session(): Session | undefined {
    return this.#state.kind === 'live' ? this.#state.session : undefined;
  }

  /** True if the server runs, starts, or waits for a restart. */
  get isWanted(): boolean {
    return this.#state.kind !== 'resting';
  }

  status(): Status {
    return states.statusOf(this.#state, this.#phases.current);
  }

  report(): ServerReport {
    const error = this.#state.kind === 'resting' ? this.#state.error : undefined;
    return reportOf({
      status: this.status(),
      session: this.session,
      start: this.#entry.start,
      error,
      phases: this.#phases.times(),
    });
  }

  /** For changes of limits, filters and approvals. Every other change needs a new connection. */
  update(entry: ServerEntry): void {
    this.#entry = entry;
    if (this.#state.kind !== 'resting') return;
    const fresh = states.restingStatus(entry);
    if (fresh.status === 'idle' && this.#state.error !== undefined) return;
    this.#rest(fresh, this.#state.closing);
  }

  /** Starts the server unless it runs. Never rejects. */
  async connect({ ask = false, urgent = true }: ConnectOptions = {}): Promise<Status> {
    const state = this.#state;
    if (urgent && state.kind !== 'live') this.#parts.slots.hurry(this.#entry.ref);
    if (state.kind === 'live') return this.status();
    if (state.kind === 'starting') return state.attempt;
    // Respect a delay that the server requested, even for an explicit connect.
    if (state.kind === 'waiting' && state.asked) return this.status();
    if (!states.mayStart(this.#entry, this.retirement)) return this.status();
    if (state.kind === 'waiting') state.cancel();
    this.#backoff.reset();
    return this.#start({ ask, urgent, again: false, closing: state.closing });
  }

  /** Disconnects for good. Rejects current and later waiters with `why`. */
  retire(why: HoltError): Promise<void> {
    this.retirement.end(why);
    return this.disconnect();
  }

  async disconnect(): Promise<void> {
    const state = this.#state;
    const status = states.restingStatus(this.#entry);
    if (state.kind === 'starting') {
      state.stop.abort(this.#gone('it was disconnected'));
      // Do not wait for a start that has opened nothing yet: it may be waiting for a person.
      if (this.#phases.current === 'disconnected') this.#rest(status, state.closing);
      else await state.attempt;
    } else if (state.kind === 'live') {
      this.#rest(
        status,
        this.#close(() => state.session.close()),
      );
    } else {
      if (state.kind === 'waiting') state.cancel();
      this.#rest(status, state.closing);
    }
    if (this.#state.kind === 'resting') await this.#state.closing;
  }

  /** Runs work on the server. Connects first if needed. */
  use<Result>(work: Work<Result>, options: CallOptions = {}): Promise<Result> {
    return runCall(work, options, this.#callParts);
  }

  /** A usable session; connects first if needed. Rejects with a `HoltError` or the signal's reason. */
  async ready({ signal, withinMs = Number.POSITIVE_INFINITY }: Patience = {}): Promise<Session> {
    const { clock } = this.#parts;
    const until = clock.now() + withinMs;
    for (;;) {
      signal?.throwIfAborted();
      this.retirement.throwIfOver();
      const state = this.#state;
      if (state.kind === 'live') {
        if (await orAborted(this.#isUsable(state.session, state.check), signal)) return state.session;
      } else if (state.kind === 'resting' && state.status.status !== 'idle') {
        const why = states.unusable(this.#entry, state.status, state.error);
        await orAborted(this.#startWithNewLogin(why), signal);
      } else if (state.kind === 'waiting' && state.dueAt > until) {
        throw states.restsTooLong(this.#entry, state.dueAt - clock.now(), state.error);
      } else {
        await orAborted<unknown>(state.kind === 'waiting' ? state.again : this.connect(), signal);
      }
    }
  }

  /** True for a server that needs a login, if another process has logged in since. Never rejects. */
  async hasNewLogin(): Promise<boolean> {
    const { ref } = this.#entry;
    if (!states.lacksLogin(this.#state)) return false;
    return this.#parts.hasNewLogin(ref).catch((error: unknown) => {
      this.#parts.debug(ref, `the stored login could not be read: ${String(error)}`);
      return false;
    });
  }

  async #startWithNewLogin(why: HoltError): Promise<void> {
    if (!(await this.hasNewLogin())) throw why;
    await this.connect();
  }

  /** Requires a liveness check before the session is used again. */
  suspect(session: Session | undefined): void {
    if (this.#state.kind === 'live' && this.#state.session === session) this.#state.check.isSuspect = true;
  }

  /** Classifies a failure of this session. */
  explain(error: unknown, session: Session | undefined): Failure {
    const channel = (): Channel | undefined => session?.channel;
    const { wallNow } = this.#parts;
    return createExplain({ server: this.#entry.ref, phase: () => this.#phases.current, channel, wallNow })(
      error,
    );
  }

  #become(next: ServerState): void {
    const before = this.status();
    this.#state = next;
    const status = this.status();
    if (states.isStatusChange(before, status)) this.#parts.onStatus(status);
  }

  #rest(status: Status, closing: Promise<void>, error?: HoltError): void {
    this.#become({ kind: 'resting', status, closing, ...(error === undefined ? {} : { error }) });
  }

  #start(options: StartOptions): Promise<Status> {
    const { ask, closing } = options;
    const stop = new AbortController();
    const attempt = this.#attempt(stop, options);
    // Do not report the start of an unapproved server until the trust check has passed.
    const untilTrusted = ask || isAllowed(this.#entry.trust) ? undefined : states.restingStatus(this.#entry);
    this.#become({ kind: 'starting', attempt, stop, closing, untilTrusted });
    return attempt;
  }

  async #attempt(
    stop: AbortController,
    { ask, urgent = false, again, closing }: StartOptions,
  ): Promise<Status> {
    const isCurrent = (): boolean => this.#state.kind === 'starting' && this.#state.stop === stop;
    try {
      // Also defers all work until the caller has set the state.
      await closing;
      const session = await this.#run(stop.signal, { ask, urgent });
      if (isCurrent()) this.#go(session, stop.signal);
      else await session.close();
    } catch (error) {
      if (isCurrent()) this.#fail(error, { again, isStopped: stop.signal.aborted });
    }
    return this.status();
  }

  async #run(signal: AbortSignal, options: AdmitOptions): Promise<Session> {
    signal.throwIfAborted();
    const { admit, resolve, limitsOf, eraKeyOf, onListChanged, answer } = this.#parts;
    const entry = this.#entry;
    const server = await admit(entry, options);
    signal.throwIfAborted();
    if (this.#state.kind === 'starting') this.#become({ ...this.#state, untilTrusted: undefined });
    const plan = await resolve(server);
    signal.throwIfAborted();
    const own = {
      plan: { ...plan, server: entry.ref },
      limits: limitsOf(entry),
      eraKey: eraKeyOf(entry),
      phases: this.#phases,
      answer: (asked: Parameters<ConnectionParts['answer']>[1]) => answer(entry.ref, asked),
      warn: (code: string, message: string): void => this.#warn(code, message),
      onChanged: (kind: ListKind): void => onListChanged(entry.ref, kind),
      events: (channel: Channel): ChannelEvents => this.#events(channel),
    };
    return connectOnce({ ...this.#parts, ...own }, signal);
  }

  #go(session: Session, signal: AbortSignal): void {
    const check: LiveCheck = { gaps: this.#parts.wake.gaps(), isSuspect: false };
    this.#become({ kind: 'live', session, check });
    // The server may have exited, or the caller may have aborted, just as it became ready.
    if (session.channel.isClosed) this.#lost(session, new ChannelClosedError());
    else if (signal.aborted)
      this.#rest(
        states.restingStatus(this.#entry),
        this.#close(() => session.close()),
      );
  }

  #events(channel: Channel): ChannelEvents {
    const live = (): Session | undefined => (this.session?.channel === channel ? this.session : undefined);
    return {
      onClose: () => this.#lost(live(), new ChannelClosedError()),
      onError: (error) => this.#parts.debug(this.#entry.ref, this.#parts.redact(error.message)),
      onFault: (error) => {
        this.#warn(
          'handler-failed',
          `A message of "${this.#entry.ref}" could not be handled: ${String(error)}`,
        );
        this.#lost(live(), error);
      },
      onSendFailed: () => this.suspect(live()),
      onRequest: (method, params) => this.#parts.answer(this.#entry.ref, { method, params }),
      onNotification: (method, params) => this.#parts.onNotification(this.#entry.ref, method, params),
      onListChanged: (kind) => live()?.notice(kind),
      onCalls: (inFlight) => {
        if (live() !== undefined) states.countCalls(this.#phases, inFlight);
      },
    };
  }

  #warn(code: string, message: string): void {
    this.#parts.emit('mcp.warning', { server: this.#entry.ref, code, message: this.#parts.redact(message) });
  }

  #gone(reason: string, words?: string): HoltError<'connection-lost'> {
    return states.gone(this.#entry.ref, { reason, words, redact: this.#parts.redact });
  }

  /** Handles a failed start. */
  #fail(
    thrown: unknown,
    { again, isStopped }: { readonly again: boolean; readonly isStopped: boolean },
  ): void {
    const { channel, failure, error } = readFailure(thrown, {
      server: this.#entry.ref,
      phase: this.#phases.current,
      explain: (inner) => this.explain(inner, undefined),
      redact: this.#parts.redact,
    });
    const hasBegun = this.#phases.current !== 'disconnected';
    if (hasBegun) this.#phases.enter('failed');
    const closing = hasBegun ? this.#close(() => channel?.close() ?? states.nothingOpen) : states.nothingOpen;
    if (isStopped) return this.#rest(states.restingStatus(this.#entry), closing);
    const refused = states.refusedStatus(error, failure);
    if (refused !== undefined) return this.#rest(refused, closing, error);
    const isAsked = failure.kind === 'rate-limited';
    if (isAsked || (again && failure.retry !== 'never')) return this.#wait(failure, error, closing);
    this.#rest({ status: 'failed', error: error.message }, closing, error);
  }

  /** Handles a connection that broke unexpectedly. Calls in flight fail with it. */
  #lost(session: Session | undefined, thrown: unknown): void {
    if (session === undefined || this.session !== session) return;
    const failure = this.explain(thrown, session);
    const error =
      failure.status === 'needs_auth'
        ? states.loginLost(this.#entry.ref, failure, session.channel.transport.end?.cause)
        : this.#gone(failure.message, stderrOf(session.channel.transport));
    this.#phases.enter('failed');
    const closing = this.#close(() => session.close());
    const refused = states.refusedStatus(error, failure);
    if (refused !== undefined) return this.#rest(refused, closing, error);
    const now = this.#parts.clock.now();
    const isSoon = now - this.#reopenedAt <= reopenAfterMs;
    if (failure.retry !== 'at-once' || isSoon) return this.#wait(failure, error, closing);
    this.#reopenedAt = now;
    void this.#start({ ask: false, again: true, closing });
  }

  /** Schedules the next start, or gives up. */
  #wait(failure: Failure, error: HoltError, closing: Promise<void>): void {
    const { clock, wallNow } = this.#parts;
    const askedMs = failure.kind === 'rate-limited' ? failure.retryAfterMs : undefined;
    const waitMs = this.#backoff.next(clock.now(), askedMs);
    if (waitMs === undefined) {
      const last = states.gaveUp(this.#entry.ref, error);
      return this.#rest({ status: 'failed', error: last.message }, closing, last);
    }
    const start = (): void => void this.#start({ ask: false, again: true, closing });
    const { done: again, cancel } = delay(clock, waitMs, start);
    const retryAt = new Date(wallNow() + waitMs).toISOString();
    const dueAt = clock.now() + waitMs;
    const asked = askedMs !== undefined;
    this.#become({ kind: 'waiting', retryAt, dueAt, error, asked, again, cancel, closing });
  }

  /** Closes within the time limit and enters the matching phases. Never rejects. */
  async #close(close: () => Promise<void>): Promise<void> {
    this.#phases.enter('cleaning_up');
    const { wake, debug, redact, limitsOf } = this.#parts;
    const onError = (error: unknown): void =>
      debug(this.#entry.ref, redact(`closing failed: ${String(error)}`));
    await closeWithin(close, { wake, limitMs: limitsOf(this.#entry).phases.cleaning_up, onError });
    this.#phases.enter('disconnected');
  }

  /** The session, if it needs no liveness check. */
  #usable(): Session | undefined {
    if (this.#state.kind !== 'live') return undefined;
    const { session, check } = this.#state;
    return check.gaps === this.#parts.wake.gaps() && !check.isSuspect ? session : undefined;
  }

  async #isUsable(session: Session, check: LiveCheck): Promise<boolean> {
    const { wake, livenessMs = usualLivenessMs } = this.#parts;
    const gaps = wake.gaps();
    if (check.gaps === gaps && !check.isSuspect) return true;
    check.running ??= session.isAlive(livenessMs).then((isAlive) => {
      check.running = undefined;
      check.gaps = gaps;
      check.isSuspect = false;
      if (!isAlive) this.#replace(session);
      return isAlive;
    });
    return check.running;
  }

  /** Closes a session that does not answer and starts a new one without a delay. */
  #replace(session: Session): void {
    if (this.session !== session) return;
    this.#phases.enter('failed');
    void this.#start({ ask: false, again: true, closing: this.#close(() => session.close()) });
  }
}
