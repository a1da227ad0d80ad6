/** Logins that were begun and wait for their answer, in this process or another. */

import { finishBrowser, prepareBrowser, waitForCallback, type PreparedLogin } from './browser-login.ts';
import { readCallback, type PastedAnswer, type PastedRefusal } from './callback-text.ts';
import { isFromIssuer } from './flows/browser.ts';
import { removePending, restorePending, storePending } from './pending-store.ts';
import { loginCancelled, foreignAnswer, loginFailed, toLoginError } from './login-errors.ts';
import type { FlowOptions, FlowParts, Wanted } from './login-flow.ts';
import type { LoginTarget } from './login-target.ts';

export interface PendingLogins {
  /** Begins a login. `options.signal` cancels only this step; the pending login outlives it. */
  start(
    target: LoginTarget,
    options: FlowOptions,
  ): Promise<{ readonly authorizationUrl: string; readonly state: string }>;
  /**
   * Completes a login with a pasted answer. Rejects if the answer matches no pending login; a wrong answer
   * does not end the login.
   */
  finish(target: LoginTarget, answer: string | PastedAnswer, signal: AbortSignal): Promise<void>;
  /**
   * Ends matching logins, so that their states are no longer accepted. Resolves when their ports are
   * released.
   */
  end(fits: (target: LoginTarget) => boolean): Promise<void>;
  /** Like `end`, and also removes the stored part, so that no other process can finish them. */
  cancel(fits: (target: LoginTarget) => boolean): Promise<void>;
  /** Resolves when no login is pending and all writes are complete. */
  settled(): Promise<void>;
}

export interface PendingParts extends FlowParts {
  /** Called when the browser's callback completed a login. */
  readonly onFinished: (target: LoginTarget) => void;
  /** Stops waiting for callbacks, but another process may still finish the login. */
  readonly closing: AbortSignal;
}

interface Pending {
  readonly login: PreparedLogin;
  readonly end: () => Promise<void>;
}

export function createPendingLogins(parts: PendingParts): PendingLogins {
  const pending = new Map<string, Pending>();
  const lives = new Set<Promise<void>>();
  const those = (fits: (target: LoginTarget) => boolean): readonly Pending[] =>
    [...pending.values()].filter(({ login }) => fits(login.target));
  const ofServer = ({ server }: LoginTarget): readonly PreparedLogin[] =>
    those((other) => other.server === server).map(({ login }) => login);
  /**
   * The store holds one pending login per server. When that one ends, another that still waits takes its
   * place.
   */
  const forget = (login: PreparedLogin): Promise<void> =>
    removePending(login, ofServer(login.target).at(-1), parts);

  const begin = (login: PreparedLogin): void => {
    const { target } = login;
    const { state } = login.login;
    const over = new AbortController();
    const signal = AbortSignal.any([parts.closing, over.signal]);
    const end = async (): Promise<void> => {
      pending.delete(state);
      over.abort(new Error('the login is over'));
      await login.callback.release();
    };
    pending.set(state, { login, end });
    const life = waitForCallback(login, signal, parts)
      .then(async (answer) => {
        await finishBrowser(login, answer, parts, stillWanted(login, signal));
        parts.onFinished(target);
      })
      .catch(async (error: unknown) => {
        if (signal.aborted) return; // the caller that ended it does the rest, or the host is closing
        pending.delete(state);
        await forget(login);
        parts.warn(target.server, 'login-failed', toLoginError(target.server, error).message);
      })
      .finally(end)
      .catch(() => undefined)
      .finally(() => lives.delete(life));
    lives.add(life);
  };

  return {
    start: async (target, options) => {
      const login = await prepareBrowser(target, options, parts);
      await storeUntilBegun(login, options.signal, { ...parts, forget });
      begin(login);
      return { authorizationUrl: login.login.authorizationUrl, state: login.login.state };
    },
    finish: async (target, given, signal) => {
      const read = parsed(target, given);
      const login = meantBy(read, target, ofServer(target)) ?? (await restorePending(target, read, parts));
      const answer = accepted(login, read);
      await pending.get(login.login.state)?.end();
      await finishBrowser(login, answer, parts, stillWanted(login, signal));
    },
    end: (fits) => endAll(those(fits)),
    cancel: async (fits) => {
      const ended = those(fits);
      await endAll(ended);
      for (const { login } of ended) await forget(login);
    },
    settled: async () => void (await Promise.all(lives)),
  };
}

interface StoreParts extends FlowParts {
  readonly forget: (login: PreparedLogin) => Promise<void>;
}

/** Stores the pending login. Removes it again if it is cancelled before it began. */
async function storeUntilBegun(login: PreparedLogin, signal: AbortSignal, parts: StoreParts): Promise<void> {
  try {
    await storePending(login, parts, signal);
    signal.throwIfAborted();
  } catch (error) {
    await Promise.all([login.callback.release(), parts.forget(login).catch(() => undefined)]);
    throw error;
  }
}

/** A logout in another process removes the stored record, which cancels this login. */
function stillWanted({ target }: PreparedLogin, signal: AbortSignal): Wanted {
  const check: Wanted['check'] = (record) => {
    if (record?.pending === undefined && record?.tokens === undefined)
      throw loginCancelled(target.server, 'the user logged out in the meantime');
  };
  return { signal, check };
}

/**
 * Returns the pending login that the answer belongs to. Throws when an answer without `state` is ambiguous.
 */
function meantBy(
  answer: Pick<PastedAnswer, 'state'>,
  { server }: LoginTarget,
  waiting: readonly PreparedLogin[],
): PreparedLogin | undefined {
  if (answer.state !== undefined) return waiting.find(({ login }) => login.state === answer.state);
  const [only, ...others] = waiting;
  if (only === undefined) return undefined;
  if (others.length > 0)
    throw loginFailed(server, 'several logins are waiting, and the answer does not say which');
  if (only.server.metadata.authorization_response_iss_parameter_supported === true)
    throw loginFailed(server, 'the answer has no state');
  return only;
}

async function endAll(logins: readonly Pending[]): Promise<void> {
  await Promise.all(logins.map(({ end }) => end()));
}

function parsed({ server }: LoginTarget, given: string | PastedAnswer): PastedAnswer | PastedRefusal {
  if (typeof given !== 'string') return given;
  const read = readCallback(given);
  if (read.kind === 'answer') return read.answer;
  if (read.kind === 'refused') return read.refusal;
  throw loginFailed(server, 'that is neither a callback address nor a code');
}

/** Throws before the login ends, so that a wrong answer leaves it pending. */
function accepted({ target, server }: PreparedLogin, read: PastedAnswer | PastedRefusal): PastedAnswer {
  if (!isFromIssuer(server, read.iss)) throw foreignAnswer(target.server);
  if ('words' in read) throw loginFailed(target.server, read.words);
  return read;
}
