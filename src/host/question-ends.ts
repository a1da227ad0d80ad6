/** Until when a question about a server is worth an answer: nobody is to be asked about what is gone. */

import type { Connection } from '../connection/connection.ts';
import { orAborted } from '../connection/or-aborted.ts';
import type { World } from './world.ts';

type Ask<Question, Answer> = (question: Question, signal?: AbortSignal) => Promise<Answer>;

/** Before a start it is over with that start; elsewhere with the server as it is defined now, or with the host. */
export type Standing = 'start' | 'server';

/** The same question, called off when it is over. */
export type AskAbout = <Question, Answer>(
  server: string,
  standing: Standing,
  ask: Ask<Question, Answer> | undefined,
) => ((question: Question) => Promise<Answer>) | undefined;

export function createAskAbout(
  { bus, startQuestions }: Pick<World, 'bus' | 'startQuestions'>,
  connectionOf: (server: string) => Connection | undefined,
): AskAbout {
  return (server, standing, ask) => {
    if (ask === undefined) return undefined;
    return startQuestions.watch(async (question) => {
      const over = new AbortController();
      const end = (): void => over.abort();
      const connection = connectionOf(server);
      // A server that is about to start has this status until it has started, or will not.
      const endUnlessStarting = (status = connection?.status()): void => {
        if (standing === 'start' && status?.status !== 'connecting') end();
      };
      endUnlessStarting();
      // It waited too long for its turn: there is no start left that could fail by this.
      over.signal.throwIfAborted();
      const forget = bus.on('mcp.status.changed', ({ server: whose, status }) => {
        if (whose === server) endUnlessStarting(status);
      });
      try {
        const asking = ask(question, over.signal);
        connection?.retirement.unlessOver(asking).catch(end);
        // Whoever answers may be slow to notice, or not look at all.
        return await orAborted(asking, over.signal);
      } finally {
        forget();
      }
    });
  };
}
