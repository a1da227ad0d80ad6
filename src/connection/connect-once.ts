/** One connect of one server, from its plan to a session: start, greet, list. Every phase is told, every limit kept. */

import type { Lists } from './line/read-lists.ts';
import { createSession, type Session } from './session.ts';
import { createAttempt, type Attempt, type ConnectParts } from './start/attempt.ts';
import { listPartsOf, readAll, reportLists } from './start/first-lists.ts';
import { greetAnew, greetServer } from './start/greet-server.ts';
import type { Greeting } from './start/greet.ts';
import { isMemoryRight } from './start/verify-memory.ts';

/** Rejects with a `ConnectFailure`, whose line is still to be closed. */
export async function connectOnce(parts: ConnectParts, signal: AbortSignal): Promise<Session> {
  const attempt = createAttempt(parts, signal);
  try {
    const { greeting, lists } = await reachServer(attempt);
    const { seat } = greeting;
    // From here on the client and the line share one life.
    seat.keep();
    if (parts.isClientInUse()) await seat.client();
    const session = createSession(greeting, lists, listPartsOf(greeting, attempt), attempt);
    attempt.advance('ready');
    return session;
  } catch (error) {
    attempt.lists.close();
    throw attempt.fail(error);
  } finally {
    attempt.deadlines.end();
  }
}

async function reachServer(attempt: Attempt): Promise<{ greeting: Greeting; lists: Lists }> {
  let greeting = hearOut(await greetServer(attempt), attempt);
  let reading = readAll(greeting, attempt);
  if (greeting.recalled !== undefined && !(await isMemoryRight(greeting, reading, attempt))) {
    reading.stop();
    greeting = hearOut(await greetAnew(greeting, attempt), attempt);
    reading = readAll(greeting, attempt);
  }
  attempt.advance('handshaking');
  const lists = await reportLists(reading, attempt);
  if (greeting.line.isClosed)
    throw greeting.line.transport.end?.cause ?? new Error('the connection was closed');
  return { greeting, lists };
}

/** There are programs that ask something before they answer the first list: whatever they ask is a client's to answer. */
function hearOut(greeting: Greeting, { warn }: Attempt): Greeting {
  const failed = (error: unknown): void =>
    warn('handler-failed', `The server cannot be heard: ${String(error)}`);
  greeting.line.whenUnheard(() => void greeting.seat.client().catch(failed));
  return greeting;
}
