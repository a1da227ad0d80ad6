/**
 * Opens a channel and performs the handshake: chooses the transport and the protocol, and falls back if the
 * first guess was wrong.
 */

import type { Transport } from '../../kernel/servers.ts';
import { shouldFallBackToSse } from '../../transports/classify-failure.ts';
import { isRefusal, type Failure } from '../door.ts';
import type { Line } from '../line/line.ts';
import { LineClosedError } from '../line/questions.ts';
import type { Attempt } from './attempt.ts';
import { bothFailed } from './connect-failure.ts';
import { askAndGreet, greet, type Greeting, type GreetParts } from './greet.ts';

const otherWay = { http: 'sse', sse: 'http' } as const;

/** Remote servers may use the older of two HTTP transports. `EraMemory` stores by URL which one answered. */
export async function greetServer(attempt: Attempt): Promise<Greeting> {
  const { plan, eras } = attempt;
  if (plan.kind === 'stdio') return greetProgram(attempt);
  if (plan.kind === 'ws') return greetRemote('ws', attempt);
  const url = plan.url.reveal();
  const first = eras.recallTransport(url) ?? plan.kind;
  try {
    return await greetRemote(first, attempt);
  } catch (error) {
    const failed = attempt.fail(error);
    if (attempt.deadlines.signal.aborted || !mayBeOther(failed.failure, first)) throw failed;
    await attempt
      .line()
      ?.close()
      .catch(() => undefined);
    const second = otherWay[first];
    const greeting = await greetRemote(second, attempt).catch((other: unknown) => {
      const [http, sse] = first === 'http' ? [failed, attempt.fail(other)] : [attempt.fail(other), failed];
      throw bothFailed(plan.server, attempt.phases.current, http, sse);
    });
    eras.rememberTransport(url, second);
    return greeting;
  }
}

/** Streamable HTTP falls back to SSE only for the responses that the specification names. */
function mayBeOther(failure: Failure, tried: 'http' | 'sse'): boolean {
  return tried === 'http' ? shouldFallBackToSse(failure) : isRefusal(failure);
}

async function greetRemote(kind: Transport, attempt: Attempt): Promise<Greeting> {
  const line = await attempt.openLine(kind);
  // SSE is older than the stateless protocol.
  const known = kind === 'sse' ? ({ era: 'stateful' } as const) : attempt.eras.recall(attempt.eraKey);
  return greet(line, known, greetPartsOf(attempt, kind), attempt.deadlines.signal);
}

/**
 * Some programs exit when they receive `server/discover`. Such a program is started again without that
 * request. One that exited before it read the request would only exit again.
 */
async function greetProgram(attempt: Attempt): Promise<Greeting> {
  const { signal } = attempt.deadlines;
  const line = await attempt.openLine('stdio');
  const known = attempt.eras.recall(attempt.eraKey);
  try {
    return await greet(line, known, greetPartsOf(attempt, 'stdio'), signal);
  } catch (error) {
    if (known !== undefined || signal.aborted || !endedAtQuestion(line)) throw error;
    await line.close().catch(() => undefined);
    return greetUnasked(attempt);
  }
}

async function greetUnasked(attempt: Attempt): Promise<Greeting> {
  const line = await attempt.openLine('stdio');
  const greeting = await greet(
    line,
    { era: 'stateful' },
    greetPartsOf(attempt, 'stdio'),
    attempt.deadlines.signal,
  );
  attempt.eras.remember(attempt.eraKey, { era: 'stateful' });
  return greeting;
}

/** Shells and loaders exit with these codes if they found no program to run. */
const noProgramCodes = new Set([126, 127]);

function endedAtQuestion({ isClosed, transport: { end } }: Line): boolean {
  return (
    isClosed &&
    typeof end?.exitCode === 'number' &&
    end.cause === undefined &&
    end.unheard !== true &&
    !noProgramCodes.has(end.exitCode)
  );
}

/** The remembered protocol was wrong: asks the server after all, on the same channel if it is still open. */
export async function greetAnew({ seat, line }: Greeting, attempt: Attempt): Promise<Greeting> {
  const { plan, eras, eraKey, deadlines } = attempt;
  await seat.leave();
  const hasEnded = line.isClosed && plan.kind === 'stdio';
  if (hasEnded && !endedAtQuestion(line)) throw new LineClosedError();
  eras.forget(eraKey);
  if (hasEnded) return greetUnasked(attempt);
  return askAndGreet(line, greetPartsOf(attempt, plan.kind), deadlines.signal);
}

export function greetPartsOf(attempt: Attempt, kind: Transport): GreetParts {
  const { eras, eraKey, tuning } = attempt;
  return {
    ...attempt,
    graceMs: tuning.graceMs,
    // A silent HTTP server is unreachable. A silent program may just not know `server/discover`.
    silenceIsAnswer: kind === 'stdio' || kind === 'ws',
    remember: (era) => {
      if (kind !== 'sse') eras.remember(eraKey, era);
    },
  };
}
