/**
 * Sends one call, visits the pages that it requires, and answers the server's questions until it completes. The transport has already checked the
 * results.
 */

import { type AnswerInput, completeRounds } from '../connection/input-rounds.ts';
import { isComplete } from '../connection/requests.ts';
import type { CallRequest } from '../connection/run-call.ts';
import type { Session } from '../connection/session.ts';
import type { EventBus } from '../kernel/events.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Tool } from '../kernel/protocol-types.ts';

export interface OutgoingCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly meta?: JsonObject | undefined;
}

/** Access to one server, as `Connection.use` provides it. */
export interface CallLine {
  readonly request: CallRequest;
  readonly session: Session;
}

export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** True if the call runs as a task: the tool requires it, or the server may turn any call into a task. */
export function wantsTask({ session }: CallLine, tool: Tool): boolean {
  const { capabilities, era } = session;
  if (era === 'stateless') return capabilities.extensions?.[tasksExtension] !== undefined;
  return capabilities.tasks !== undefined && tool.execution?.taskSupport === 'required';
}

export function sendCall(
  { request, session }: CallLine,
  { server, tool, arguments: args, meta }: OutgoingCall,
  answer: AnswerInput,
  watch: VisitParts['watch'],
): Promise<JsonObject> {
  const params =
    meta === undefined ? { name: tool, arguments: args } : { name: tool, arguments: args, _meta: meta };
  const send = (more?: JsonObject): Promise<JsonObject> =>
    session.call('tools/call', more === undefined ? params : { ...params, ...more }, request);
  return send().then(
    (result) => (isComplete(result) ? result : completeRounds(result, send, answer, { server, tool })),
    (error: unknown) => visitPages(error, send, { answer, watch, signal: () => request.signal }),
  );
}

const levelKey = 'io.modelcontextprotocol/logLevel';

/**
 * Returns the `_meta` for a request; values in `given` win. Asks for the log level `info` while `mcp.log` has a
 * listener, but not for stateful servers and for servers that do not log.
 */
export function withLogLevel(
  given: JsonObject | undefined,
  { era, capabilities }: Pick<Session, 'era' | 'capabilities'>,
  bus: Pick<EventBus, 'isHeard'>,
): JsonObject | undefined {
  if (era !== 'stateless' || capabilities.logging === undefined || !bus.isHeard('mcp.log')) return given;
  return { [levelKey]: 'info', ...given };
}

/** Waits for the server's notifications that pages are complete. */
export interface PageVisit {
  /** Settles when all pages are complete. `signal` ends a wait that is longer than the call may take. */
  done(signal: AbortSignal): Promise<void>;
  stop(): void;
}

export interface VisitParts {
  /** Passes a page to the elicitation handler. */
  readonly answer: (asked: { readonly method: string; readonly params: JsonObject }) => Promise<unknown>;
  readonly watch: (ids: readonly string[]) => PageVisit;
  readonly signal: () => AbortSignal;
}

interface Page {
  readonly url: string;
  readonly message: string;
  readonly elicitationId: string;
}

const pagesNeeded = -32_042;

/** `error` is the server's rejection. It is thrown again if there is no page or a visit is declined. */
export async function visitPages(
  error: unknown,
  send: () => Promise<JsonObject>,
  { answer, watch, signal }: VisitParts,
): Promise<JsonObject> {
  const pages = pagesIn(error);
  if (pages.length === 0) throw error;
  // Watch before asking: the visit may be complete before the answer arrives.
  const visit = watch(pages.map(({ elicitationId }) => elicitationId));
  try {
    for (const page of pages) {
      const params = { mode: 'url', ...page };
      if (!isYes(await answer({ method: 'elicitation/create', params }))) throw error;
    }
    return await sendAgain(pages, send, () => visit.done(signal()));
  } finally {
    visit.stop();
  }
}

async function sendAgain(
  pages: readonly Page[],
  send: () => Promise<JsonObject>,
  visited: () => Promise<void>,
): Promise<JsonObject> {
  try {
    return await send();
  } catch (error) {
    // The server cannot report the completion of a page without an id.
    if (pagesIn(error).length === 0 || pages.some(({ elicitationId }) => elicitationId === '')) throw error;
  }
  await visited();
  return send();
}

/** The pages that must be visited before the call can work. Empty for any other error. */
export function pagesIn(error: unknown): readonly Page[] {
  const { code, data } = (error instanceof Error ? error : {}) as {
    readonly code?: unknown;
    readonly data?: unknown;
  }; // read, not trusted
  if (code !== pagesNeeded || typeof data !== 'object' || data === null || !('elicitations' in data))
    return [];
  const { elicitations } = data;
  return (Array.isArray(elicitations) ? elicitations : []).flatMap((one: unknown) => pageOf(one));
}

function pageOf(one: unknown): readonly Page[] {
  const { url, message, elicitationId } = (typeof one === 'object' && one !== null ? one : {}) as JsonObject; // read, not trusted
  if (typeof url !== 'string') return [];
  return [{ url, message: textOf(message), elicitationId: textOf(elicitationId) }];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isYes(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'action' in answer && answer.action === 'accept';
}
