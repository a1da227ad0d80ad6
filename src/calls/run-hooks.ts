/** Runs hooks one after the other, each with a time limit. A failed hook is skipped unless it is required. */

import { type ServerDefinitionView, viewOf } from '../kernel/definition-view.ts';
import { HoltError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { SecretValue } from '../masking/redactor.ts';
import { orLate } from '../platform/waits.ts';
import type { ToolResult } from '../results/tool-result.ts';
import type { LaunchPlan } from '../secrets/launch-plan.ts';
import {
  type AfterHook,
  type BeforeHook,
  type ConnectHook,
  createHookParts,
  type Hook,
  type HookCall,
  hookLimitMs,
  type HookParts,
  type HookReportParts,
  type HookSets,
} from './hooks.ts';

const late = Symbol('late');

/** Returns the arguments as the hooks change them. Throws `call-denied` if a hook refuses. */
export async function runBefore(
  hooks: readonly Hook<BeforeHook>[],
  call: HookCall,
  parts: HookParts,
): Promise<JsonObject> {
  let args = call.arguments;
  for (const hook of hooks) {
    const outcome = await runOne(hook, () => hook.run({ ...call, arguments: args }), call, parts);
    if (outcome.failed !== undefined) throw denied(call, outcome.failed);
    const deny = outcome.value?.deny;
    if (deny !== undefined) throw denied(call, `refused by a hook: ${deny}`);
    args = outcome.value?.arguments ?? args;
  }
  return args;
}

/** Returns the result as the hooks change it. Throws `call-denied` if a required hook fails. */
export async function runAfter(
  hooks: readonly Hook<AfterHook>[],
  call: HookCall,
  first: ToolResult,
  parts: HookParts,
): Promise<ToolResult> {
  let result = first;
  for (const hook of hooks) {
    const current = result;
    const outcome = await runOne(hook, () => hook.run(call, current), call, parts);
    if (outcome.failed !== undefined) throw denied(call, outcome.failed);
    result = outcome.value ?? result;
  }
  return result;
}

/** Returns the headers that the hooks add. Throws `trust-required` if a hook refuses. */
async function runConnect(
  hooks: readonly Hook<ConnectHook>[],
  server: string,
  definition: ServerDefinitionView,
  parts: HookParts,
): Promise<Readonly<Record<string, string>>> {
  const headers: Record<string, string> = {};
  for (const hook of hooks) {
    const outcome = await runOne(hook, () => hook.run(definition), { server }, parts);
    const { failed, value } = outcome;
    const why = failed ?? (value?.deny === undefined ? undefined : `refused by a hook: ${value.deny}`);
    if (why !== undefined)
      throw new HoltError('trust-required', `Server "${server}" is ${why}`, { server, reason: 'blocked' });
    Object.assign(headers, outcome.value?.headers);
  }
  return headers;
}

interface Outcome<Value> {
  readonly value?: Value | undefined;
  /** Set if a required hook failed or timed out. */
  readonly failed?: string;
}

async function runOne<Value>(
  { required, event, owner }: Hook<unknown>,
  run: () => Value | undefined | void | Promise<Value | undefined | void>,
  { server, tool }: { readonly server: string; readonly tool?: string },
  { clock, onSkipped }: HookParts,
): Promise<Outcome<Value>> {
  try {
    const value = await orLate(Promise.resolve().then(run), hookLimitMs, clock, late);
    if (value === late) throw new Error(`it took longer than ${hookLimitMs / 1000} s`);
    return typeof value === 'object' ? { value } : {};
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const subject = tool === undefined ? `server "${server}"` : `tool "${tool}" of server "${server}"`;
    const hook = `hook ${event} of ${owner}`;
    if (required) return { failed: `refused, because the required ${hook} failed for ${subject}: ${reason}` };
    onSkipped(server, `The ${hook} failed for ${subject} and was skipped: ${reason}`);
    return {};
  }
}

function denied({ server, tool, name }: HookCall, reason: string): HoltError<'call-denied'> {
  return new HoltError('call-denied', `The call of ${name} was ${reason}`, {
    server,
    tool,
    decision: 'deny',
    rule: 'hook',
  });
}

/** Runs the hooks before a connection. They may refuse the server or add headers. */
export async function withConnectHooks(
  plan: LaunchPlan,
  definition: ServerDefinition,
  { connect }: HookSets,
  parts: HookReportParts,
): Promise<LaunchPlan> {
  if (connect.length === 0) return plan;
  const headers = await runConnect(connect, plan.server, viewOf(definition), createHookParts(parts));
  const added = Object.entries(headers);
  if (plan.kind === 'stdio' || added.length === 0) return plan;
  for (const [, value] of added) parts.redactor.add(value);
  const secrets = Object.fromEntries(added.map(([name, value]) => [name, new SecretValue(value)]));
  return { ...plan, headers: { ...plan.headers, ...secrets } };
}
