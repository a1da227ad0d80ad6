/**
 * Performs a call: hooks, arguments, the queue, the request to the server, and its answer. The caller has
 * already found the tool and checked the permission.
 */

import type { JsonObject } from '../kernel/json.ts';
import type { Tool } from '../kernel/protocol-types.ts';
import { checkArguments, notJson, type CheckedArguments } from '../catalog/check-arguments.ts';
import { checkOutput } from '../catalog/check-output.ts';
import { signatureOf } from '../catalog/signature.ts';
import type { CallDeadline } from '../connection/call-timers.ts';
import type { Connection } from '../connection/connection.ts';
import { HoltError } from '../kernel/errors.ts';
import type { EventBus } from '../kernel/events.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { CallResponse } from '../results/make-result.ts';
import { nextTurn } from '../platform/waits.ts';
import type { HookCall, HookParts, HookSets } from './hooks.ts';
import {
  type CallLine,
  type OutgoingCall,
  type PageVisit,
  sendCall,
  withLogLevel,
  wantsTask,
} from './send-call.ts';
import { runBefore } from './run-hooks.ts';
import { sendTaskCall } from './task-call.ts';
import { createCallQueue, type CallQueue } from './call-queue.ts';

/** A resolved tool, and the connection to its server. */
export interface CallTarget {
  /** The public name. */
  readonly name: string;
  readonly server: string;
  readonly agent: string;
  /** As the server lists it. */
  readonly tool: Tool;
  readonly connection: Connection;
}

interface CallProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface PerformOptions {
  readonly signal?: AbortSignal | undefined;
  /** The caller's time limit, which is already running. */
  readonly deadline?: CallDeadline | undefined;
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
  readonly onElicit?: Interaction['elicit'] | undefined;
  readonly meta?: JsonObject | undefined;
  /** Identifies the caller. When calls queue, callers take turns. */
  readonly caller?: string | undefined;
}

/** A running call, for the code that answers the server's requests during the call. */
interface RunningCall {
  readonly onElicit: Interaction['elicit'];
  readonly touch: () => void;
  /** Pauses the caller's time limit, if there is one. */
  readonly hold?: (() => () => void) | undefined;
}

/** Answers requests from servers. */
export interface Answers {
  readonly calls: {
    /** Registers a running call. Call the returned function when it ends. */
    begin(server: string, call: RunningCall): () => void;
  };
  readonly answer: (
    server: string,
    asked: { readonly method: string; readonly params?: JsonObject },
    call: RunningCall,
  ) => Promise<JsonObject>;
  /** Watches, for a call, for the server's notifications that these pages are complete. */
  readonly watchPages: (server: string, ids: readonly string[], call: RunningCall) => PageVisit;
}

export interface PerformParts extends HookParts {
  readonly warn: (message: string) => void;
  readonly hooks: () => HookSets;
  readonly requests: Answers;
  readonly bus: Pick<EventBus, 'emit' | 'isHeard'>;
}

export interface Performed {
  readonly call: HookCall;
  readonly answer: CallResponse;
  readonly repaired: readonly string[];
  readonly mismatches: readonly string[];
}

/** The prepared arguments. Separate from `Performed`, because a failed call reports the repairs as well. */
export interface Prepared {
  readonly call: HookCall;
  readonly repaired: readonly string[];
}

/**
 * Runs the hooks for the call and checks its arguments. Throws `call-denied` or `arguments-invalid`, and
 * `call-timeout` if the deadline passes meanwhile.
 */
export function prepareCall(
  target: CallTarget,
  args: JsonObject,
  options: PerformOptions,
  parts: PerformParts,
): Prepared | Promise<Prepared> {
  const { deadline, meta } = options;
  const { name, server, agent, tool } = target;
  if (meta !== undefined) requireMeta(meta, name);
  const { before } = parts.hooks();
  if (before.length === 0) return checkCall(target, args, options);
  const call: HookCall = { name, server, agent, tool: tool.name, arguments: args };
  // Hooks may take a while. Do not wait for them if the server is removed or the host closes meanwhile.
  const { retirement } = target.connection;
  // Hooks have their own time limit, so they do not use up the deadline.
  const release = deadline?.hold();
  return retirement
    .unlessOver(runBefore(before, call, parts))
    .finally(release)
    .then((changed) => checkCall(target, changed, options));
}

/** Returns a pause for long checks. It yields to the event loop, and throws if the call has ended. */
function pauseOf({ signal, deadline }: PerformOptions): () => Promise<void> {
  return async () => {
    await nextTurn();
    deadline?.throwIfPassed();
    signal?.throwIfAborted();
  };
}

function checkCall(
  target: CallTarget,
  args: JsonObject,
  options: PerformOptions,
): Prepared | Promise<Prepared> {
  const checked = checkArguments(target.tool.inputSchema, args, pauseOf(options));
  return checked instanceof Promise
    ? checked.then((found) => preparedOf(target, found))
    : preparedOf(target, checked);
}

function preparedOf({ name, server, agent, tool }: CallTarget, checked: CheckedArguments): Prepared {
  if (checked.kind === 'valid')
    return {
      call: { name, server, agent, tool: tool.name, arguments: checked.value },
      repaired: checked.repaired,
    };
  const { errors, unchecked } = checked;
  if (unchecked !== undefined) throw uncheckable(name, errors, unchecked);
  const wrong = errors.map(({ path, expected }) => `${path}: expected ${expected}`).join('; ');
  throw new HoltError(
    'arguments-invalid',
    `The arguments of ${name} do not fit: ${wrong}`,
    { tool: name, errors },
    { remedy: `It takes ${signatureOf(tool)}.` },
  );
}

