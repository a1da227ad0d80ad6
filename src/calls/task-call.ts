/**
 * Calls that a server runs as a task. It returns a task id, is polled at its own pace, and receives a
 * cancellation when the caller stops waiting. The official extension package implements the protocol; it is
 * loaded with the first task.
 */

import type {
  ConnectedMcpSessionPort,
  JsonRpcResponse,
  TaskEnabledSession,
} from '@modelcontextprotocol/ext-tasks/client';

import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Tool } from '../kernel/protocol-types.ts';
import { ChannelClosedError, ResponseError } from '../connection/requests.ts';
import type { AnswerInput } from '../connection/input-rounds.ts';
import type { Session } from '../connection/session.ts';
import { HoltError } from '../kernel/errors.ts';
import { tasksExtension, type CallLine, type OutgoingCall } from './send-call.ts';

export interface TaskParts {
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
  { answer, touch }: TaskParts,
): Promise<JsonObject> {
  const tasks = await import('./tasks-extension.ts');
  const { signal } = line.request;
  const { port, close } = openPort(line.session, call.server);
  const session = tasks.withTasks<AnswerInput>(port, {
    onInputRequest: async (asked, { applicationContext }) => {
      const input = await applicationContext({ method: methods[asked.kind], params: asked.params ?? {} });
      return input as never; // an answer of the requested kind
    },
  });
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
    await session.close();
    close();
  }
}

type Execution = Awaited<ReturnType<TaskEnabledSession<AnswerInput>['callTool']>>;

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

/** What the package needs of a session: its requests, notifications and end. */
function openPort(
  session: Session,
  endpointId: string,
): { readonly port: ConnectedMcpSessionPort; readonly close: () => void } {
  const listeners = new Set<(notification: Plain) => void>();
  const closed = new Set<(reason: unknown) => void>();
  const { channel } = session;
  const close = channel.listen({
    onMessage: (message) => {
      if ('method' in message) for (const listener of listeners) listener(plain({ ...message }));
    },
    onClose: () => {
      for (const listener of closed) listener(new ChannelClosedError());
    },
  });
  const port: ConnectedMcpSessionPort = {
    endpointId,
    taskCapabilities: capabilitiesOf(session),
    dispatch: (request, { signal } = {}) => dispatch(session, request, signal),
    // The host answers requests of servers, also during a task.
    onServerRequest: () => () => undefined,
    onNotification: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onInvalidated: (listener) => {
      closed.add(listener);
      return () => closed.delete(listener);
    },
    get invalidated() {
      return channel.isClosed;
    },
  };
  return { port, close };
}

function capabilitiesOf({ era, capabilities }: Session): ConnectedMcpSessionPort['taskCapabilities'] {
  if (era === 'stateful')
    return { generation: 'v1', capabilities: structuredClone(capabilities.tasks ?? {}) };
  const offer: unknown = capabilities.extensions?.[tasksExtension];
  const isEmpty = isObject(offer) && Object.keys(offer).length === 0;
  return isEmpty ? { generation: 'v2', capabilities: {} } : { generation: 'none' };
}

type Plain = Record<string, never>;

/** Casts JSON to the package's type for it. */
function plain(value: JsonObject): Plain {
  return value as Plain; // plain data by the time it is sent
}

async function dispatch(
  session: Session,
  message: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<JsonRpcResponse> {
  const { method, params = {} } = message as { readonly method: string; readonly params?: JsonObject }; // made by the package
  const envelope = session.envelope === undefined ? undefined : offerTasks(session.envelope, params['_meta']);
  try {
    const result = await session.channel.requests.request(method, params, { signal, envelope });
    return { kind: 'result', result: plain(result) };
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const { code, message: text, data } = error;
    return {
      kind: 'error',
      error: { code, message: text, ...(data === undefined ? {} : { data: data as Plain }) },
    }; // as it was received
  }
}

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/** Adds the extension to the capabilities that the envelope states. */
function offerTasks(envelope: JsonObject, meta: unknown): JsonObject {
  const capabilities = fieldsOf(envelope[capabilitiesKey]);
  const extensions = { ...fieldsOf(capabilities['extensions']), [tasksExtension]: {} };
  return { ...fieldsOf(meta), ...envelope, [capabilitiesKey]: { ...capabilities, extensions } };
}

function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
