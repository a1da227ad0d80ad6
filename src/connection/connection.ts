/**
 * One server's life: started when it is wanted, used by many, restarted when it dies, closed without a trace. There is one
 * record of where it stands, in one field, and every change of it goes through `#become`.
 */

import type { Client, Implementation } from '@modelcontextprotocol/client';

import { HoltError } from '../kernel/errors.ts';
import type { Emit } from '../kernel/events.ts';
import type { Phase } from '../kernel/phases.ts';
import type { Era, Status } from '../kernel/status.ts';
import type { LaunchPlan } from '../secrets/launch-plan.ts';
import type { TrustedServer } from '../trust/trust-gate.ts';
import { createBackoff, type BackoffOptions } from './backoff.ts';
import { connectOnce } from './connect-once.ts';
import { createExplain, lastWords, type Failure } from './door.ts';
import type { Limits } from './limits.ts';
import type { Line, LineEvents, ListKind } from './line/line.ts';
import type { Lists } from './line/read-lists.ts';
import { LineClosedError } from './line/questions.ts';
import { createPhaseWalk, type PhaseWalk } from './phase-table.ts';
import { isNews, nothingOpen, refusedStatus, restingStatus, unusable, type LiveCheck, type ServerEntry, type ServerState } from './server-state.ts';
import type { Session } from './session.ts';
import type { SharedParts } from './start/attempt.ts';
import { ConnectFailure } from './start/connect-failure.ts';

export interface ConnectionParts extends SharedParts {
  readonly emit: Emit;
  /** Takes secrets out of whatever is about to be shown. */
  readonly redact: (text: string) => string;
  /** Lets a definition through or throws `trust-required`; asks a person only where told to. */
  readonly admit: (entry: ServerEntry, options: { readonly ask: boolean }) => Promise<TrustedServer>;
  readonly resolve: (server: TrustedServer) => Promise<LaunchPlan>;
  readonly createClient: () => Promise<Client>;
  readonly limitsOf: (entry: ServerEntry) => Limits;
  /** What the memory of a server's protocol goes by. */
  readonly eraKeyOf: (entry: ServerEntry) => string;
  readonly backoff?: BackoffOptions;
  /** How long a connection that may be dead has to prove that it is not. */
  readonly livenessMs?: number;
  readonly debug: (server: string, message: string) => void;
}

/** How one server is doing, for `holt status` and its like. */
export interface ServerReport {
  readonly status: Status;
  readonly remedy?: string;
  readonly era?: Era;
  readonly protocol?: string;
  readonly serverInfo?: Implementation;
  readonly instructions?: string;
  readonly lists?: Lists;
  readonly pid?: number;
  /** From the start to `ready`. */
  readonly ms: number;
  readonly phases: Readonly<Partial<Record<Phase, number>>>;
}