function requireMeta(meta: JsonObject, tool: string): void {
  const wrong = notJson({ meta });
  if (wrong === undefined) return;
  const message = `The call of ${tool} cannot be sent: ${wrong.path}: expected ${wrong.expected}`;
  throw new HoltError('arguments-invalid', message, { tool, errors: [wrong] });
}

type ArgumentErrors = Extract<CheckedArguments, { readonly kind: 'invalid' }>['errors'];

function uncheckable(name: string, errors: ArgumentErrors, why: string): HoltError<'arguments-invalid'> {
  return new HoltError(
    'arguments-invalid',
    `${name} is not called, because its arguments cannot be checked: its schema ${why}`,
    { tool: name, errors },
    { remedy: 'The maker of the server has to write a simpler inputSchema.' },
  );
}

const inFlight = 64;
const callQueues = new WeakMap<Connection, CallQueue>();

function queueOf(connection: Connection): CallQueue {
  const known = callQueues.get(connection) ?? createCallQueue(inFlight);
  callQueues.set(connection, known);
  return known;
}

/** Rejects with every failure, including those that become results. */
export function performCall(
  target: CallTarget,
  prepared: Prepared,
  options: PerformOptions,
  parts: PerformParts,
): Promise<Performed> {
  const performing = perform(target, prepared, options, parts);
  // Reject at the deadline even if the server is slow to react.
  return options.deadline === undefined ? performing : options.deadline.unlessPassed(performing);
}

async function perform(
  target: CallTarget,
  { call, repaired }: Prepared,
  options: PerformOptions,
  parts: PerformParts,
): Promise<Performed> {
  const { deadline } = options;
  const queue = queueOf(target.connection);
  const turn = queue.acquire(options.caller ?? '', deadline ?? options);
  if (turn !== undefined) {
    deadline?.waitsFor('turn', target.server);
    await turn;
  }
  let answer: CallResponse;
  try {
    answer = answerOf(await send(target, call, options, parts), target);
  } finally {
    // The server is done, so a long check of its answer must not delay the next call.
    queue.release();
  }
  const found = mismatchesOf(target.tool, answer, options);
  const mismatches = found instanceof Promise ? await found : found;
  return { call, answer, repaired, mismatches };
}

/** Signals activity without progress: it restarts the idle limit but is not reported to the caller. */
const idleProgress: CallProgress = { progress: 0 };

function send(
  { server, tool, connection }: CallTarget,
  call: HookCall,
  options: PerformOptions,
  parts: PerformParts,
): Promise<JsonObject> {
  const { signal, deadline, onProgress, onElicit, meta } = options;
  const { requests, bus } = parts;
  return connection.use(
    async (session, request) => {
      const line: CallLine = { request, session };
      const outgoing: OutgoingCall = {
        server,
        tool: tool.name,
        arguments: call.arguments,
        meta: withLogLevel(meta, session, bus),
      };
      const active: RunningCall = {
        onElicit,
        touch: () => request.onprogress(idleProgress),
        hold: deadline === undefined ? undefined : () => deadline.hold(),
      };
      const end = requests.calls.begin(server, active);
      const answer = (asked: {
        readonly method: string;
        readonly params?: JsonObject;
      }): Promise<JsonObject> => connection.retirement.unlessOver(requests.answer(server, asked, active));
      try {
        return wantsTask(line, tool)
          ? await sendTaskCall(line, outgoing, tool, { answer, touch: active.touch })
          : await sendCall(line, outgoing, answer, (ids) => requests.watchPages(server, ids, active));
      } finally {
        end();
      }
    },
    {
      signal,
      isSafe: mayRepeat(connection.entry.definition, tool),
      deadline,
      onProgress: (progress) => {
        if (progress !== idleProgress && onProgress !== undefined) report(onProgress, progress, parts);
      },
    },
  );
}

/** Errors of the caller's own function do not fail the call. */
function report(
  onProgress: NonNullable<PerformOptions['onProgress']>,
  progress: CallProgress,
  { warn }: PerformParts,
): void {
  const failed = (error: unknown): void => warn(`onProgress failed: ${String(error)}`);
  try {
    // The function may be async despite its type.
    void Promise.resolve(onProgress(progress)).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** True only if the user trusts this server's annotations and they declare the tool safe to repeat. */
function mayRepeat({ trustAnnotations }: ServerDefinition, { annotations }: Tool): boolean {
  if (trustAnnotations !== true) return false;
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}

/** Throws if the result has no content that the transport could read or repair. */
function answerOf(result: JsonObject, { server, name }: CallTarget): CallResponse {
  if (Array.isArray(result['content'])) return result as JsonObject & CallResponse; // the transport has checked each block
  const reason = 'the result has no content';
  throw new HoltError('protocol-violation', `The answer to ${name} cannot be read: ${reason}`, {
    server,
    reason,
  });
}

function mismatchesOf(
  { outputSchema }: Tool,
  { isError, structuredContent }: CallResponse,
  options: PerformOptions,
): readonly string[] | Promise<readonly string[]> {
  if (outputSchema === undefined || isError === true) return [];
  if (structuredContent === undefined) return ['the structured part that was promised is missing'];
  return checkOutput(outputSchema, structuredContent, pauseOf(options));
}
