/**
 * Opens a channel and performs the handshake: chooses the transport and the protocol, and falls back if the
 * first guess was wrong.
 */

import type { Transport } from '../../kernel/servers.ts';
import { shouldFallBackToSse } from '../../transports/failure-kinds.ts';
import type { Channel } from '../channel.ts';
import { ChannelClosedError } from '../requests.ts';
import { isRefusal, type Failure } from '../explain-failure.ts';
import type { Attempt } from './attempt.ts';
import { bothFailed } from './connect-failure.ts';
import { performHandshake, probeAndHandshake, type Handshake, type HandshakeParts } from './handshake.ts';

const otherTransport = { http: 'sse', sse: 'http' } as const;

/** Remote servers may use the older of two HTTP transports. `EraMemory` stores by URL which one answered. */
export async function reachServer(attempt: Attempt): Promise<Handshake> {
  const { plan, eras } = attempt;
  if (plan.kind === 'stdio') return reachProgram(attempt);
  if (plan.kind === 'ws') return reachRemote('ws', attempt);
  const url = plan.url.reveal();
  const first = eras.recallTransport(url) ?? plan.kind;
  try {
    return await reachRemote(first, attempt);
  } catch (error) {
    const failed = attempt.fail(error);
    if (attempt.deadlines.signal.aborted || !mayUseOther(failed.failure, first)) throw failed;
    await attempt
      .channel()
      ?.close()
      .catch(() => undefined);
    const second = otherTransport[first];
    const handshake = await reachRemote(second, attempt).catch((other: unknown) => {
      const [http, sse] = first === 'http' ? [failed, attempt.fail(other)] : [attempt.fail(other), failed];
      throw bothFailed(plan.server, attempt.phases.current, http, sse);
    });
    eras.rememberTransport(url, second);
    return handshake;
  }
}

/** Streamable HTTP falls back to SSE only for the responses that the specification names. */
function mayUseOther(failure: Failure, tried: 'http' | 'sse'): boolean {
  return tried === 'http' ? shouldFallBackToSse(failure) : isRefusal(failure);
}

async function reachRemote(kind: Transport, attempt: Attempt): Promise<Handshake> {
  const channel = await attempt.openChannel(kind);
  // SSE is older than the stateless protocol.
  const known = kind === 'sse' ? ({ era: 'stateful' } as const) : attempt.eras.recall(attempt.eraKey);
  return performHandshake(channel, known, handshakePartsOf(attempt, kind), attempt.deadlines.signal);
}

/**
 * Some programs exit when they receive `server/discover`. Such a program is started again without that
 * request. One that exited before it read the request would only exit again.
 */
async function reachProgram(attempt: Attempt): Promise<Handshake> {
  const { signal } = attempt.deadlines;
  const channel = await attempt.openChannel('stdio');
  const known = attempt.eras.recall(attempt.eraKey);
  try {
    return await performHandshake(channel, known, handshakePartsOf(attempt, 'stdio'), signal);
  } catch (error) {
    if (known !== undefined || signal.aborted || !exitedAtProbe(channel)) throw error;
    await channel.close().catch(() => undefined);
    return restartStateful(attempt);
  }
}

async function restartStateful(attempt: Attempt): Promise<Handshake> {
  const channel = await attempt.openChannel('stdio');
  const handshake = await performHandshake(
    channel,
    { era: 'stateful' },
    handshakePartsOf(attempt, 'stdio'),
    attempt.deadlines.signal,
  );
  attempt.eras.remember(attempt.eraKey, { era: 'stateful' });
  return handshake;
}

/** Shells and loaders exit with these codes if they found no program to run. */
const noProgramCodes = new Set([126, 127]);

function exitedAtProbe({ isClosed, transport: { end } }: Channel): boolean {
  return (
    isClosed &&
    typeof end?.exitCode === 'number' &&
    end.cause === undefined &&
    end.unheard !== true &&
    !noProgramCodes.has(end.exitCode)
  );
}

/** The remembered protocol was wrong: asks the server after all, on the same channel if it is still open. */
export async function handshakeAgain({ channel }: Handshake, attempt: Attempt): Promise<Handshake> {
  const { plan, eras, eraKey, deadlines } = attempt;
  const hasEnded = channel.isClosed && plan.kind === 'stdio';
  if (hasEnded && !exitedAtProbe(channel)) throw new ChannelClosedError();
  eras.forget(eraKey);
  if (hasEnded) return restartStateful(attempt);
  return probeAndHandshake(channel, handshakePartsOf(attempt, plan.kind), deadlines.signal);
}

export function handshakePartsOf(attempt: Attempt, kind: Transport): HandshakeParts {
  const { eras, eraKey, tuning } = attempt;
  return {
    ...attempt,
    graceMs: tuning.graceMs,
    // A silent HTTP server is unreachable. A silent program may just not know `server/discover`.
    silenceIsAnswer: kind === 'stdio' || kind === 'ws',
    onInitialized: () => attempt.advance('handshaking'),
    remember: (era) => {
      if (kind !== 'sse') eras.remember(eraKey, era);
    },
  };
}
