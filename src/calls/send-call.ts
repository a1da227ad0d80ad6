/**
 * Sends one call and answers the server's questions until it completes. The transport has already checked the
 * results.
 */

import type { JsonObject } from '../kernel/json.ts';
import type { CallRequest } from '../connection/run-call.ts';
import { completeRounds, isComplete, type AnswerInput } from '../connection/input-rounds.ts';
import type { Session } from '../connection/session.ts';
import { visitPages, type VisitParts } from './visit-pages.ts';

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
