/** Answers the questions that a stateless server asks in its results, until a result is complete. */

import { isObject, type JsonObject } from '../kernel/json.ts';
import { isComplete } from './requests.ts';
import { HoltError } from '../kernel/errors.ts';

/** Answers one question of the server. */
export type AnswerInput = (asked: {
  readonly method: string;
  readonly params?: JsonObject;
}) => Promise<unknown>;

/** The request, for errors. */
interface About {
  readonly server: string;
  readonly tool: string;
}

const maxRounds = 10;

/** `send` repeats the request with the answers of one round. Throws `protocol-violation` after ten rounds. */
export async function completeRounds(
  first: JsonObject,
  send: (answers: JsonObject) => Promise<JsonObject>,
  answer: AnswerInput,
  about: About,
): Promise<JsonObject> {
  let result = first;
  for (let round = 1; result['resultType'] === 'input_required'; round += 1) {
    if (round > maxRounds)
      throw violation(
        about,
        'The call of',
        'does not end',
        `it asked for more in ${maxRounds} rounds and still does`,
      );
    result = await send(await answerAll(result, answer));
  }
  if (isComplete(result)) return result;
  const type = String(result['resultType']).slice(0, 50);
  throw violation(about, 'The answer to', 'cannot be read', `it is of the unknown type "${type}"`);
}

function violation({ server, tool }: About, what: string, how: string, reason: string): HoltError {
  return new HoltError('protocol-violation', `${what} ${tool} ${how}: ${reason}`, { server, reason });
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
