/**
 * Connects to one server once, from its launch plan to a session: start, handshake, lists. Reports every phase
 * and enforces every limit. Requests all lists before it waits for the first, and checks by the first response
 * that the server still speaks the remembered protocol.
 */

import type { DiscoverResult } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../kernel/json.ts';
import { HoltError } from '../../kernel/errors.ts';
import type { Phase } from '../../kernel/phases.ts';
import { listKinds, type ListKind } from '../channel.ts';
import { noLists, noteFailedList, readList, type ListParts, type Lists } from '../lists/read-lists.ts';
import { isRefusal } from '../explain-failure.ts';
import { inSeconds, type Limits } from '../limits.ts';
import { Session } from '../session.ts';
import { createAttempt, type Attempt, type ConnectParts } from './attempt.ts';
import { toolsFailed } from './connect-failure.ts';
import { probe, type Handshake } from './handshake.ts';
import { infoKey } from './protocol.ts';
import { handshakeAgain, handshakePartsOf, reachServer } from './reach-server.ts';

/** Rejects with a `ConnectFailure`. The caller must close its `channel`, the one that was open. */
export async function connectOnce(parts: ConnectParts, signal: AbortSignal): Promise<Session> {
  const attempt = createAttempt(parts, signal);
  try {
    const { handshake, lists } = await openSession(attempt);
    const session = new Session(handshake, lists, listPartsOf(handshake, attempt), attempt);
    attempt.advance('ready');
    return session;
  } catch (error) {
    attempt.lists.close();
    throw attempt.fail(error);
  } finally {
    attempt.deadlines.end();
  }
}

async function openSession(attempt: Attempt): Promise<{ handshake: Handshake; lists: Lists }> {
  let handshake = await reachServer(attempt);
  let reading = readAll(handshake, attempt);
  if (handshake.recalled !== undefined && !(await isMemoryRight(handshake, reading, attempt))) {
    reading.stop();
    handshake = await handshakeAgain(handshake, attempt);
    reading = readAll(handshake, attempt);
  }
  attempt.advance('handshaking');
  const lists = await reportLists(reading, attempt);
  const { channel } = handshake;
  if (channel.isClosed) throw channel.transport.end?.cause ?? new Error('the connection was closed');
  return { handshake, lists };
}

interface ListInProgress {
  readonly list: Promise<Partial<Lists>>;
  readonly stop: (reason: unknown) => void;
}

interface Reading {
  readonly lists: Readonly<Record<ListKind, ListInProgress>>;
  /** The first page of any list to arrive. */
  readonly page: Promise<JsonObject>;
  stop(): void;
}

function listPartsOf(
  { channel, envelope, negotiated }: Handshake,
  { plan, listSlots: slots, failedLists: failed, warn, tuning }: Attempt,
): ListParts {
  const { capabilities } = negotiated;
  return { server: plan.server, slots, channel, envelope, capabilities, warn, failed, caps: tuning.listCaps };
}

function readAll(handshake: Handshake, attempt: Attempt): Reading {
  let seen: ((page: JsonObject) => void) | undefined;
  const page = new Promise<JsonObject>((resolve) => {
    seen = resolve;
  });
  const parts: ListParts = {
    ...listPartsOf(handshake, attempt),
    refuseOld: handshake.recalled !== undefined,
    onPage: (result) => seen?.(result),
  };
  const lists = {
    resources: startList('resources', parts, attempt),
    tools: startList('tools', parts, attempt),
    prompts: startList('prompts', parts, attempt),
  };
  return {
    lists,
    page,
    stop: () => {
      for (const { stop } of Object.values(lists)) stop(new Error('no longer needed'));
    },
  };
}

function startList(kind: ListKind, parts: ListParts, { deadlines: { signal } }: Attempt): ListInProgress {
  const own = new AbortController();
  const onAbort = (): void => own.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const list = readList(kind, parts, own.signal).finally(() => signal.removeEventListener('abort', onAbort));
  // Avoids an unhandled rejection before `reportLists` awaits the list and sees the error.
  list.catch(() => undefined);
  return { list, stop: (reason) => own.abort(reason) };
}

