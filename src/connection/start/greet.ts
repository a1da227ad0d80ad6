/**
 * Finds out which protocol a server speaks (`server/discover`) and performs its handshake, on the open
 * channel and without a second start. Skips the question if the protocol is remembered, but asks if that
 * proves wrong.
 */

import type { Client, DiscoverResult } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../kernel/json.ts';
import type { Era } from '../../kernel/status.ts';
import { isRefusal, type Explain } from '../door.ts';
import type { RememberedEra } from '../era-memory.ts';
import type { Line } from '../line/line.ts';
import { createSeat, type ClientSeat } from './client-seat.ts';
import { sayHello, toAnswer, welcomeHeardBy, welcomeOf, type Welcome } from './hello.ts';
import { envelopeOf, judgeProbe, type ProbeVerdict, type Sender } from './probe.ts';
import { AnswerError } from '../line/questions.ts';
import type { WakeWatch } from '../wake-watch.ts';
import { orLate, pause } from '../../platform/waits.ts';

export interface Greeting {
  readonly line: Line;
  readonly welcome: Welcome;
  readonly seat: ClientSeat;
  readonly era: Era;
  /** Sent with every request of the stateless protocol. */
  readonly envelope: JsonObject | undefined;
  /**
   * Set if `server/discover` was skipped. The server's first answer has yet to confirm what was remembered.
   */
  readonly recalled: DiscoverResult | undefined;
  /** The `server/discover` result of a stateless server. */
  readonly discover: DiscoverResult | undefined;
}

export interface GreetParts {
  readonly client: () => Promise<Client>;
  readonly sender: Sender;
  readonly explain: Explain;
  readonly wake: WakeWatch;
  /** How long a program may ignore `server/discover` before `initialize` is sent as well. */
  readonly graceMs: number;
  /** Whether silence may mean that the server does not understand `server/discover`. */
  readonly silenceIsAnswer: boolean;
  readonly remember: (era: RememberedEra) => void;
}

export async function greet(
  line: Line,
  known: RememberedEra | undefined,
  parts: GreetParts,
  signal: AbortSignal,
): Promise<Greeting> {
  if (known?.era === 'stateless' && offersLists(known.discover)) {
    return greetStateless(line, known.discover, { ...parts, recalled: known.discover }, signal);
  }
  if (known?.era !== 'stateful') return askAndGreet(line, parts, signal);
  try {
    return await greetStateful(line, parts, signal);
  } catch (error) {
    // Only a server that rejected `initialize` may have learned the stateless protocol.
    if (signal.aborted || line.isClosed || !isRefusal(parts.explain(error))) throw error;
    const verdict = await probe(line, parts, signal);
    if (verdict.era !== 'stateless') throw error;
    parts.remember(verdict);
    return greetStateless(line, verdict.discover, parts, signal);
  }
}

function offersLists({ capabilities: { tools, resources, prompts } }: DiscoverResult): boolean {
  return tools !== undefined || resources !== undefined || prompts !== undefined;
}

/** Sends `server/discover` first. Where silence can be an answer, `initialize` follows after `graceMs`. */
export async function askAndGreet(line: Line, parts: GreetParts, signal: AbortSignal): Promise<Greeting> {
  const asking = probe(line, parts, signal);
  const verdict = parts.silenceIsAnswer
    ? await orLate(asking, parts.graceMs, parts.wake, 'late' as const)
    : await asking;
  if (verdict === 'late') return greetSilent(line, asking, parts, signal);
  if (verdict.era === 'stateless') {
    parts.remember(verdict);
    return greetStateless(line, verdict.discover, parts, signal);
  }
  const greeting = await greetStateful(line, parts, signal);
  parts.remember({ era: 'stateful' });
  return greeting;
}

/**
 * A slow program finds both requests in its pipe when it starts to read. If it accepts `initialize`, the
 * stateful protocol is used, because the program holds a session from then on. If it rejects `initialize`,
 * its answer to `server/discover` decides.
 */
async function greetSilent(
  line: Line,
  asking: Promise<ProbeVerdict>,
  parts: GreetParts,
  signal: AbortSignal,
): Promise<Greeting> {
  const given = new AbortController();
  const stop = (): void => given.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  let found: ProbeVerdict | undefined;
  const answered = asking.then(
    (verdict) => (found = verdict),
    () => undefined,
  );
  const greeting = greetStateful(line, parts, given.signal);
  const patience = answered.then(() =>
    found?.era === 'stateless' ? pause(parts.graceMs, parts.wake) : new Promise<never>(() => undefined),
  );
  try {
    const first = await Promise.race([greeting, patience.then(() => undefined)]);
    if (first !== undefined) {
      parts.remember(found?.era === 'stateless' ? found : { era: 'stateful' });
      return first;
    }
    given.abort(new Error('the question was answered instead'));
    await greeting.catch(() => undefined);
  } catch (error) {
    // `server/discover` was sent first, so its answer, if any, is here by now.
    if (found?.era !== 'stateless' || signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  if (found?.era !== 'stateless') throw new Error('the greeting was not answered');
  parts.remember(found);
  return greetStateless(line, found.discover, parts, signal);
}

async function greetStateful(line: Line, parts: GreetParts, signal: AbortSignal): Promise<Greeting> {
  const none = { envelope: undefined, recalled: undefined, discover: undefined };
  const shared = { line, era: 'stateful', ...none } as const;
  const prior = { kind: 'legacy' } as const;
  if (isProgram(line)) {
    const welcome = await sayHello(line, parts.sender, signal);
    return {
      ...shared,
      welcome,
      seat: createSeat(parts.client, { line, prior, greeted: toAnswer(welcome) }),
    };
  }
  const seat = createSeat(parts.client, { line, prior, signal });
  return { ...shared, welcome: welcomeHeardBy(await seat.client()), seat };
}

async function greetStateless(
  line: Line,
  discover: DiscoverResult,
  parts: GreetParts & { readonly recalled?: DiscoverResult },
  signal: AbortSignal,
): Promise<Greeting> {
  const prior = { kind: 'modern', discover } as const;
  const seat = createSeat(
    parts.client,
    isProgram(line) ? { line, prior, greeted: {} } : { line, prior, signal },
  );
  if (!isProgram(line)) await seat.client();
  return {
    line,
    welcome: welcomeOf(discover),
    seat,
    era: 'stateless',
    envelope: envelopeOf(parts.sender),
    recalled: parts.recalled,
    discover,
  };
}

function isProgram({ transport }: Line): boolean {
  return transport.processId !== undefined;
}

/** Asks which protocol the server speaks. Rejects if the answer says nothing about the protocol. */
export async function probe(line: Line, parts: GreetParts, signal: AbortSignal): Promise<ProbeVerdict> {
  const first = await probeOnce(line, parts, signal);
  if (first.era !== 'again') return first;
  const second = await probeOnce(line, parts, signal);
  return second.era === 'again' ? { era: 'stateful' } : second;
}

async function probeOnce(line: Line, parts: GreetParts, signal: AbortSignal): Promise<ProbeVerdict> {
  try {
    const result = await line.ask('server/discover', {}, { signal, envelope: envelopeOf(parts.sender) });
    return judgeProbe({ kind: 'result', result });
  } catch (error) {
    if (error instanceof AnswerError)
      return judgeProbe({ kind: 'error', code: error.code, data: error.data });
    const failure = parts.explain(error);
    const verdict =
      'httpStatus' in failure ? judgeProbe({ kind: 'status', status: failure.httpStatus }) : undefined;
    if (verdict === undefined || verdict.era === 'unknown') throw error;
    return verdict;
  }
}
