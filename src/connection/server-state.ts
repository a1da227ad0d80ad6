/** The state of one server as a single record, with the statuses and errors that follow from it. */

import { isDeepStrictEqual } from 'node:util';

import { HoltError } from '../kernel/errors.ts';
import type { Phase, Status } from '../kernel/phases.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { nameWord } from '../kernel/shell-words.ts';
import type { StartIn } from '../trust/start-folder.ts';
import { isAllowed, type TrustState } from '../trust/trust-state.ts';
import type { Failure } from './explain-failure.ts';
import { inSeconds } from './limits.ts';
import type { PhaseWalk } from './phase-table.ts';
import type { Session } from './session.ts';

/** What the host knows about a server before it starts. */
export interface ServerEntry {
  /** The server's name in this host. */
  readonly ref: string;
  readonly definition: ServerDefinition;
  readonly trust: TrustState;
  /** The folder in which its program starts, according to the config; undefined for remote servers. */
  readonly start?: StartIn | undefined;
}

export type ServerState =
  /** Neither running nor starting. An earlier connection may still be closing. */
  | {
      readonly kind: 'resting';
      readonly status: Status;
      readonly error?: HoltError;
      readonly closing: Promise<void>;
    }
  | {
      readonly kind: 'starting';
      readonly attempt: Promise<Status>;
      readonly stop: AbortController;
      /** Resolves when the earlier connection is closed. The start waits for it. */
      readonly closing: Promise<void>;
      /** The status to report until the trust check has passed. */
      readonly untilTrusted: Status | undefined;
    }
  | { readonly kind: 'live'; readonly session: Session; readonly check: LiveCheck }
  /** Waits for its next automatic start. */
  | {
      readonly kind: 'waiting';
      readonly retryAt: string;
      /** On the monotonic clock. */
      readonly dueAt: number;
      /** Why the last connection or start failed. */
      readonly error: HoltError;
      /** True if the server requested the delay. */
      readonly asked: boolean;
      readonly again: Promise<void>;
      readonly cancel: () => void;
      readonly closing: Promise<void>;
    };

/** Whether an open connection needs a liveness check before it is used. */
export interface LiveCheck {
  gaps: number;
  isSuspect: boolean;
  /** The check in progress. Resolves to true if the server is alive. */
  running?: Promise<boolean> | undefined;
}

export const nothingOpen: Promise<void> = Promise.resolve();

/** The status of a server that is not running and has not failed. */
export function restingStatus({ definition, trust }: ServerEntry): Status {
  if (!definition.enabled) return { status: 'disabled' };
  if (trust === 'blocked')
    return { status: 'blocked', error: `Server "${definition.name}" is forbidden by an administrator` };
  return isAllowed(trust) ? { status: 'idle' } : { status: 'untrusted' };
}

export function statusOf(state: ServerState, phase: Phase): Status {
  switch (state.kind) {
    case 'resting':
      return state.status;
    case 'live':
      return { status: 'connected' };
    case 'starting':
      return state.untilTrusted ?? { status: 'connecting', phase };
    case 'waiting':
      return { status: 'connecting', phase, retryAt: state.retryAt };
  }
}

export function lacksLogin(state: ServerState): boolean {
  if (state.kind !== 'resting') return false;
  return ['needs_auth', 'needs_client_registration'].includes(state.status.status);
}

/** True if the change deserves a status event. Phase changes during a start have their own event. */
export function isStatusChange(before: Status, after: Status): boolean {
  if (before.status !== after.status) return true;
  if (before.status === 'connecting' && after.status === 'connecting')
    return before.retryAt !== after.retryAt;
  return !isDeepStrictEqual(before, after);
}

/** True unless the server is disabled or its connection is retired. */
export function mayStart({ definition }: ServerEntry, { isOver }: Retirement): boolean {
  return definition.enabled && !isOver;
}

export function countCalls(phases: PhaseWalk, inFlight: number): void {
  const { current } = phases;
  if (inFlight > 0 && current === 'ready') phases.enter('executing');
  if (inFlight === 0 && current === 'executing') phases.enter('ready');
}

export function gone(
  server: string,
  {
    reason,
    words = '',
    redact,
  }: {
    readonly reason: string;
    readonly words?: string | undefined;
    readonly redact: (text: string) => string;
  },
): HoltError<'connection-lost'> {
  const text = `Server "${server}" is gone: ${reason}${words === '' ? '' : `\n${words}`}`;
  return new HoltError('connection-lost', redact(text), { server, reason: redact(reason) });
}

