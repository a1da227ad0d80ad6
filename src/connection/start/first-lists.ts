/** The first listing. Requests all three lists before it waits for the first, and reports them in order. */

import type { JsonObject } from '../../kernel/json.ts';
import { HoltError } from '../../kernel/errors.ts';
import type { Phase } from '../../kernel/phases.ts';
import { inSeconds, type Limits } from '../limits.ts';
import type { ListKind } from '../line/line.ts';
import { noLists, noteFailedList, readList, type ListParts, type Lists } from '../line/read-lists.ts';
import type { Attempt } from './attempt.ts';
import { toolsFailed } from './connect-failure.ts';
import type { Greeting } from './greet.ts';

interface ListUnderWay {
  readonly list: Promise<Partial<Lists>>;
  readonly stop: (reason: unknown) => void;
}

export interface Reading {
  readonly under: Readonly<Record<ListKind, ListUnderWay>>;
  /** The first page of any list to arrive. */
  readonly page: Promise<JsonObject>;
  stop(): void;
}

export function listPartsOf(
  { line, envelope, welcome }: Greeting,
  { plan, listSlots: slots, failedLists: failed, warn, tuning }: Attempt,
): ListParts {
  const { capabilities } = welcome;
  return { server: plan.server, slots, line, envelope, capabilities, warn, failed, caps: tuning.listCaps };
}

export function readAll(greeting: Greeting, attempt: Attempt): Reading {
  let seen: ((page: JsonObject) => void) | undefined;
  const page = new Promise<JsonObject>((resolve) => {
    seen = resolve;
  });
  const parts: ListParts = {
    ...listPartsOf(greeting, attempt),
    refuseOld: greeting.recalled !== undefined,
    onPage: (result) => seen?.(result),
  };
  const under = {
    resources: startList('resources', parts, attempt),
    tools: startList('tools', parts, attempt),
    prompts: startList('prompts', parts, attempt),
  };
  return {
    under,
    page,
    stop: () => {
      for (const { stop } of Object.values(under)) stop(new Error('no longer needed'));
    },
  };
}

function startList(kind: ListKind, parts: ListParts, { deadlines: { signal } }: Attempt): ListUnderWay {
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
export async function reportLists({ under }: Reading, attempt: Attempt): Promise<Lists> {
  const { advance, deadlines, explain, failedLists, limits, line, plan, wake, warn } = attempt;
  const lists = { ...noLists };
  for (const kind of ['resources', 'tools', 'prompts'] as const) {
    const phase = `listing_${kind}` as const;
    advance(phase);
    deadlines.leave();
    const afterMs = limits.phases[phase];
    const stopTimer = wake.setTimer(afterMs, () => under[kind].stop(listTimeout(plan.server, phase, limits)));
    try {
      Object.assign(lists, await under[kind].list);
    } catch (error) {
      if (deadlines.signal.aborted || line()?.isClosed === true) throw error;
      if (kind === 'tools') throw toolsFailed(plan.server, error, explain(error), line());
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
