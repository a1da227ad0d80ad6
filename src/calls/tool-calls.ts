/** Calls tools by name: finds the tool, checks permission, calls it. */

import { builtInName } from '../catalog-state/built-in-tools.ts';
import type { KnownTools } from '../catalog-state/known-tools.ts';
import type { QuestionHolds } from '../catalog-state/list-wait.ts';
import type { ToolFinder } from '../catalog-state/tool-finder.ts';
import type { OfferedTool } from '../catalog-state/tool-table.ts';
import type { ToolInfo } from '../catalog/tool-info.ts';
import { CallDeadline } from '../connection/call-timers.ts';
import { orAborted } from '../platform/waits.ts';
import type { WakeWatch } from '../connection/wake-watch.ts';
import { HoltError, ToolAborted } from '../kernel/errors.ts';
import type { ElicitAnswer, ElicitRequest } from '../kernel/interaction.ts';
import type { JsonObject } from '../kernel/json.ts';
import { makeFailure } from '../results/make-result.ts';
import type { ToolResult } from '../results/tool-result.ts';
import { isForCaller } from './call-failure.ts';
import { type CallParts, callRaw, callTool } from './call-tool.ts';
import type { CallTarget } from './perform-call.ts';
import { type PermissionParts, requirePermission } from './permission.ts';

export interface HostCallOptions {
  /** Cancels the call, which then rejects with `call-aborted`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Limit for the whole call in milliseconds: server start, queueing and the answer. Time spent asking a
   * person does not count. `0` disables this limit; the server's own limits still apply.
   */
  readonly timeoutMs?: number | undefined;
  readonly onProgress?:
    | ((progress: { progress: number; total?: number | undefined; message?: string | undefined }) => void)
    | undefined;
  /** Overrides the host's `elicit` for requests that belong to this call. */
  readonly onElicit?: ((request: ElicitRequest, signal?: AbortSignal) => Promise<ElicitAnswer>) | undefined;
  /** Sent to the server as `_meta` of the request. */
  readonly meta?: JsonObject | undefined;
  /** The person has already agreed: the decision `ask` counts as `allow` for this one call. */
  readonly asked?: boolean | undefined;
  /** Identifies the caller if several share a host: a busy server serves its callers in turn. */
  readonly caller?: string | undefined;
}

/** A JSON object: any object type, with or without an index signature, but not an array. */
export type ToolArguments = JsonObject | (object & { readonly [Symbol.iterator]?: never });

/** The options of a call, with its running deadline. */
export interface TimedOptions extends HostCallOptions {
  readonly deadline?: CallDeadline | undefined;
}

export interface ToolCallsParts extends CallParts {
  readonly finder: ToolFinder;
  readonly wake: WakeWatch;
  readonly startQuestions: QuestionHolds;
  readonly known: Pick<KnownTools, 'findReady'>;
  readonly permissionFor: (found: OfferedTool) => PermissionParts;
  readonly requireOpen: () => void;
  /** Calls a built-in tool by its name without prefix. */
  readonly callBuiltIn: (name: string, args: JsonObject, options: TimedOptions) => Promise<ToolResult>;
}

/** These methods of `Host`, which documents them. */
export interface ToolCalls {
  findTool(selector: string, options?: Pick<HostCallOptions, 'timeoutMs'>): Promise<ToolInfo>;
  call(name: string, args?: ToolArguments, options?: HostCallOptions): Promise<ToolResult>;
  callRaw(name: string, args?: ToolArguments, options?: HostCallOptions): Promise<JsonObject>;
}

export function createToolCalls(parts: ToolCallsParts): ToolCalls {
  const call = (name: string, args: JsonObject, options: TimedOptions): Promise<ToolResult> =>
    unlessAborted(name, options, parts, async () => {
      parts.requireOpen();
      const startedAt = parts.clock.now();
      const builtIn = builtInName(name);
      if (builtIn !== undefined) return parts.callBuiltIn(builtIn, args, options);
      let target: CallTarget;
      try {
        target = readyNow(name, options, parts) ?? (await find(name, args, options, parts));
      } catch (error) {
        if (!HoltError.is(error) || isForCaller(error)) throw error;
        // An unreachable server is reported as a result, not as an error.
        const failure = { code: error.code, message: parts.redact(error.message) };
        const ms = Math.round(parts.clock.now() - startedAt);
        return makeFailure(failure, { ...parts.finder.ownerOf(name, serverIn(error)), ms, repaired: [] });
      }
      return await callTool(target, args, options, parts);
    });
  const raw = (name: string, args: JsonObject, options: TimedOptions): Promise<JsonObject> =>
    unlessAborted(name, options, parts, async () =>
      callRaw(await find(name, args, options, parts), args, options, parts),
    );
  const bySelector = async (selector: string, options: TimedOptions): Promise<ToolInfo> => {
    parts.requireOpen();
    return (await lookUp(selector, 'bySelector', options, parts)).info;
  };
  return {
    findTool: (selector, options = {}) =>
      hasLimit(options)
        ? timed(selector, options, parts, (own) => bySelector(selector, own))
        : bySelector(selector, options),
    call: (name, args = {}, options = {}) =>
      hasLimit(options)
        ? timed(name, options, parts, (own) => call(name, args, own))
        : call(name, args, options),
    callRaw: (name, args = {}, options = {}) =>
      hasLimit(options)
        ? timed(name, options, parts, (own) => raw(name, args, own))
        : raw(name, args, options),
  };
}

