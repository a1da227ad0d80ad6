/**
 * Calls that a server runs as a task. It returns a task id, is polled at its own pace, and receives a
 * cancellation when the caller stops waiting. The official extension package implements the protocol; it is
 * loaded with the first task.
 */

import type { TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client';

import type { JsonObject } from '../kernel/json.ts';
import type { Tool } from '../kernel/protocol-types.ts';
import type { Session } from '../connection/session.ts';
import { HoltError } from '../kernel/errors.ts';
import type { AnswerInput, CallLine, OutgoingCall } from './send-call.ts';

const extension = 'io.modelcontextprotocol/tasks';

/** True if the call runs as a task: the tool requires it, or the server may turn any call into a task. */
export function wantsTask({ session }: CallLine, tool: Tool): boolean {
  const { capabilities, era } = session;
  if (era === 'stateless') return capabilities.extensions?.[extension] !== undefined;
  return capabilities.tasks !== undefined && tool.execution?.taskSupport === 'required';
}

export interface TaskParts {
  /** The sender, for the `_meta` entries that every request of the stateless protocol carries. */
  readonly sender: { readonly info: JsonObject; readonly capabilities: JsonObject };
  readonly answer: AnswerInput;
  /** Called when there is news of the task. */
  readonly touch: () => void;
}

/** How long sending the cancellation to the server may take. */
const cancelMs = 5000;

const methods = {
  elicitation: 'elicitation/create',
  sampling: 'sampling/createMessage',
  roots: 'roots/list',
} as const;

export async function sendTaskCall(
  line: CallLine,
  call: OutgoingCall,
  tool: Tool,
  { sender, answer, touch }: TaskParts,
): Promise<JsonObject> {
  const [tasks, client] = await Promise.all([import('./tasks-extension.ts'), line.session.client()]);
  const { signal } = line.request;
  const { session, release } = borrow(line, () =>
    tasks.createTaskSessionFromClient<AnswerInput>(client, {
      endpointId: call.server,
      rawDispatch: (message, options) => dispatch(line.session, message, options?.signal),
      v2RequestFraming: {
        protocolVersion: line.session.protocol,
        clientInfo: plain(sender.info),
        clientCapabilities: plain(sender.capabilities),
      },
      onInputRequest: async (asked, { applicationContext }) => {
        const given = await applicationContext({ method: methods[asked.kind], params: asked.params ?? {} });
        return given as never; // an answer of the requested kind
      },
    }),
  );
  try {
    const execution = await session.callTool(call.tool, plain(call.arguments), {
      declaration: tasks.toolDeclarationFromMcpTool(tool),
      applicationContext: answer,
      signal,
      ...(call.meta === undefined ? {} : { metadata: plain(call.meta) }),
    });
    const outcome = await settled(execution, signal, touch);
    if (outcome.status === 'cancelled') {
      const reason = 'the server cancelled the task';
      throw new HoltError('request-failed', reason, { server: call.server, reason });
    }
    return tasks.resultFromTaskOutcome(outcome) as JsonObject; // a call result, as the package has parsed it
  } finally {
    await release();
  }
}

type Execution = Awaited<ReturnType<TaskSession['callTool']>>;

async function settled(
  execution: Execution,
  signal: AbortSignal,
  touch: () => void,
): Promise<Awaited<ReturnType<Execution['settle']>>['outcome']> {
  try {
    const { outcome } = await execution.settle({ signal, onEvent: touch });
    return outcome;
  } catch (error) {
    // A task keeps running unless it is cancelled.
    if (signal.aborted) await execution.cancel(AbortSignal.timeout(cancelMs)).catch(() => undefined);
    throw error;
  }
}

type TaskSession = TaskEnabledSession<AnswerInput>;
interface Borrowed {
  readonly session: TaskSession;
  uses: number;
}

/** A client supports one task session at a time. Concurrent calls share it, and the last one closes it. */
const inUse = new WeakMap<Session, Borrowed>();

function borrow(
  { session: key }: CallLine,
  open: () => TaskSession,
): { readonly session: TaskSession; readonly release: () => Promise<void> } {
  const borrowed = inUse.get(key) ?? { session: open(), uses: 0 };
  inUse.set(key, borrowed);
  borrowed.uses += 1;
  return {
    session: borrowed.session,
    release: async () => {
      borrowed.uses -= 1;
      if (borrowed.uses > 0) return;
      inUse.delete(key);
      await borrowed.session.close();
    },
  };
}

type Plain = Record<string, never>;

/** Casts JSON to the package's type for it. */
function plain(value: JsonObject): Plain {
  return value as Plain; // plain data by the time it is sent
}

type Answered =
  | { readonly kind: 'result'; readonly result: Plain }
  | { readonly kind: 'error'; readonly error: { readonly code: number; readonly message: string } };

/** Sends a request of the package past the SDK client, which does not know tasks. */
async function dispatch(
  { line }: Session,
  message: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<Answered> {
  const { method, params = {} } = message as { readonly method: string; readonly params?: JsonObject }; // made by the package
  const meta = params['_meta'] as JsonObject | undefined; // likewise
  try {
    const result = await line.ask(method, params, { signal, envelope: meta });
    return { kind: 'result', result: plain(result) };
  } catch (error) {
    const { code, message: words } = error as { readonly code?: unknown; readonly message: string }; // read, not trusted
    if (typeof code !== 'number') throw error;
    return { kind: 'error', error: { code, message: words } };
  }
}