/** The error for a connection that ended because the server no longer accepts the login. */
export function loginLost(server: string, { message, remedy }: Failure, cause?: unknown): HoltError {
  if (HoltError.is(cause, 'auth-required')) return cause;
  const text = `Server "${server}" needs a login: ${message}`;
  return new HoltError('auth-required', text, { server }, remedy === undefined ? {} : { remedy });
}

/** The error for a caller that wanted to use a server with this status. */
export function unusable(entry: ServerEntry, status: Status, error: HoltError | undefined): HoltError {
  const server = entry.ref;
  if (error !== undefined) return error;
  switch (status.status) {
    case 'disabled':
      return new HoltError(
        'server-disabled',
        `Server "${server}" is disabled. Run holt enable ${nameWord(server)} first.`,
        { server },
      );
    case 'blocked':
      return new HoltError('trust-required', status.error, { server, reason: 'blocked' });
    case 'untrusted':
      return untrusted(entry);
    case 'needs_auth':
    case 'needs_client_registration':
      return new HoltError(
        'auth-required',
        `Server "${server}" needs a login`,
        { server },
        { remedy: `Log in with holt auth ${nameWord(server)}.` },
      );
    case 'connected':
    case 'connecting':
    case 'failed':
    case 'idle':
    case 'needs_input':
      return new HoltError('connection-lost', `Server "${server}" is not connected`, {
        server,
        reason: status.status,
      });
  }
}

function untrusted({ ref: server, definition, trust }: ServerEntry): HoltError {
  const { file, line } = definition.origin;
  const isDenied = trust === 'denied';
  const named = nameWord(server);
  const [was, remedy] = isDenied
    ? ['was denied', `holt trust ${named} asks about it again.`]
    : ['is not approved', `Look at it and approve it with holt trust ${named}.`];
  const details = { server, reason: isDenied ? 'denied' : 'untrusted' } as const;
  return new HoltError('trust-required', `Server "${server}" of ${file}:${line} ${was}`, details, { remedy });
}

/** The error after the last attempt. The server starts again only on an explicit request. */
export function gaveUp(server: string, error: HoltError): HoltError {
  const remedy = `connect("${server}") starts it again.`;
  const message = `Server "${server}" keeps failing and is not started again by itself; ${remedy} ${error.message}`;
  return new HoltError(error.code, message, error.details, { cause: error, remedy });
}

/** The error for a caller whose time limit ends before the next restart. */
export function restsTooLong({ ref }: ServerEntry, waitMs: number, error: HoltError): HoltError {
  const message = `Server "${ref}" is down and is started again in ${inSeconds(waitMs)}, which is later than this call may take. ${error.message}`;
  return new HoltError(
    'connection-lost',
    message,
    { server: ref, reason: error.message },
    { cause: error, remedy: 'Call again later, or give the call more time.' },
  );
}

/** The status if missing input, trust or a login stopped the server; undefined for other failures. */
export function refusedStatus(error: HoltError, { status }: Failure): Status | undefined {
  if (HoltError.is(error, 'secret-input-needed'))
    return { status: 'needs_input', inputs: error.details.inputs };
  if (HoltError.is(error, 'trust-required')) {
    const { reason } = error.details;
    if (reason === 'blocked') return { status: 'blocked', error: error.message };
    return reason === 'folder' ? { status: 'untrusted', reason } : { status: 'untrusted' };
  }
  if (status === 'needs_auth') return { status };
  return status === 'needs_client_registration' ? { status, error: error.message } : undefined;
}

export class Retirement {
  readonly #waiting = new Set<(why: HoltError) => void>();
  #why: HoltError | undefined;

  get isOver(): boolean {
    return this.#why !== undefined;
  }

  throwIfOver(): void {
    if (this.#why !== undefined) throw this.#why;
  }

  end(why: HoltError): void {
    this.#why ??= why;
    for (const reject of this.#waiting) reject(this.#why);
    this.#waiting.clear();
  }

  /** Settles like `work`, or rejects with the reason when the connection is retired first. */
  unlessOver<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (this.#why !== undefined) reject(this.#why);
      else this.#waiting.add(reject);
      void work.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }
}
