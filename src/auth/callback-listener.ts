/**
 * The local HTTP listener for OAuth redirects. All pending logins of a host share it and are distinguished by
 * their `state`. A callback that matches none of them is rejected and changes nothing.
 */

import { HoltError, errorCode } from '../kernel/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { LoopbackServer, OpenLoopbackServer } from '../platform/listeners/loopback-server.ts';
import { loginTimedOut } from './login-errors.ts';
import {
  answerTo,
  failed,
  type CallbackAnswer,
  type CallbackWait,
  type Waiting,
  callbackPages,
} from './callback-pages.ts';

export const defaultCallbackPort = 19_876;
const defaultPath = '/mcp/oauth/callback';
const defaultTimeoutMs = 5 * 60_000;
/** The length of 128 bits in base64url. */
const shortestState = 22;

export interface CallbackListenerParts {
  readonly clock: Pick<Clock, 'setTimer'>;
  readonly openServer: OpenLoopbackServer;
  /** The name of the program, used as the title of its pages. */
  readonly title: string;
}

export interface CallbackPlace {
  readonly server: string;
  readonly port?: number | undefined;
  /** True when this port is registered with the provider, so no other port works. */
  readonly fixed: boolean;
  readonly path?: string | undefined;
}

/** A redirect URI that is reserved for one login. */
export interface OpenCallback {
  readonly redirectUri: string;
  /** Releases the redirect URI. The port closes when no login uses it any more. */
  release(): Promise<void>;
}

export interface CallbackListener {
  /**
   * Reserves a redirect URI. Call it before any request to the provider, so that an unavailable port fails
   * early. Rejects with `auth-failed` when a fixed port is not available.
   */
  open(place: CallbackPlace): Promise<OpenCallback>;
  /**
   * Waits for the callback with this `state`, which can be used only once. Call it before opening the
   * browser, because callbacks with an unknown state are rejected. Rejects on abort, on timeout, or when the
   * provider reports an error.
   */
  wait(state: string, how: CallbackWait): Promise<CallbackAnswer>;
  /** Closes the listener and rejects all pending waits. */
  close(): Promise<void>;
}

/** A listening server, and the paths that pending logins have reserved on it. */
interface SharedPort {
  readonly opening: Promise<LoopbackServer>;
  readonly paths: string[];
}

export function createCallbackListener({
  clock,
  openServer,
  title,
}: CallbackListenerParts): CallbackListener {
  const pages = callbackPages(title);
  const waiting = new Map<string, Waiting>();
  /** Listening servers by requested port. */
  const servers = new Map<number, SharedPort>();

  const listenOn = (port: number): SharedPort => {
    const paths: string[] = [];
    const opening = openServer(port, (request) => answerTo(request, { paths, waiting, pages }));
    const shared = { opening, paths };
    servers.set(port, shared);
    opening.catch(() => servers.get(port) === shared && servers.delete(port));
    return shared;
  };

  const openOn = async (port: number, path: string): Promise<OpenCallback> => {
    const shared = servers.get(port) ?? listenOn(port);
    shared.paths.push(path);
    const server = await shared.opening;
    let released: Promise<void> | undefined;
    const closeUnused = async (): Promise<void> => {
      shared.paths.splice(shared.paths.indexOf(path), 1);
      if (shared.paths.length > 0) return;
      if (servers.get(port) === shared) servers.delete(port);
      await server.close();
    };
    return {
      redirectUri: `http://127.0.0.1:${server.port}${path}`,
      release: () => (released ??= closeUnused()),
    };
  };

  return {
    async open({ server, port = defaultCallbackPort, fixed, path = defaultPath }) {
      try {
        return await openOn(port, path);
      } catch (error) {
        if (fixed) throw portTaken(server, port, error);
        return openOn(0, path);
      }
    },

    wait: (state, how) => waitFor(state, how, { waiting, clock }),

    async close() {
      for (const { how, fail } of waiting.values()) fail(failed(how.server, 'the host was closed'));
      const all = [...servers.values()];
      servers.clear();
      await Promise.all(
        all.map(({ opening }) => opening.then((server) => server.close()).catch(() => undefined)),
      );
    },
  };
}

interface WaitParts {
  readonly waiting: Map<string, Waiting>;
  readonly clock: Pick<Clock, 'setTimer'>;
}

function waitFor(state: string, how: CallbackWait, { waiting, clock }: WaitParts): Promise<CallbackAnswer> {
  const { server, signal, timeoutMs = defaultTimeoutMs } = how;
  return new Promise((resolve, reject) => {
    if (state.length < shortestState || waiting.has(state)) {
      throw new TypeError('a state is long, random and used once');
    }
    signal?.throwIfAborted();
    const end = (): void => {
      waiting.delete(state);
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    const onAbort = (): void => fail(signal?.reason);
    let sawForeign = false;
    const stopTimer = clock.setTimer(timeoutMs, () => fail(timedOut(server, timeoutMs, sawForeign)));
    signal?.addEventListener('abort', onAbort, { once: true });
    const succeed = (answer: CallbackAnswer): void => {
      end();
      resolve(answer);
    };
    const refuseForeign = (): void => {
      if (!sawForeign) how.onForeign?.();
      sawForeign = true;
    };
    waiting.set(state, { how, succeed, fail, refuseForeign });
  });
}

function timedOut(server: string, afterMs: number, sawForeign: boolean): HoltError<'auth-timeout'> {
  if (!sawForeign) return loginTimedOut(server, afterMs);
  const remedy =
    'A callback was ignored because it did not name the issuer that was asked. If that was your own login, its provider sends a wrong "iss".';
  return loginTimedOut(server, afterMs, { remedy });
}

function portTaken(server: string, port: number, cause: unknown): HoltError<'auth-failed'> {
  const taken = errorCode(cause) === 'EADDRINUSE';
  const reason = taken
    ? `port ${port} is taken by another program, and the login has to come back to it`
    : `port ${port} cannot be opened (${errorCode(cause) ?? String(cause)})`;
  return new HoltError(
    'auth-failed',
    `OAuth authentication failed: ${reason}`,
    { server, reason },
    {
      cause,
      remedy: `End what uses port ${port}, or set oauth.callbackPort to one that the provider knows too.`,
    },
  );
}
