/**
 * Connects to one server once, from its launch plan to a session: start, handshake, lists. Reports every
 * phase and enforces every limit.
 */

import type { Lists } from './line/read-lists.ts';
import { createSession, type Session } from './session.ts';
import { createAttempt, type Attempt, type ConnectParts } from './start/attempt.ts';
import { listPartsOf, readAll, reportLists } from './start/first-lists.ts';
import { greetAnew, greetServer } from './start/greet-server.ts';
import type { Greeting } from './start/greet.ts';
import { isMemoryRight } from './start/verify-memory.ts';

/** Rejects with a `ConnectFailure`. The caller must close its `line`, the channel that was open. */
export async function connectOnce(parts: ConnectParts, signal: AbortSignal): Promise<Session> {
  const attempt = createAttempt(parts, signal);
  try {
    const { greeting, lists } = await reachServer(attempt);
    const { seat } = greeting;
    // From here on, closing the client closes the channel.
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

/**
 * Some programs send requests before they answer the first list. Only the SDK client can answer these, so it
 * is attached when the first one arrives.
 */
function hearOut(greeting: Greeting, { warn }: Attempt): Greeting {
  const failed = (error: unknown): void =>
    warn('handler-failed', `The server cannot be heard: ${String(error)}`);
  greeting.line.whenUnheard(() => void greeting.seat.client().catch(failed));
  return greeting;
}