const usualLivenessMs = 2000;
/** A session that is lost again this soon is not simply opened once more. */
const reopenAfterMs = 5000;

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #phases: PhaseWalk;
  readonly #backoff: ReturnType<typeof createBackoff>;
  readonly #client: () => Promise<Client>;
  #entry: ServerEntry;
  #state: ServerState;
  #reopenedAt = Number.NEGATIVE_INFINITY;

  constructor(entry: ServerEntry, parts: ConnectionParts) {
    this.#entry = entry;
    this.#parts = parts;
    this.#backoff = createBackoff(parts.backoff);
    this.#phases = createPhaseWalk({
      server: entry.ref,
      now: () => parts.clock.now(),
      onStep: (step) => parts.emit('mcp.phase', { server: entry.ref, ...step }),
    });
    // One client for all of its connections: whoever holds it need not notice a restart.
    let client: Promise<Client> | undefined;
    this.#client = () => (client ??= parts.createClient());
    this.#state = { kind: 'resting', status: restingStatus(entry), closing: nothingOpen };
  }

  get entry(): ServerEntry {
    return this.#entry;
  }

  get session(): Session | undefined {
    return this.#state.kind === 'live' ? this.#state.session : undefined;
  }

  status(): Status {
    return this.#statusOf(this.#state);
  }

  report(): ServerReport {
    const { session } = this;
    const phases = this.#phases.times();
    const started = Object.entries(phases).filter(([phase]) => phase !== 'ready' && phase !== 'executing');
    const error = this.#state.kind === 'resting' ? this.#state.error : undefined;
    return {
      status: this.status(),
      ...(error?.remedy === undefined ? {} : { remedy: error.remedy }),
      ...(session === undefined ? {} : sessionReport(session)),
      ms: started.reduce((sum, [, ms]) => sum + ms, 0),
      phases,
    };
  }

  /** What does not change how it runs: limits, filters, approvals. Everything else is a new connection. */
  update(entry: ServerEntry): void {
    this.#entry = entry;
    const { kind } = this.#state;
    const isOut = restingStatus(entry).status !== 'idle';
    if (kind === 'resting' && (isOut || this.#state.status.status !== 'failed')) {
      this.#become({ kind: 'resting', status: restingStatus(entry), closing: this.#state.closing });
    }
  }

  /** Starts it unless it runs. Never rejects. */
  async connect({ ask = false }: { readonly ask?: boolean } = {}): Promise<Status> {
    const state = this.#state;
    switch (state.kind) {
      case 'live':
        return this.status();
      case 'starting':
        this.#parts.slots.hurry(this.#entry.ref);
        return state.attempt;
      case 'waiting':
        // What the server asked for is kept, whoever wants it sooner.
        if (state.asked) return this.status();
        state.cancel();
        break;
      case 'resting':
        if (!this.#entry.definition.enabled) return this.status();
        break;
    }
    this.#backoff.reset();
    return this.#start({ ask, closing: state.closing });
  }

  async disconnect(): Promise<void> {
    const state = this.#state;
    if (state.kind === 'starting') {
      state.stop.abort(new HoltError('connection-lost', `Server "${this.#entry.ref}" was disconnected`, { server: this.#entry.ref, reason: 'disconnected' }));
      await state.attempt;
    } else if (state.kind === 'live') {
      this.#rest(restingStatus(this.#entry), this.#close(() => state.session.close()));
    } else {
      if (state.kind === 'waiting') state.cancel();
      this.#rest(restingStatus(this.#entry), state.closing);
    }
    if (this.#state.kind === 'resting') await this.#state.closing;
  }

  /** A session that may be used now, connecting first where that is needed. Rejects with a `HoltError`, or the signal's reason. */
  async ready(signal: AbortSignal | undefined): Promise<Session> {
    for (;;) {
      signal?.throwIfAborted();
      const state = this.#state;
      if (state.kind === 'live') {
        if (await this.#isUsable(state.session, state.check)) return state.session;
        continue;
      }
      if (state.kind === 'resting' && state.status.status !== 'idle') throw unusable(this.#entry, state.status, state.error);
      if (state.kind === 'waiting') await orAborted(state.again, signal);
      else await orAborted(this.connect(), signal);
    }
  }

  /** Something about the connection was odd: it is looked at before it is used again. */
  suspect(session: Session): void {
    if (this.#state.kind === 'live' && this.#state.session === session) this.#state.check.isSuspect = true;
  }

  /** How a failure on this session's line is to be understood. */
  explain(error: unknown, session: Session | undefined): Failure {
    const line = (): Line | undefined => session?.line;
    return createExplain({ server: this.#entry.ref, phase: () => this.#phases.current, line, wallNow: this.#parts.wallNow })(error);
  }

  #statusOf(state: ServerState): Status {
    switch (state.kind) {
      case 'resting':
        return state.status;
      case 'live':
        return { status: 'connected' };
      case 'starting':
        return { status: 'connecting', phase: this.#phases.current };
      case 'waiting':
        return { status: 'connecting', phase: this.#phases.current, retryAt: state.retryAt };
    }
  }

  #become(next: ServerState): void {
    const before = this.#statusOf(this.#state);
    this.#state = next;
    const after = this.#statusOf(next);
    if (isNews(before, after)) this.#parts.emit('mcp.status.changed', { server: this.#entry.ref, status: after });
  }

  #rest(status: Status, closing: Promise<void>, error?: HoltError): void {
    this.#become({ kind: 'resting', status, closing, ...(error === undefined ? {} : { error }) });
  }

  /** `again` is set for a start that nobody asked for by name. */
  #start({ ask = false, again = false, closing }: { readonly ask?: boolean; readonly again?: boolean; readonly closing: Promise<void> }): Promise<Status> {
    const stop = new AbortController();
    // Nothing of it runs before the state says so.
    const attempt = Promise.resolve()
      .then(() => closing)
      .then(() => this.#run(stop.signal, ask))
      .catch((error: unknown) => this.#fail(error, { again, isStopped: stop.signal.aborted }))
      .then(() => this.status());
    this.#become({ kind: 'starting', attempt, stop });
    return attempt;
  }

  async #run(signal: AbortSignal, ask: boolean): Promise<void> {
    const { admit, resolve, limitsOf, eraKeyOf, emit, wake } = this.#parts;
    const { ref } = this.#entry;
    const server = await admit(this.#entry, { ask });
    const plan = await resolve(server);
    signal.throwIfAborted();
    const session = await connectOnce(
      {
        ...this.#parts,
        plan,
        limits: limitsOf(this.#entry),
        eraKey: eraKeyOf(this.#entry),
        phases: this.#phases,
        client: this.#client,
        warn: (code, message) => this.#warn(code, message),
        onChanged: (kind) => emit(`mcp.${kind}.changed`, { server: ref }),
        events: (line) => this.#events(line),
      },
      signal,
    );
    this.#become({ kind: 'live', session, check: { gaps: wake.gaps(), isSuspect: false } });
    // It may have gone, or somebody may have changed their mind, in the very moment it was ready.
    if (session.line.isClosed) this.#lost(session, new LineClosedError());
    else if (signal.aborted) this.#rest(restingStatus(this.#entry), this.#close(() => session.close()));
  }

  #events(line: () => Line): Omit<LineEvents, 'onAnswer'> {
    const live = (): Session | undefined => {
      const { session } = this;
      return session?.line === line() ? session : undefined;
    };
    const ifLive = (then: (session: Session) => void): void => {
      const session = live();
      if (session !== undefined) then(session);
    };
    return {
      onClose: () => ifLive((session) => this.#lost(session, new LineClosedError())),
      onError: (error) => this.#parts.debug(this.#entry.ref, this.#parts.redact(error.message)),
      onFault: (error) => {
        this.#warn('handler-failed', `A message of server "${this.#entry.ref}" could not be handled: ${String(error)}`);
        ifLive((session) => this.#lost(session, error));
      },
      onSendFailed: () => ifLive((session) => this.suspect(session)),
      onListChanged: (kind: ListKind) => ifLive((session) => session.notice(kind)),
      onCalls: (inFlight) => ifLive(() => this.#countCalls(inFlight)),
    };
  }

  #countCalls(inFlight: number): void {
    const { current } = this.#phases;
    if (inFlight > 0 && current === 'ready') this.#phases.enter('executing');
    if (inFlight === 0 && current === 'executing') this.#phases.enter('ready');
  }

  #warn(code: string, message: string): void {
    this.#parts.emit('mcp.warning', { server: this.#entry.ref, code, message: this.#parts.redact(message) });
  }

  /** A start that did not work. */
  #fail(thrown: unknown, { again, isStopped }: { readonly again: boolean; readonly isStopped: boolean }): void {
    const { line, failure, error } = this.#readFailure(thrown);
    const hasBegun = this.#phases.current !== 'disconnected';
    if (hasBegun) this.#phases.enter('failed');
    const closing = hasBegun ? this.#close(() => line?.close() ?? nothingOpen) : nothingOpen;
    if (isStopped) return this.#rest(restingStatus(this.#entry), closing);
    const refused = refusedStatus(error) ?? loginStatus(failure, error);
    if (refused !== undefined) return this.#rest(refused, closing, error);
    const isAsked = failure.kind === 'rate-limited';
    if (isAsked || (again && failure.retry !== 'never')) return this.#wait(failure, error, closing);
    this.#rest({ status: 'failed', error: error.message }, closing, error);
  }

  #readFailure(thrown: unknown): { line: Line | undefined; failure: Failure; error: HoltError } {
    const { redact } = this.#parts;
    const known = thrown instanceof ConnectFailure ? thrown : undefined;
    const failure = known?.failure ?? this.explain(thrown, undefined);
    const inner = known?.error ?? thrown;
    const server = this.#entry.ref;
    const error = HoltError.is(inner)
      ? inner
      : new HoltError('connect-failed', `Failed to connect to "${server}": ${failure.message}`, { server, phase: this.#phases.current, reason: failure.message }, { cause: inner });
    const { code, message, details, remedy, cause } = error;
    const shown = new HoltError(code, redact(message), details, { cause, ...(remedy === undefined ? {} : { remedy }) });
    return { line: known?.line, failure, error: shown };
  }

  /** A connection that broke although nobody wanted it to. Calls in flight have failed by now. */
  #lost(session: Session, thrown: unknown): void {
    if (this.#state.kind !== 'live' || this.#state.session !== session) return;
    const failure = this.explain(thrown, session);
    const server = this.#entry.ref;
    const words = lastWords(session.line.transport);
    const text = `Server "${server}" went away: ${failure.message}${words === '' ? '' : `\n${words}`}`;
    const error = new HoltError('connection-lost', this.#parts.redact(text), { server, reason: failure.message });
    this.#phases.enter('failed');
    const closing = this.#close(() => session.close());
    const refused = loginStatus(failure, error);
    if (refused !== undefined) return this.#rest(refused, closing, error);
    const now = this.#parts.clock.now();
    if (failure.retry === 'at-once' && now - this.#reopenedAt > reopenAfterMs) {
      this.#reopenedAt = now;
      void this.#start({ again: true, closing });
      return;
    }
    this.#wait(failure, error, closing);
  }

  /** Tries again after a while, or gives up. */
  #wait(failure: Failure, error: HoltError, closing: Promise<void>): void {
    const { clock, wallNow } = this.#parts;
    const askedMs = failure.kind === 'rate-limited' ? failure.retryAfterMs : undefined;
    const waitMs = this.#backoff.next(clock.now(), askedMs);
    if (waitMs === undefined) {
      const message = `Server "${this.#entry.ref}" keeps failing and is not started again by itself. ${error.message}`;
      return this.#rest({ status: 'failed', error: message }, closing, error);
    }
    let wake = (): void => undefined;
    const again = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const stop = clock.setTimer(waitMs, () => {
      void this.#start({ again: true, closing });
      wake();
    });
    const cancel = (): void => {
      stop();
      wake();
    };
    this.#become({ kind: 'waiting', retryAt: new Date(wallNow() + waitMs).toISOString(), asked: askedMs !== undefined, again, cancel, closing });
  }

  /** Closes, for a limited time, and walks the phases that go with it. Never rejects. */
  #close(close: () => Promise<void>): Promise<void> {
    this.#phases.enter('cleaning_up');
    const { wake, debug, redact } = this.#parts;
    const limitMs = this.#parts.limitsOf(this.#entry).phases.cleaning_up;
    let stop = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      stop = wake.setTimer(limitMs, resolve);
    });
    const closed = Promise.resolve()
      .then(close)
      .catch((error: unknown) => debug(this.#entry.ref, redact(`closing failed: ${String(error)}`)));
    return Promise.race([closed, late]).then(() => {
      stop();
      this.#phases.enter('disconnected');
    });
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

  /** It does not answer: it is closed and opened anew, without any waiting. */
  #replace(session: Session): void {
    if (this.#state.kind !== 'live' || this.#state.session !== session) return;
    this.#phases.enter('failed');
    void this.#start({ again: true, closing: this.#close(() => session.close()) });
  }
}

function loginStatus({ status }: Failure, { message }: HoltError): Status | undefined {
  if (status === 'needs_auth') return { status };
  return status === 'needs_client_registration' ? { status, error: message } : undefined;
}

function sessionReport({ era, protocol, serverInfo, instructions, lists, line }: Session): Partial<ServerReport> {
  const { processId } = line.transport;
  return {
    era,
    protocol,
    lists,
    ...(serverInfo === undefined ? {} : { serverInfo }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(processId === undefined ? {} : { pid: processId }),
  };
}

async function orAborted(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return void (await promise);
  let stop = (): void => undefined;
  const aborted = new Promise<void>((_, reject) => {
    stop = () => reject(signal.reason as Error); // whatever the caller gave as its reason
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