/**
 * Waits for the lists in order, each within its limit. A server without resources or prompts stays usable, so
 * only a failure of the tools fails the start.
 */
async function reportLists({ lists: reading }: Reading, attempt: Attempt): Promise<Lists> {
  const { advance, deadlines, explain, failedLists, limits, channel, plan, wake, warn } = attempt;
  const lists = { ...noLists };
  for (const kind of ['resources', 'tools', 'prompts'] as const) {
    const phase = `listing_${kind}` as const;
    advance(phase);
    deadlines.leave();
    const afterMs = limits.phases[phase];
    const stopTimer = wake.setTimer(afterMs, () =>
      reading[kind].stop(listTimeout(plan.server, phase, limits)),
    );
    try {
      Object.assign(lists, await reading[kind].list);
    } catch (error) {
      if (deadlines.signal.aborted || channel()?.isClosed === true) throw error;
      if (kind === 'tools') throw toolsFailed(plan.server, error, explain(error), channel());
      const reason = HoltError.is(error) ? error.message : explain(error).message;
      noteFailedList(kind, `Failed to get ${kind}: ${reason}`, { failed: failedLists, warn });
    } finally {
      stopTimer();
    }
  }
  return lists;
}

function listTimeout(server: string, phase: Phase, { advice, phases }: Limits): HoltError {
  const afterMs = phases[phase];
  const remedy = `${advice(phase, afterMs)} if it needs longer.`;
  const message = `no answer in phase ${phase} after ${inSeconds(afterMs)}. ${remedy}`;
  return new HoltError('connect-timeout', message, { server, phase, afterMs }, { remedy });
}

/** Resolves to false if the server must be asked after all. Rejects if the failure is unrelated. */
async function isMemoryRight(
  { channel, recalled }: Handshake,
  reading: Reading,
  attempt: Attempt,
): Promise<boolean> {
  const { signal } = attempt.deadlines;
  const parts = handshakePartsOf(attempt, attempt.plan.kind);
  const capabilities = recalled?.capabilities ?? {};
  const offered = listKinds.filter((kind) => capabilities[kind] !== undefined);
  const failed = Promise.race(
    offered.map((kind) =>
      reading.lists[kind].list.then(
        () => true,
        (error: unknown) => {
          if (signal.aborted || !(channel.isClosed || isRefusal(attempt.explain(error)))) throw error;
          return false;
        },
      ),
    ),
  );
  const first = Promise.race([reading.page.then((page) => isSameServer(page, recalled)), failed]);
  const stop = { timer: (): void => undefined };
  const silence = new Promise<boolean>((resolve) => {
    if (!parts.silenceIsAnswer) return;
    // The server may be slow, or may not understand any request. Asking `server/discover` settles it.
    stop.timer = parts.wake.setTimer(parts.graceMs, () => {
      probe(channel, parts, signal).then(
        (verdict) => resolve(verdict.era === 'stateless'),
        () => resolve(false),
      );
    });
  });
  try {
    return await Promise.race([first, silence]);
  } finally {
    stop.timer();
  }
}

/** Stateless servers sign answers with a name and version. Another version may offer other things. */
function isSameServer(page: JsonObject, recalled: DiscoverResult | undefined): boolean {
  const [now, before] = [signatureOf(page), signatureOf(recalled)];
  return now === undefined || before === undefined || now === before;
}

function signatureOf(result: unknown): string | undefined {
  const meta: unknown = Reflect.get(Object(result) as object, '_meta'); // undefined if `result` is not an object
  const info: unknown =
    typeof meta === 'object' && meta !== null && infoKey in meta ? meta[infoKey] : undefined;
  if (typeof info !== 'object' || info === null || !('name' in info) || !('version' in info))
    return undefined;
  return JSON.stringify([info.name, info.version]);
}
