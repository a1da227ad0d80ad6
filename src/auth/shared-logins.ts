/**
 * Callers that want the same login at the same time share one flow. It is aborted when the last caller
 * leaves.
 */

import type { LoginOptions } from './logins.ts';
import type { Status } from '../kernel/phases.ts';
import { orAborted } from '../platform/waits.ts';

export interface SharedLogins {
  /** Starts a login for this server, or joins one that is running. */
  join(
    server: string,
    options: LoginOptions,
    run: (options: LoginOptions) => Promise<Status>,
  ): Promise<Status>;
}

interface SharedLogin {
  readonly server: string;
  readonly options: LoginOptions;
  readonly stop: AbortController;
  readonly outcome: Promise<Status>;
  callers: number;
}

export function createSharedLogins(): SharedLogins {
  const running = new Set<SharedLogin>();

  const begin: (...asked: Parameters<SharedLogins['join']>) => SharedLogin = (server, options, run) => {
    const stop = new AbortController();
    const outcome = run({ ...options, signal: stop.signal }).finally(() => running.delete(login));
    const login = { server, options, stop, outcome, callers: 0 };
    running.add(login);
    return login;
  };

  return {
    join: async (server, options, run) => {
      const { signal } = options;
      signal?.throwIfAborted();
      const known = [...running].find((login) => login.server === server && isAnswer(login, options));
      const login = known ?? begin(server, options, run);
      login.callers += 1;
      try {
        return await orAborted(login.outcome, signal);
      } catch (error) {
        if (signal?.aborted !== true || login.callers > 1 || !running.delete(login)) throw error;
        login.stop.abort(signal.reason);
        // Wait until its listener is closed, so that nothing of it is stored after its caller continues.
        return await login.outcome;
      } finally {
        login.callers -= 1;
      }
    },
  };
}

/** A caller that requires another flow or other scopes gets a login of its own. */
function isAnswer({ options: given }: SharedLogin, { flow, scope }: LoginOptions): boolean {
  return [flow ?? given.flow, scope ?? given.scope].every(
    (wanted, at) => wanted === [given.flow, given.scope][at],
  );
}
