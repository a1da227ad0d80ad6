/** Hooks for calls and connects: functions from library users, or commands from the settings. */

import type { JsonObject } from '../kernel/json.ts';
import type { ServerDefinitionView } from '../kernel/definition-view.ts';
import type { ToolResult } from '../results/tool-result.ts';

/** A call as hooks see it. */
export interface HookCall {
  /** The public name. */
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly agent: string;
  readonly arguments: JsonObject;
}

/** `deny` refuses, and gives the reason. */
export interface Refusal {
  readonly deny?: string | undefined;
}
export interface BeforeAnswer extends Refusal {
  readonly arguments?: JsonObject | undefined;
}
export interface ConnectAnswer extends Refusal {
  /** Sent to the server with every request. Remote servers only. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

type Answer<Value> = Value | undefined | void | Promise<Value | undefined | void>;
export type BeforeHook = (call: HookCall) => Answer<BeforeAnswer>;
export type AfterHook = (call: HookCall, result: ToolResult) => Answer<ToolResult>;
export type ConnectHook = (definition: ServerDefinitionView) => Answer<ConnectAnswer>;

/** A hook that fails or takes too long is skipped. If it is `required`, the operation is refused instead. */
export type HookEntry<Run> = Run | { readonly run: Run; readonly required?: boolean | undefined };
export type HookList<Run> = HookEntry<Run> | readonly HookEntry<Run>[];

export interface Hooks {
  readonly 'tool.execute.before'?: HookList<BeforeHook> | undefined;
  readonly 'tool.execute.after'?: HookList<AfterHook> | undefined;
  readonly 'server.connect.before'?: HookList<ConnectHook> | undefined;
}

export interface Hook<Run> {
  readonly run: Run;
  readonly required: boolean;
  readonly event: keyof Hooks;
  /** Who defined the hook, for messages: `plugin "x"`. */
  readonly owner: string;
}

export interface OwnedHooks {
  readonly owner: string;
  readonly hooks: Hooks;
}

export interface HookSets {
  readonly before: readonly Hook<BeforeHook>[];
  readonly after: readonly Hook<AfterHook>[];
  readonly connect: readonly Hook<ConnectHook>[];
}

/** Merges the hooks into one list for each event, in the order given. */
export function joinHooks(all: readonly OwnedHooks[]): HookSets {
  const collect = <Run extends BeforeHook | AfterHook | ConnectHook>(
    event: keyof Hooks,
    pick: (hooks: Hooks) => HookList<Run> | undefined,
  ): readonly Hook<Run>[] => all.flatMap(({ owner, hooks }) => listOf(pick(hooks), { event, owner }));
  return {
    before: collect('tool.execute.before', (hooks) => hooks['tool.execute.before']),
    after: collect('tool.execute.after', (hooks) => hooks['tool.execute.after']),
    connect: collect('server.connect.before', (hooks) => hooks['server.connect.before']),
  };
}

function listOf<Run extends BeforeHook | AfterHook | ConnectHook>(
  given: HookList<Run> | undefined,
  of: Pick<Hook<Run>, 'event' | 'owner'>,
): readonly Hook<Run>[] {
  if (given === undefined) return [];
  const entries: readonly HookEntry<Run>[] = isList(given) ? given : [given];
  return entries.map((entry) =>
    typeof entry === 'function'
      ? { run: entry, required: false, ...of }
      : { run: entry.run, required: entry.required === true, ...of },
  );
}

function isList<Run>(given: HookList<Run>): given is readonly HookEntry<Run>[] {
  return Array.isArray(given);
}
