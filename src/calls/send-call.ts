/**
 * Sends one call and answers the server's questions until it completes. Skips the SDK's parsing of results
 * where the transport has already checked them.
 */

import type { CallToolRequest, Client } from '@modelcontextprotocol/client';

import { anyResult } from '../connection/any-result.ts';
import type { CallRequest } from '../connection/run-call.ts';
import type { Session } from '../connection/session.ts';
import { HoltError } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import { visitPages, type VisitParts } from './visit-pages.ts';

export interface OutgoingCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly meta?: JsonObject | undefined;
  /** True if some of the arguments are sent as headers too. */
  readonly marked: boolean;
}

/** Access to one server, as `Connection.use` provides it. */
export interface CallLine {
  readonly request: CallRequest;
  readonly session: Session;
}

/** Answers one question that the server asks during the call. */
export type AnswerInput = (asked: {
  readonly method: string;
  readonly params?: JsonObject;
}) => Promise<unknown>;

const maxRounds = 10;

export function sendCall(
  line: CallLine,
  call: OutgoingCall,
  answer: AnswerInput,
  watch: VisitParts['watch'],
): Promise<JsonObject> {
  const { tool: name, arguments: args, meta } = call;
  const params = meta === undefined ? { name, arguments: args } : { name, arguments: args, _meta: meta };
  const send = (): Promise<JsonObject> => sendOnce(line, params, call.marked);
  return send().then(
    (result) => (isComplete(result) ? result : sendRounds(line, { ...call, params }, result, answer)),
    (error: unknown) => visitPages(error, send, { answer, watch, signal: () => line.request.signal }),
  );
}

function isComplete({ resultType: type }: JsonObject): boolean {
  return type === undefined || type === 'complete';
}

interface Rounds extends OutgoingCall {
  readonly params: JsonObject;
}

async function sendRounds(
  line: CallLine,
  { server, tool, params, marked }: Rounds,
  first: JsonObject,
  answer: AnswerInput,
): Promise<JsonObject> {
  let result = first;
  for (let round = 1; result['resultType'] === 'input_required'; round += 1) {
    if (round > maxRounds) {
      const reason = `it asked for more in ${maxRounds} rounds and still does`;
      throw new HoltError('protocol-violation', `The call of ${tool} does not end: ${reason}`, {
        server,
        reason,
      });
    }
    result = await sendOnce(line, { ...params, ...(await answerAll(result, answer)) }, marked);
  }
  if (isComplete(result)) return result;
  const reason = `it is of the unknown type "${String(result['resultType']).slice(0, 50)}"`;
  throw new HoltError('protocol-violation', `The answer to ${tool} cannot be read: ${reason}`, {
    server,
    reason,
  });
}

/** The error code of a server that expects arguments as headers and did not get them. */
const headerMismatch = -32_020;

function sendOnce(line: CallLine, params: JsonObject, marked: boolean): Promise<JsonObject> {
  const { request, session } = line;
  if (session.call !== undefined) return session.call('tools/call', params, request);
  return session.client().then((client) => sendThrough(client, line, params, marked));
}

function sendThrough(
  client: Client,
  { request, session }: CallLine,
  params: JsonObject,
  marked: boolean,
): Promise<JsonObject> {
  const { signal, timeout, onprogress } = request;
  const options = { signal, timeout, onprogress, allowInputRequired: true };
  // `callTool` sends marked arguments as headers, and lists the tools again if the server reports new marks.
  const callTool = (): Promise<JsonObject> => client.callTool(params as CallToolRequest['params'], options); // may also contain the answers of a round
  if (session.era === 'stateless' && marked) return callTool();
  const sent = client.request({ method: 'tools/call', params: { ...params } }, anyResult, options);
  if (session.era !== 'stateless') return sent;
  return sent.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === headerMismatch) return callTool();
    throw error;
  });
}

/** Answers all questions of a round. Returns the server's `requestState` exactly as it came. */
async function answerAll(result: JsonObject, answer: AnswerInput): Promise<JsonObject> {
  const { inputRequests, requestState } = result;
  const asked = Object.entries(isObject(inputRequests) ? inputRequests : {});
  const answers = await Promise.all(
    asked.map(async ([key, request]) => [key, await answer(requestOf(request))] as const),
  );
  return {
    ...(asked.length === 0 ? {} : { inputResponses: Object.fromEntries(answers) }),
    ...(typeof requestState === 'string' ? { requestState } : {}),
  };
}

function requestOf(request: unknown): { readonly method: string; readonly params?: JsonObject } {
  const { method, params } = isObject(request) ? request : {};
  return { method: typeof method === 'string' ? method : '', ...(isObject(params) ? { params } : {}) };
}
