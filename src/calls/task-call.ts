/**
 * Calls that a server carries out as a task: it hands out a ticket, is asked for news at its own pace, and is told when
 * nobody waits any more. The official extension package does the talking; it is loaded with the first task.
 */

import type { TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client';

import type { Tool } from '../kernel/protocol-types.ts';
import type { JsonObject } from '../catalog/tool-info.ts';
import type { Session } from '../connection/session.ts';
import { HoltError } from '../kernel/errors.ts';
import type { AnswerInput, CallLine, OutgoingCall } from './send-call.ts';

const extension = 'io.modelcontextprotocol/tasks';

/** Whether this call is made as a task: the tool asks for it, or the server may turn any call into one. */
export function wantsTask({ session }: CallLine, tool: Tool): boolean {
  const { capabilities, era } = session;
  if (era === 'stateless') return capabilities.extensions?.[extension] !== undefined;
  return capabilities.tasks !== undefined && tool.execution?.taskSupport === 'required';
}

export interface TaskParts {
  /** What every request of the stateless protocol says about its sender. */
  readonly sender: { readonly info: JsonObject; readonly capabilities: JsonObject };
  readonly answer: AnswerInput;
  /** There was news of it. */
  readonly touch: () => void;
}

/** How long a server may take to hear that nobody waits any more. */
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
        return given as never; // the answer of this very kind
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
    return tasks.resultFromTaskOutcome(outcome) as JsonObject; // the result of a call, as the package has read it
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
    // A task goes on without us unless it is told.
    if (signal.aborted) await execution.cancel(AbortSignal.timeout(cancelMs)).catch(() => undefined);
    throw error;
  }
}

type TaskSession = TaskEnabledSession<AnswerInput>;
interface Borrowed {
  readonly session: TaskSession;
  uses: number;
}

/** A client can carry one of them at a time: calls at the same time share it, and the last one closes it. */
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

/** JSON that came as JSON, under the name the package has for it. */
function plain(value: JsonObject): Plain {
  return value as Plain; // plain data by the time it is sent
}

type Answered =
  | { readonly kind: 'result'; readonly result: Plain }
  | { readonly kind: 'error'; readonly error: { readonly code: number; readonly message: string } };

/** The SDK's client does not know tickets: they go past it. */
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