/** Starts the caller's deadline, which covers everything that `work` does. */
async function timed<Value>(
  tool: string,
  options: HostCallOptions,
  { wake, finder }: ToolCallsParts,
  work: (options: TimedOptions) => Promise<Value>,
): Promise<Value> {
  const { signal } = options;
  const deadline = new CallDeadline(
    { ms: limitOf(options), tool, server: () => finder.ownerOf(tool).server, signal },
    wake,
  );
  try {
    return await work({ ...options, deadline });
  } finally {
    deadline.end();
  }
}

/** Finds the tool and asks a person for permission if the rules require it. */
async function find(
  name: string,
  args: JsonObject,
  options: TimedOptions,
  parts: ToolCallsParts,
): Promise<CallTarget> {
  parts.requireOpen();
  const first = parts.known.findReady(name) ?? (await lookUp(name, 'byAnyName', options, parts));
  if (isPermitted(first, options)) return targetOf(first);
  await permit(first, args, options, parts);
  // The tool may have changed or disappeared while the person was asked.
  parts.requireOpen();
  const { name: known } = first.info;
  return targetOf(parts.known.findReady(known) ?? (await lookUp(known, 'byName', options, parts)));
}

/** The fast path: the tool is known and allowed, and nothing has to be awaited. */
function readyNow(name: string, options: TimedOptions, parts: ToolCallsParts): CallTarget | undefined {
  const known = parts.known.findReady(name);
  return known !== undefined && isPermitted(known, options) ? targetOf(known) : undefined;
}

function isPermitted({ info: { decision } }: OfferedTool, { asked }: TimedOptions): boolean {
  return decision === 'allow' || (decision === 'ask' && asked === true);
}

/** Asks for permission. Cancels the question when the caller aborts or the server is removed. */
async function permit(
  found: OfferedTool,
  args: JsonObject,
  { signal, deadline }: TimedOptions,
  { permissionFor }: ToolCallsParts,
): Promise<void> {
  const cancelled = new AbortController();
  const wanted = signal === undefined ? cancelled.signal : AbortSignal.any([signal, cancelled.signal]);
  const { ask, ...permission } = permissionFor(found);
  const asked: typeof ask = ask === undefined ? undefined : (question) => ask(question, wanted);
  try {
    const asking = requirePermission(found.info, args, { ...permission, ask: asked, deadline });
    await found.connection.retirement.unlessOver(asking);
  } finally {
    cancelled.abort();
  }
}

function lookUp(
  name: string,
  how: 'byName' | 'byAnyName' | 'bySelector',
  { signal, deadline }: TimedOptions,
  { finder, startQuestions }: ToolCallsParts,
): Promise<OfferedTool> {
  if (deadline === undefined) return finder[how](name, { signal });
  const forget = startQuestions.hold(deadline);
  const patience = { signal: deadline.signal, withinMs: deadline.leftMs, deadline };
  return deadline.unlessPassed(finder[how](name, patience)).finally(forget);
}

function targetOf({ info, listed, connection }: OfferedTool): CallTarget {
  const { name, server, agent } = info;
  return { name, server, agent, tool: listed.tool, connection };
}

function serverIn({ details }: HoltError): string | undefined {
  return 'server' in details && typeof details.server === 'string' ? details.server : undefined;
}

/** Rejects as soon as the caller aborts, without waiting for hooks, people or slow servers. */
async function unlessAborted<Value>(
  name: string,
  { signal }: HostCallOptions,
  { finder }: ToolCallsParts,
  work: () => Promise<Value>,
): Promise<Value> {
  if (signal === undefined) return work();
  const aborted = (): ToolAborted => {
    const { server, tool } = finder.ownerOf(name);
    return new ToolAborted(server, tool, { cause: signal.reason });
  };
  if (signal.aborted) throw aborted();
  try {
    return await orAborted(work(), signal);
  } catch (error) {
    if (signal.aborted && !HoltError.is(error, 'call-aborted')) throw aborted();
    throw error;
  }
}

/**
 * False for 0, which leaves only the server's own limits. As everywhere in the library, null counts as left
 * out.
 */
function hasLimit({ timeoutMs }: { readonly timeoutMs?: unknown }): boolean {
  return timeoutMs !== undefined && timeoutMs !== null && timeoutMs !== 0;
}

/** Returns the limit in milliseconds. Throws `usage-invalid` if it is not a positive number. */
function limitOf({ timeoutMs }: { readonly timeoutMs?: unknown }): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0) return timeoutMs;
  // Name only the type of other values, because they may hold secrets.
  const found = typeof timeoutMs === 'number' ? String(timeoutMs) : `a ${typeof timeoutMs}`;
  throw new HoltError(
    'usage-invalid',
    `timeoutMs must be a number of milliseconds, 0 for no limit of its own, but is ${found}`,
    { given: found },
    { remedy: 'For example timeoutMs: 30000.' },
  );
}
