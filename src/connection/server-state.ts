/** Where one server stands: one record at a time, and what it means for people and for callers. */

import { isDeepStrictEqual } from 'node:util';

import { HoltError } from '../kernel/errors.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Status } from '../kernel/status.ts';
import { isAllowed, type TrustState } from '../trust/trust-state.ts';
import type { Session } from './session.ts';

/** What the host knows of a server before anything is started. */
export interface ServerEntry {
  /** How it is called here. */
  readonly ref: string;
  readonly definition: ServerDefinition;
  readonly trust: TrustState;
}

export type ServerState =
  /** Nothing is under way. What was open before may still be closing. */
  | { readonly kind: 'resting'; readonly status: Status; readonly error?: HoltError; readonly closing: Promise<void> }
  | { readonly kind: 'starting'; readonly attempt: Promise<Status>; readonly stop: AbortController }
  | { readonly kind: 'live'; readonly session: Session; readonly check: LiveCheck }
  /** Will be tried again. */
  | {
      readonly kind: 'waiting';
      readonly retryAt: string;
      /** It was the server that asked for the wait. */
      readonly asked: boolean;
      readonly again: Promise<void>;
      readonly cancel: () => void;
      readonly closing: Promise<void>;
    };

/** Whether a connection that looks alive has to prove it before it is used. */
export interface LiveCheck {
  gaps: number;
  isSuspect: boolean;
  /** Under way now; true when it is alive. */
  running?: Promise<boolean> | undefined;
}

export const nothingOpen: Promise<void> = Promise.resolve();

/** The status of a server that nobody has asked for. */
export function restingStatus({ definition, trust }: ServerEntry): Status {
  if (!definition.enabled) return { status: 'disabled' };
  if (trust === 'blocked') return { status: 'blocked', error: `Server "${definition.name}" is forbidden by an administrator` };
  return isAllowed(trust) ? { status: 'idle' } : { status: 'untrusted' };
}

/** Phases of a start are events of their own: they make no new status. */
export function isNews(before: Status, after: Status): boolean {
  if (before.status !== 'connecting' || after.status !== 'connecting') return !isDeepStrictEqual(before, after);
  return before.retryAt !== after.retryAt;
}

/** Why a server cannot be used, for whoever wanted to. */
export function unusable({ ref, definition }: ServerEntry, status: Status, error: HoltError | undefined): HoltError {
  if (error !== undefined) return error;
  const server = ref;
  switch (status.status) {
    case 'disabled':
      return new HoltError('server-disabled', `Server "${ref}" is disabled. Run holt enable ${ref} first.`, { server });
    case 'untrusted':
    case 'blocked': {
      const reason = status.status;
      const message = `Server "${ref}" of ${definition.origin.file}:${definition.origin.line} is not approved`;
      const remedy = `Look at it and approve it with holt trust ${ref}.`;
      return new HoltError('trust-required', reason === 'blocked' ? status.error : message, { server, reason }, reason === 'blocked' ? {} : { remedy });
    }
    case 'needs_auth':
    case 'needs_client_registration':
      return new HoltError('auth-required', `Server "${ref}" needs a login`, { server }, { remedy: `Log in with holt auth ${ref}.` });
    case 'needs_input':
      return new HoltError('secret-input-needed', `Server "${ref}" needs input: ${status.inputs.join(', ')}`, { server, inputs: status.inputs });
    case 'failed':
      return new HoltError('connect-failed', status.error, { server, phase: 'disconnected', reason: status.error });
    case 'connected':
    case 'connecting':
    case 'idle':
      return new HoltError('connection-lost', `Server "${ref}" is not connected`, { server, reason: status.status });
  }
}

/** From what stopped a start to the status that tells of it. */
export function refusedStatus(error: HoltError): Status | undefined {
  if (HoltError.is(error, 'secret-input-needed')) return { status: 'needs_input', inputs: error.details.inputs };
  if (!HoltError.is(error, 'trust-required')) return undefined;
  return error.details.reason === 'blocked' ? { status: 'blocked', error: error.message } : { status: 'untrusted' };
}
