/**
 * Finds out which protocol a server speaks (`server/discover`) and performs its handshake, on the open
 * channel and without a second start. Skips the question if the protocol is remembered, but asks if that
 * proves wrong.
 */

import type { DiscoverResult } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../kernel/json.ts';
import type { Era } from '../../kernel/phases.ts';
import { orLate, pause } from '../../platform/waits.ts';
import type { Channel } from '../channel.ts';
import { ResponseError } from '../requests.ts';
import type { RememberedEra } from '../era-memory.ts';
import { isRefusal, type Explain } from '../explain-failure.ts';
import type { WakeWatch } from '../wake-watch.ts';
import {
  envelopeOf,
  initialize,
  judgeProbe,
  negotiatedBy,
  statelessVersion,
  type Negotiated,
  type ProbeVerdict,
  type Sender,
} from './protocol.ts';

export interface Handshake {
  readonly channel: Channel;
  readonly negotiated: Negotiated;
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

export interface HandshakeParts {
  /** Called when the server has responded to `initialize`. */
  readonly onInitialized: () => void;
  readonly sender: Sender;
  readonly explain: Explain;
  readonly wake: WakeWatch;
  /** How long a program may ignore `server/discover` before `initialize` is sent as well. */
  readonly graceMs: number;
  /** Whether silence may mean that the server does not understand `server/discover`. */
  readonly silenceIsAnswer: boolean;
  readonly remember: (era: RememberedEra) => void;
}

export async function performHandshake(
  channel: Channel,
  known: RememberedEra | undefined,
  parts: HandshakeParts,
  signal: AbortSignal,
): Promise<Handshake> {
  if (known?.era === 'stateless' && offersLists(known.discover)) {
    return handshakeStateless(channel, known.discover, parts, known.discover);
  }
  if (known?.era !== 'stateful') return probeAndHandshake(channel, parts, signal);
  try {
    return await handshakeStateful(channel, parts, signal);
  } catch (error) {
    // Only a server that rejected `initialize` may have learned the stateless protocol.
    if (signal.aborted || channel.isClosed || !isRefusal(parts.explain(error))) throw error;
    const verdict = await probe(channel, parts, signal);
    if (verdict.era !== 'stateless') throw error;
    parts.remember(verdict);
    return handshakeStateless(channel, verdict.discover, parts);
  }
}

function offersLists({ capabilities: { tools, resources, prompts } }: DiscoverResult): boolean {
  return tools !== undefined || resources !== undefined || prompts !== undefined;
}

/** Sends `server/discover` first. Where silence can be an answer, `initialize` follows after `graceMs`. */
export async function probeAndHandshake(
  channel: Channel,
  parts: HandshakeParts,
  signal: AbortSignal,
): Promise<Handshake> {
  const asking = probe(channel, parts, signal);
  const verdict = parts.silenceIsAnswer
    ? await orLate(asking, parts.graceMs, parts.wake, 'late' as const)
    : await asking;
  if (verdict === 'late') return handshakeWithSilent(channel, asking, parts, signal);
  if (verdict.era === 'stateless') {
    parts.remember(verdict);
    return handshakeStateless(channel, verdict.discover, parts);
  }
  const handshake = await handshakeStateful(channel, parts, signal);
  parts.remember({ era: 'stateful' });
  return handshake;
}

/**
 * A slow program finds both requests in its pipe when it starts to read. If it accepts `initialize`, the
 * stateful protocol is used, because the program holds a session from then on. If it rejects `initialize`,
 * its answer to `server/discover` decides.
 */
async function handshakeWithSilent(
  channel: Channel,
  asking: Promise<ProbeVerdict>,
  parts: HandshakeParts,
  signal: AbortSignal,
): Promise<Handshake> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  let found: ProbeVerdict | undefined;
  const answered = asking.then(
    (verdict) => (found = verdict),
    () => undefined,
  );
  const handshake = handshakeStateful(channel, parts, stopping.signal);
  const patience = answered.then(() =>
    found?.era === 'stateless' ? pause(parts.graceMs, parts.wake) : new Promise<never>(() => undefined),
  );
  try {
    const first = await Promise.race([handshake, patience.then(() => undefined)]);
    if (first !== undefined) {
      parts.remember(found?.era === 'stateless' ? found : { era: 'stateful' });
      return first;
    }
    stopping.abort(new Error('server/discover was answered instead'));
    await handshake.catch(() => undefined);
  } catch (error) {
    // `server/discover` was sent first, so its answer, if any, is here by now.
    if (found?.era !== 'stateless' || signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  if (found?.era !== 'stateless') throw new Error('initialize was not answered');
  parts.remember(found);
  return handshakeStateless(channel, found.discover, parts);
}

async function handshakeStateful(
  channel: Channel,
  parts: HandshakeParts,
  signal: AbortSignal,
): Promise<Handshake> {
  channel.answersRequests = true;
  const negotiated = await initialize(channel, parts.sender, parts.onInitialized, signal);
  const none = { envelope: undefined, recalled: undefined, discover: undefined };
  return { channel, negotiated, era: 'stateful', ...none };
}

function handshakeStateless(
  channel: Channel,
  discover: DiscoverResult,
  { sender }: HandshakeParts,
  recalled?: DiscoverResult,
): Handshake {
  channel.answersRequests = false;
  channel.transport.setProtocolVersion?.(statelessVersion);
  const envelope = envelopeOf(sender);
  return { channel, negotiated: negotiatedBy(discover), era: 'stateless', envelope, recalled, discover };
}

/** Asks which protocol the server speaks. Rejects if the answer says nothing about the protocol. */
export async function probe(
  channel: Channel,
  parts: HandshakeParts,
  signal: AbortSignal,
): Promise<ProbeVerdict> {
  const first = await probeOnce(channel, parts, signal);
  if (first.era !== 'again') return first;
  const second = await probeOnce(channel, parts, signal);
  return second.era === 'again' ? { era: 'stateful' } : second;
}

async function probeOnce(
  channel: Channel,
  parts: HandshakeParts,
  signal: AbortSignal,
): Promise<ProbeVerdict> {
  try {
    const result = await channel.requests.request(
      'server/discover',
      {},
      { signal, envelope: envelopeOf(parts.sender) },
    );
    return judgeProbe({ kind: 'result', result });
  } catch (error) {
    if (error instanceof ResponseError)
      return judgeProbe({ kind: 'error', code: error.code, data: error.data });
    const failure = parts.explain(error);
    const verdict =
      'httpStatus' in failure ? judgeProbe({ kind: 'status', status: failure.httpStatus }) : undefined;
    if (verdict === undefined || verdict.era === 'unknown') throw error;
    return verdict;
  }
}
