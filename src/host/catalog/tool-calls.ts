/** Calls by public name: finds the tool, asks whether it may be called, calls it. */

import type { JsonObject } from '../../catalog/tool-info.ts';
import { callRaw, callTool, type CallParts } from '../../calls/call-tool.ts';
import { isForCaller } from '../../calls/call-failure.ts';
import type { CallTarget } from '../../calls/perform-call.ts';
import { requirePermission, type PermissionParts } from '../../calls/permission.ts';
import { HoltError, ToolAborted } from '../../kernel/errors.ts';
import { makeFailure, type FailureFacts } from '../../results/make-result.ts';
import type { ToolResult } from '../../results/tool-result.ts';
import type { HostCallOptions } from '../host.ts';
import type { ToolFinder } from './tool-finder.ts';
import type { OfferedTool } from './tool-table.ts';

export interface ToolCallsParts extends CallParts {
  readonly finder: ToolFinder;
  /** At once, when the tool is there and its server is up. */
  readonly now: (name: string) => OfferedTool | undefined;
  readonly permissionFor: (found: OfferedTool) => PermissionParts;
  readonly requireOpen: () => void;
  /** Whose a name is, as far as that is known; `server` is the one that could not be reached for it. */
  readonly whose: (name: string, server?: string) => Pick<FailureFacts, 'server' | 'tool' | 'agent'>;
  /** Tools of holt's own: undefined for any other name. */
  readonly builtIn: (
    name: string,
    args: JsonObject,
    options: HostCallOptions,
  ) => Promise<ToolResult> | undefined;
}

export interface ToolCalls {
  call(name: string, args: JsonObject, options: HostCallOptions): Promise<ToolResult>;
  callRaw(name: string, args: JsonObject, options: HostCallOptions): Promise<JsonObject>;
}

export function createToolCalls(parts: ToolCallsParts): ToolCalls {
  const { finder } = parts;
  const find = async (name: string, args: JsonObject, options: HostCallOptions): Promise<CallTarget> => {
    parts.requireOpen();
    const { signal, timeoutMs: withinMs } = options;
    const first = parts.now(name) ?? (await finder.byName(name, { signal, withinMs }));
    const { decision } = first.info;
    const isSettled = decision === 'allow' || (decision === 'ask' && options.asked === true);
    if (isSettled) return targetOf(first);
    const asking = requirePermission(first.info, args, parts.permissionFor(first));
    await first.connection.retirement.unlessOver(asking);
    // While somebody was asked the tool may have changed, or gone.
    parts.requireOpen();
    return targetOf(parts.now(name) ?? (await finder.byName(name, { signal, withinMs })));
  };
  const abortedOf =
    (name: string, { signal }: HostCallOptions) =>
    (): ToolAborted =>
      new ToolAborted(parts.whose(name).server, name, { cause: signal?.reason });
  return {
    call: (name, args, options) =>
      orAborted(options, abortedOf(name, options), async () => {
        parts.requireOpen();
        const startedAt = parts.clock.now();
        const own = parts.builtIn(name, args, options);
        if (own !== undefined) return own;
        let target: CallTarget;
        try {
          target = await find(name, args, options);
        } catch (error) {
          if (!HoltError.is(error) || isForCaller(error)) throw error;
          // Its server could not be reached: that is a result, whatever is known of it.
          const failure = { code: error.code, message: parts.redact(error.message) };
          const ms = Math.round(parts.clock.now() - startedAt);
          return makeFailure(failure, { ...parts.whose(name, serverIn(error)), ms, repaired: [] });
        }
        return callTool(target, args, options, parts);
      }),
    callRaw: (name, args, options) =>
      orAborted(options, abortedOf(name, options), async () =>
        callRaw(await find(name, args, options), args, options, parts),
      ),
  };
}

function targetOf({ info, listed, connection }: OfferedTool): CallTarget {
  const { name, server, agent } = info;
  return { name, server, agent, tool: listed.tool, connection };
}

function serverIn({ details }: HoltError): string | undefined {
  return 'server' in details && typeof details.server === 'string' ? details.server : undefined;
}

/** Whoever calls off does not wait for hooks, people or servers that are slow to notice. */
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
    const onAbort = (): void => reject(aborted());
    signal.addEventListener('abort', onAbort, { once: true });
    stop = () => signal.removeEventListener('abort', onAbort);
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
