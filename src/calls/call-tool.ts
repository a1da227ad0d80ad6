/** Runs a call from its start to its result. Failures of the server or the connection are results, too. */

import type { JsonObject } from '../kernel/json.ts';
import { keepReceipt } from '../connection/channel.ts';
import { HoltError, ToolAborted } from '../kernel/errors.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { type CallFacts, type CutParts, makeFailure, makeResult } from '../results/make-result.ts';
import type { ToolResult } from '../results/tool-result.ts';
import type { Roster } from '../roster/load-roster.ts';
import { settingsFor } from '../settings/load-settings.ts';
import { readFailure } from './call-failure.ts';
import { changedAnswer } from './changed-answer.ts';
import {
  performCall,
  prepareCall,
  type CallTarget,
  type PerformOptions,
  type PerformParts,
  type Performed,
  type Prepared,
} from './perform-call.ts';
import { runAfter } from './run-hooks.ts';

export interface CallParts extends PerformParts {
  readonly roster: { readonly current: Roster };
  /** Writes a result that is too long to return to a file. */
  readonly spill: CutParts['spill'];
  readonly redact: (text: string) => string;
}

/** Throws only errors that are for the caller; see `call-failure.ts`. */
export async function callTool(
  target: CallTarget,
  args: JsonObject,
  options: PerformOptions,
  parts: CallParts,
): Promise<ToolResult> {
  const { clock, bus } = parts;
  const startedAt = clock.now();
  const { name, server } = target;
  const tool = target.tool.name;
  let result: ToolResult | undefined;
  let deliver: (() => void) | undefined;
  try {
    const prepared = prepareCall(target, args, options, parts);
    const ready = prepared instanceof Promise ? await inTime(prepared, target, options, parts) : prepared;
    if ('failure' in ready) {
      const { code, message } = ready.failure;
      const ms = Math.round(clock.now() - startedAt);
      return makeFailure({ code, message }, factsOf(target, { repaired: [] }, ms));
    }
    throwIfAborted(target, options);
    const outcome = await performed(target, ready, options, parts);
    deliver = keepOutcome(outcome);
    const facts = factsOf(target, ready, Math.round(clock.now() - startedAt));
    const made = resultOf(outcome, target, facts, parts);
    const plain = made instanceof Promise ? await made : made;
    const { after } = parts.hooks();
    result = after.length === 0 ? plain : await runAfter(after, ready.call, plain, parts);
    return result;
  } finally {
    deliver?.();
    bus.emit('mcp.tool.called', {
      server,
      tool,
      name,
      ms: Math.round(clock.now() - startedAt),
      ok: result?.ok === true,
    });
  }
}

/** Returns the server's own answer with any changes that hooks make. Throws every failure. */
export async function callRaw(
  target: CallTarget,
  args: JsonObject,
  options: PerformOptions,
  parts: CallParts,
): Promise<JsonObject> {
  const { clock, bus } = parts;
  const startedAt = clock.now();
  const { name, server } = target;
  const tool = target.tool.name;
  let ok = false;
  let deliver: (() => void) | undefined;
  try {
    const prepared = await prepareCall(target, args, options, parts);
    const outcome = await performed(target, prepared, options, parts);
    deliver = keepOutcome(outcome);
    const ms = Math.round(clock.now() - startedAt);
    const answer = await hookedAnswer(outcome, prepared, { target, ms }, parts);
    ok = answer['isError'] !== true;
    return answer;
  } finally {
    deliver?.();
    bus.emit('mcp.tool.called', { server, tool, name, ms: Math.round(clock.now() - startedAt), ok });
  }
}

/** Runs the `after` hooks for a raw call and applies their changes to its answer. */
async function hookedAnswer(
  outcome: Outcome,
  prepared: Prepared,
  { target, ms }: { readonly target: CallTarget; readonly ms: number },
  parts: CallParts,
): Promise<JsonObject> {
  const { after } = parts.hooks();
  const facts = factsOf(target, prepared, ms);
  const made = after.length === 0 ? undefined : await resultOf(outcome, target, facts, parts);
  const result = made === undefined ? undefined : await runAfter(after, prepared.call, made, parts);
  if ('failure' in outcome) throw outcome.failure;
  const { answer } = outcome;
  return made === undefined || result === undefined ? { ...answer } : changedAnswer(answer, made, result);
}

interface Failed {
  readonly failure: HoltError;
}

type Outcome = Performed | Failed;

/** A call that times out while its arguments are checked fails like one that times out at the server. */
function inTime(
  preparing: Promise<Prepared>,
  target: CallTarget,
  options: PerformOptions,
  parts: CallParts,
): Promise<Prepared | Failed> {
  return preparing.catch((error: unknown): Failed => {
    if (HoltError.is(error, 'call-timeout')) return failedOf(error, target, options, parts);
    throw error;
  });
}

/** Counts the answer as received but not delivered while hooks run and files are written. */
function keepOutcome(outcome: Outcome): () => void {
  return 'failure' in outcome ? () => undefined : keepReceipt(outcome.answer);
}

function performed(
  target: CallTarget,
  prepared: Prepared,
  options: PerformOptions,
  parts: CallParts,
): Promise<Outcome> {
  return performCall(target, prepared, options, parts).catch((error: unknown) =>
    failedOf(error, target, options, parts),
  );
}

function failedOf(
  error: unknown,
  { server, connection, tool }: CallTarget,
  { signal }: PerformOptions,
  { redact }: CallParts,
): Failed {
  return { failure: readFailure(error, { server, tool: tool.name, connection, signal, redact }) };
}

function factsOf(
  { server, agent, tool }: CallTarget,
  { repaired }: Pick<Prepared, 'repaired'>,
  ms: number,
): CallFacts {
  return { server, tool: tool.name, agent, ms, repaired };
}

function resultOf(
  outcome: Outcome,
  { connection }: CallTarget,
  facts: CallFacts,
  parts: CallParts,
): ToolResult | Promise<ToolResult> {
  if ('failure' in outcome) {
    const { code, message } = outcome.failure;
    return makeFailure({ code, message }, facts);
  }
  return makeResult(
    outcome.answer,
    facts,
    resultLimits(parts, connection.entry.definition),
    outcome.mismatches,
  );
}

/** How to shorten results of this definition's server, or of the host itself. */
export function resultLimits(
  { roster, spill }: Pick<CallParts, 'roster' | 'spill'>,
  definition?: ServerDefinition,
): CutParts {
  return { maxBytes: settingsFor(roster.current.settings, definition).results, spill };
}

function throwIfAborted({ server, tool }: CallTarget, { signal }: PerformOptions): void {
  if (signal?.aborted === true) throw new ToolAborted(server, tool.name, { cause: signal.reason });
}
