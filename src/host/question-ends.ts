/** Cancels questions to a person once their server is gone, because the answer would have no effect. */

import type { Connection } from '../connection/connection.ts';
import { orAborted } from '../platform/waits.ts';
import type { HostEnvironment } from './environment.ts';

type Ask<Question, Answer> = (question: Question, signal?: AbortSignal) => Promise<Answer>;

/**
 * What ends a question: `start` the end of that start; `server` a change of the server's definition, or the
 * host closing.
 */
export type Standing = 'start' | 'server';

/** Wraps a question so that it is cancelled when it no longer matters. Undefined if `ask` is undefined. */
export type AskAbout = <Question, Answer>(
  server: string,
  standing: Standing,
  ask: Ask<Question, Answer> | undefined,
) => ((question: Question) => Promise<Answer>) | undefined;

export function createAskAbout(
  { bus, startQuestions }: Pick<HostEnvironment, 'bus' | 'startQuestions'>,
  connectionOf: (server: string) => Connection | undefined,
): AskAbout {
  return (server, standing, ask) => {
    if (ask === undefined) return undefined;
    return startQuestions.watch(async (question) => {
      const over = new AbortController();
      const end = (): void => over.abort();
      const connection = connectionOf(server);
      // A server has this status from before its start until the start has succeeded or failed.
      const endUnlessStarting = (status = connection?.status()): void => {
        if (standing === 'start' && status?.status !== 'connecting') end();
      };
      endUnlessStarting();
      // The question waited in the queue until its start had ended.
      over.signal.throwIfAborted();
      const forget = bus.on('mcp.status.changed', ({ server: whose, status }) => {
        if (whose === server) endUnlessStarting(status);
      });
      try {
        const asking = ask(question, over.signal);
        connection?.retirement.unlessOver(asking).catch(end);
        // The callback may ignore the signal, so do not wait for it.
        return await orAborted(asking, over.signal);
      } finally {
        forget();
      }
    });
  };
}
