/**
 * The hooks of a host: from the program, from its plugins, and commands from the settings. A command reads JSON
 * from its standard input and answers with JSON.
 */

import type { ServerDefinitionView } from '../kernel/definition-view.ts';
import type { Emit } from '../kernel/events.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Redactor } from '../masking/redactor.ts';
import type { Clock } from '../platform/clock.ts';
import { runCommand } from '../platform/processes/run-command.ts';
import type { ToolResult } from '../results/tool-result.ts';
import type { Roster } from '../roster/load-roster.ts';
import type { HookSettings, Settings } from '../settings/settings.ts';

interface CommandHookParts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface HookSetsParts {
  /** The hooks of the embedding program. */
  readonly program: Hooks | undefined;
  readonly plugins: readonly { readonly name: string; readonly hooks?: Hooks | undefined }[];
  readonly machine: Machine;
  readonly roster: { readonly current: Roster };
}

/** Returns a function that reads the current hooks, because settings may change while the host runs. */
export function createHookSets({ program, plugins, machine, roster }: HookSetsParts): () => HookSets {
  const env = Object.fromEntries(
    Object.entries(machine.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const own: readonly OwnedHooks[] = [
    { owner: 'the program', hooks: program ?? {} },
    ...plugins.map(({ name, hooks = {} }) => ({ owner: `plugin "${name}"`, hooks })),
  ];
  let joined: { readonly from: Settings['hooks']; readonly sets: HookSets } | undefined;
  return () => {
    const { hooks } = roster.current.settings.settings;
    if (joined?.from === hooks) return joined.sets;
    // Run commands in the home folder, so that files in a project's folder cannot change what runs.
    const commands = commandHooks(hooks, { cwd: machine.homeDir, env });
    joined = { from: hooks, sets: joinHooks([...own, { owner: 'the settings', hooks: commands }]) };
    return joined.sets;
  };
}

type Command = NonNullable<HookSettings['tool.execute.before']>[number];

const maxBytes = 16 << 20;

function commandHooks(settings: HookSettings, parts: CommandHookParts): Hooks {
  const ask = (command: Command, question: object): Promise<JsonObject> =>
    askCommand(command, question, parts);
  const entries = <Run>(
    event: keyof HookSettings,
    make: (command: Command) => Run,
  ): readonly HookEntry<Run>[] =>
    (settings[event] ?? []).map((command) => ({ run: make(command), required: command.required === true }));
  return {
    'tool.execute.before': entries('tool.execute.before', (command) => async (call) => {
      const answer = await ask(command, { event: 'tool.execute.before', call });
      return { ...refusal(answer), ...argumentsOf(answer) } satisfies BeforeAnswer;
    }),
    'tool.execute.after': entries('tool.execute.after', (command) => async (call, result) => {
      const answer = await ask(command, { event: 'tool.execute.after', call, result });
      return mergeResult(result, answer['result']);
    }),
    'server.connect.before': entries('server.connect.before', (command) => async (definition) => {
      const answer = await ask(command, { event: 'server.connect.before', definition });
      return { ...refusal(answer), ...headersOf(answer) } satisfies ConnectAnswer;
    }),
  };
}

async function askCommand(
  { command, args = [] }: Command,
  question: object,
  { cwd, env }: CommandHookParts,
): Promise<JsonObject> {
  const outcome = await runCommand(
    { kind: 'program', program: command, args },
    { cwd, env, timeoutMs: hookLimitMs, maxBytes, input: JSON.stringify(question) },
  );
  if (outcome.kind === 'failed') throw new Error(`${command}: ${outcome.reason}`);
  const text = outcome.text.trim();
  // Empty output is a valid answer.
  const answer: unknown = text === '' ? {} : JSON.parse(text);
  if (isObject(answer)) return answer;
  throw new Error(`${command}: its answer is not a JSON object`);
}

function refusal({ deny }: JsonObject): { readonly deny?: string } {
  if (deny === undefined || deny === null || deny === false) return {};
  return { deny: typeof deny === 'string' ? deny : 'no reason given' };
}

function argumentsOf(answer: JsonObject): { readonly arguments?: JsonObject } {
  const value = answer['arguments'];
  return isObject(value) ? { arguments: value } : {};
}

function headersOf({ headers }: JsonObject): { readonly headers?: Readonly<Record<string, string>> } {
  if (!isObject(headers)) return {};
  const texts = Object.entries(headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { headers: Object.fromEntries(texts) };
}

/** A command may change the content of a result, but not its origin. */
function mergeResult(result: ToolResult, change: unknown): ToolResult {
  if (!isObject(change)) return result;
  const { ok, text, content, structured, attachments } = change;
  return {
    ...result,
    ...(typeof ok === 'boolean' ? { ok } : {}),
    ...(typeof text === 'string' ? { text } : {}),
    ...(Array.isArray(content) ? { content: content as ToolResult['content'] } : {}), // unchecked: the hook is responsible for it
    ...(structured === undefined ? {} : { structured }),
    ...(Array.isArray(attachments) ? { attachments: attachments as ToolResult['attachments'] } : {}), // likewise
  };
}

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
  const before: Hook<BeforeHook>[] = [];
  const after: Hook<AfterHook>[] = [];
  const connect: Hook<ConnectHook>[] = [];
  for (const { owner, hooks } of all) {
    before.push(...listOf(hooks['tool.execute.before'], { event: 'tool.execute.before', owner }));
    after.push(...listOf(hooks['tool.execute.after'], { event: 'tool.execute.after', owner }));
    connect.push(...listOf(hooks['server.connect.before'], { event: 'server.connect.before', owner }));
  }
  return { before, after, connect };
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

export interface HookParts {
  readonly clock: Clock;
  /** Called when a hook failed and the operation continues without it. */
  readonly onSkipped: (server: string, message: string) => void;
}

/** How skipped hooks are reported. */
export interface HookReportParts {
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  readonly emit: Emit;
  readonly redactor: Redactor;
}

export const hookLimitMs = 5000;

/** The user needs to know about a hook that failed, because its check or change was skipped. */
export function createHookParts({ clock, warn, emit, redactor }: HookReportParts): HookParts {
  return {
    clock,
    onSkipped: (server, text) => {
      const message = redactor.redact(text);
      warn(message);
      emit('mcp.warning', { server, code: 'hook-failed', message });
    },
  };
}
