/** Calls tools by name: finds the tool, checks permission, calls it. */

import type { JsonObject } from '../../kernel/json.ts';
import type { ToolInfo } from '../../catalog/tool-info.ts';
import { callRaw, callTool, type CallParts } from '../../calls/call-tool.ts';
import { isForCaller } from '../../calls/call-failure.ts';
import type { CallTarget } from '../../calls/perform-call.ts';
import { requirePermission, type PermissionParts } from '../../calls/permission.ts';
import { CallDeadline } from '../../connection/call-deadline.ts';
import type { WakeWatch } from '../../connection/wake-watch.ts';
import { HoltError, ToolAborted } from '../../kernel/errors.ts';
import { makeFailure, type CallFacts } from '../../results/make-result.ts';
import type { ToolResult } from '../../results/tool-result.ts';
import type { StartQuestions } from '../../server-requests/start-questions.ts';
import type { HostCallOptions } from '../host.ts';
import { offAbort, onAbort } from '../../platform/waits.ts';
import { hasLimit, limitOf } from './time-limit.ts';
import type { ToolFinder } from './tool-finder.ts';
import type { OfferedTool } from './tool-table.ts';

/** The options of a call, with its running deadline. */
export interface TimedOptions extends HostCallOptions {
  readonly deadline?: CallDeadline | undefined;
}

export interface ToolCallsParts extends CallParts {
  readonly finder: ToolFinder;
  readonly wake: WakeWatch;
  readonly startQuestions: StartQuestions;
  /** Returns the tool without waiting if its server is connected. */
  readonly now: (name: string) => OfferedTool | undefined;
  readonly permissionFor: (found: OfferedTool) => PermissionParts;
  readonly requireOpen: () => void;
  /** Returns the owner of a name as far as known. `server` is the one that could not be reached. */
  readonly whose: (name: string, server?: string) => Pick<CallFacts, 'server' | 'tool' | 'agent'>;
  /** Runs a built-in tool. Undefined for any other name. */
  readonly builtIn: (
    name: string,
    args: JsonObject,
    options: TimedOptions,
  ) => Promise<ToolResult> | undefined;
}

export interface ToolCalls {
  findTool(selector: string, options: Pick<HostCallOptions, 'timeoutMs'>): Promise<ToolInfo>;
  call(name: string, args: JsonObject, options: HostCallOptions): Promise<ToolResult>;
  callRaw(name: string, args: JsonObject, options: HostCallOptions): Promise<JsonObject>;
}

export function createToolCalls(parts: ToolCallsParts): ToolCalls {
  const abortedOf =
    (name: string, { signal }: HostCallOptions) =>
    (): ToolAborted => {
      const { server, tool } = parts.whose(name);
      return new ToolAborted(server, tool, { cause: signal?.reason });
    };
  const call = (name: string, args: JsonObject, options: TimedOptions): Promise<ToolResult> =>
    orAborted(options, abortedOf(name, options), async () => {
      parts.requireOpen();
      const startedAt = parts.clock.now();
      const own = parts.builtIn(name, args, options);
      if (own !== undefined) return own;
      let target: CallTarget;
      try {
        target = readyNow(name, options, parts) ?? (await find(name, args, options, parts));
      } catch (error) {
        if (!HoltError.is(error) || isForCaller(error)) throw error;
        // An unreachable server is reported as a result, not as an error.
        const failure = { code: error.code, message: parts.redact(error.message) };
        const ms = Math.round(parts.clock.now() - startedAt);
        return makeFailure(failure, { ...parts.whose(name, serverIn(error)), ms, repaired: [] });
      }
      return await callTool(target, args, options, parts);
    });
  const raw = (name: string, args: JsonObject, options: TimedOptions): Promise<JsonObject> =>
    orAborted(options, abortedOf(name, options), async () =>
      callRaw(await find(name, args, options, parts), args, options, parts),
    );
  const bySelector = async (selector: string, options: TimedOptions): Promise<ToolInfo> => {
    parts.requireOpen();
    return (await lookUp(selector, 'bySelector', options, parts)).info;
  };
  return {
    findTool: (selector, options) =>
      hasLimit(options)
        ? timed(selector, options, parts, (own) => bySelector(selector, own))
        : bySelector(selector, options),
    call: (name, args, options) =>
      hasLimit(options)
        ? timed(name, options, parts, (own) => call(name, args, own))
        : call(name, args, options),
    callRaw: (name, args, options) =>
      hasLimit(options)
        ? timed(name, options, parts, (own) => raw(name, args, own))
        : raw(name, args, options),
  };
}

/** Starts the caller's deadline, which covers everything that `work` does. */
async function timed<Value>(
  tool: string,
  options: HostCallOptions,
  { wake, whose }: ToolCallsParts,
  work: (options: TimedOptions) => Promise<Value>,
): Promise<Value> {
  const { signal } = options;
  const deadline = new CallDeadline(
    { ms: limitOf(options), tool, server: () => whose(tool).server, signal },
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
  const first = parts.now(name) ?? (await lookUp(name, 'byAnyName', options, parts));
  if (isSettled(first, options)) return targetOf(first);
  await permit(first, args, options, parts);
  // The tool may have changed or disappeared while the person was asked.
  parts.requireOpen();
  const { name: known } = first.info;
  return targetOf(parts.now(known) ?? (await lookUp(known, 'byName', options, parts)));
}

/** The fast path: the tool is known and allowed, and nothing has to be awaited. */
function readyNow(name: string, options: TimedOptions, parts: ToolCallsParts): CallTarget | undefined {
  const known = parts.now(name);
  return known !== undefined && isSettled(known, options) ? targetOf(known) : undefined;
}

function isSettled({ info: { decision } }: OfferedTool, { asked }: TimedOptions): boolean {
  return decision === 'allow' || (decision === 'ask' && asked === true);
}

/** Asks for permission. Cancels the question when the caller aborts or the server is removed. */
async function permit(
  found: OfferedTool,
  args: JsonObject,
  { signal, deadline }: TimedOptions,
  { permissionFor }: ToolCallsParts,
): Promise<void> {
  const over = new AbortController();
  const wanted = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const { ask, ...permission } = permissionFor(found);
  const asked: typeof ask = ask === undefined ? undefined : (question) => ask(question, wanted);
  try {
    const asking = requirePermission(found.info, args, { ...permission, ask: asked, deadline });
    await found.connection.retirement.unlessOver(asking);
  } finally {
    over.abort();
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
function orAborted<Value>(
  { signal }: HostCallOptions,
  aborted: () => ToolAborted,
  work: () => Promise<Value>,
): Promise<Value> {
  return signal === undefined ? work() : raced(signal, aborted, work);
}

async function raced<Value>(
  signal: AbortSignal,
  aborted: () => ToolAborted,
  work: () => Promise<Value>,
): Promise<Value> {
  if (signal.aborted) throw aborted();
  let stop: (() => void) | undefined;
  const waiting = new Promise<never>((_, reject) => {
    const enough = (): void => reject(aborted());
    onAbort(signal, enough);
    stop = () => offAbort(signal, enough);
  });
  try {
    return await Promise.race([work(), waiting]);
  } catch (error) {
    if (signal.aborted && !HoltError.is(error, 'call-aborted')) throw aborted();
    throw error;
  } finally {
    stop?.();
  }
}
