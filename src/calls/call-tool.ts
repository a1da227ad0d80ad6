/** A call from its start to its result. What the server or the way to it did wrong is a result, too. */

import type { JsonObject } from '../catalog/tool-info.ts';
import { ToolAborted } from '../kernel/errors.ts';
import type { Emit } from '../kernel/events.ts';
import type { CutParts } from '../results/cut-text.ts';
import { makeFailure, makeResult } from '../results/make-result.ts';
import type { ToolResult } from '../results/tool-result.ts';
import { readFailure } from './call-failure.ts';
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
  readonly emit: Emit;
  readonly cut: () => CutParts;
  readonly redact: (text: string) => string;
}

/** Throws what is the caller's to know; see `call-failure.ts`. */
export async function callTool(
  target: CallTarget,
  args: JsonObject,
  options: PerformOptions,
  parts: CallParts,
): Promise<ToolResult> {
  const { clock, emit } = parts;
  const startedAt = clock.now();
  const { name, server } = target;
  const tool = target.tool.name;
  let result: ToolResult | undefined;
  try {
    const prepared = prepareCall(target, args, parts);
    const ready = prepared instanceof Promise ? await prepared : prepared;
    throwIfAborted(target, options);
    const outcome = await performed(target, ready, options, parts);
    const made = resultOf(outcome, target, { ...ready, ms: Math.round(clock.now() - startedAt) }, parts);
    const plain = made instanceof Promise ? await made : made;
    const { after } = parts.hooks();
    result = after.length === 0 ? plain : await runAfter(after, ready.call, plain, parts);
    return result;
  } finally {
    emit('mcp.tool.called', {
      server,
      tool,
      name,
      ms: Math.round(clock.now() - startedAt),
      ok: result?.ok === true,
    });
  }
}

/** The server's own answer. Throws whatever went wrong. */
export async function callRaw(
  target: CallTarget,
  args: JsonObject,
  options: PerformOptions,
  parts: CallParts,
): Promise<JsonObject> {
  const { clock, emit } = parts;
  const startedAt = clock.now();
  const { name, server } = target;
  const tool = target.tool.name;
  let ok = false;
  try {
    const prepared = await prepareCall(target, args, parts);
    const { answer } = await performCall(target, prepared, options, parts);
    ok = answer.isError !== true;
    return { ...answer };
  } catch (error) {
    throw readFailure(error, {
      server,
      tool,
      connection: target.connection,
      signal: options.signal,
      redact: parts.redact,
    });
  } finally {
    emit('mcp.tool.called', { server, tool, name, ms: Math.round(clock.now() - startedAt), ok });
  }
}

type Outcome = Performed | { readonly failure: { readonly code: string; readonly message: string } };

async function performed(
  target: CallTarget,
  prepared: Prepared,
  options: PerformOptions,
  parts: CallParts,
): Promise<Outcome> {
  try {
    return await performCall(target, prepared, options, parts);
  } catch (error) {
    const { server, connection, tool } = target;
    const failed = { server, tool: tool.name, connection, signal: options.signal, redact: parts.redact };
    const { code, message } = readFailure(error, failed);
    return { failure: { code, message } };
  }
}

function resultOf(
  outcome: Outcome,
  { server, agent, tool }: CallTarget,
  { repaired, ms }: Prepared & { readonly ms: number },
  { cut }: CallParts,
): ToolResult | Promise<ToolResult> {
  const facts = { server, tool: tool.name, agent, ms, repaired };
  if ('failure' in outcome) return makeFailure(outcome.failure, facts);
  return makeResult(outcome.answer, { ...facts, mismatches: outcome.mismatches }, cut());
}

function throwIfAborted({ server, tool }: CallTarget, { signal }: PerformOptions): void {
  if (signal?.aborted === true) throw new ToolAborted(server, tool.name, { cause: signal.reason });
}
