/**
 * Answers a server that asks the user for input during a call. Checks the request first: a form must not ask
 * for secrets, and a URL must be one that a browser opens; other requests are declined. A request that the
 * user did not answer gets `cancel`, so that a handler's `decline` always means that the user declined.
 */

import { isObject, type JsonObject } from '../kernel/json.ts';
import { checkArguments } from '../catalog/check-arguments.ts';
import type { ElicitAnswer, ElicitRequest, Interaction } from '../kernel/interaction.ts';
import { nextTurn } from '../platform/waits.ts';
import { asksForSecret } from './secret-fields.ts';

export interface ElicitParts {
  readonly server: string;
  readonly elicit: Interaction['elicit'];
  /** Reports why a request was answered without asking the user. */
  readonly refused: (reason: string) => void;
  /** For debug output only, because a handler's error may contain anything. */
  readonly debug: (message: string) => void;
  /** Aborted when the answer is no longer needed. */
  readonly signal?: AbortSignal;
}

const declined: ElicitAnswer = { action: 'decline' };
const cancelled: ElicitAnswer = { action: 'cancel' };

/**
 * Returns the answer to an elicitation request. `params` are untrusted input from the server. Never rejects
 * because of the handler.
 */
export async function answerElicit(params: JsonObject, parts: ElicitParts): Promise<ElicitAnswer> {
  const { server, elicit, refused } = parts;
  if (elicit === undefined) return cancelled;
  const request = requestOf(server, params);
  if (typeof request === 'string') {
    refused(request);
    return declined;
  }
  const answer = await askHandler(elicit, request, parts);
  if (answer === undefined) return cancelled;
  const { action, content } = answer;
  if (action !== 'accept' || request.requestedSchema === undefined) return { action };
  const given = withDefaults(request.requestedSchema, content);
  const checked = await checkArguments(request.requestedSchema, given, nextTurn);
  if (checked.kind === 'valid') return { action, content: checked.value as NonNullable<typeof content> }; // validated against the form
  const [first] = checked.errors;
  refused(
    `the answer does not fit the form: ${first?.path ?? ''} should be ${first?.expected ?? 'otherwise'}`,
  );
  return cancelled;
}

/**
 * Calls the handler and checks its answer. Returns undefined when the answer is unusable or the handler
 * failed.
 */
async function askHandler(
  elicit: NonNullable<Interaction['elicit']>,
  request: ElicitRequest,
  { server, refused, debug, signal }: ElicitParts,
): Promise<ElicitAnswer | undefined> {
  try {
    const answer: unknown = await elicit(request, signal);
    if (isAnswer(answer)) return answer;
    refused('the handler returned none of accept, decline and cancel');
  } catch (error) {
    refused('the handler failed');
    debug(`${server}: the handler of questions failed: ${String(error)}`);
  }
  return undefined;
}

const actions: readonly unknown[] = ['accept', 'decline', 'cancel'] satisfies ElicitAnswer['action'][];

/** Checks only the structure; the values are validated against the form later. */
function isAnswer(value: unknown): value is ElicitAnswer {
  if (!isObject(value) || !actions.includes(value['action'])) return false;
  const { content } = value;
  return content === undefined || content === null || isObject(content);
}

/** Returns the request to show, or a string with the reason for declining it. */
function requestOf(server: string, params: JsonObject): ElicitRequest | string {
  const message = textOf(params['message']);
  if (params['mode'] === 'url') {
    const url = browserUrl(textOf(params['url']));
    return url === undefined
      ? 'it names a page that no browser opens'
      : { server, mode: 'url', message, url };
  }
  const { requestedSchema } = params as { readonly requestedSchema?: unknown }; // checked on the next line
  if (!isObject(requestedSchema)) return 'its form has no fields';
  const field = asksForSecret(requestedSchema);
  if (field !== undefined) return `its form asks for a secret ("${field.slice(0, 50)}")`;
  return { server, mode: 'form', message, requestedSchema };
}

/**
 * Returns the URL in its normalised form, in which a host with letters of other alphabets appears as
 * punycode.
 */
function browserUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
}

/** Fills in the defaults of fields that the user did not change. */
function withDefaults(schema: JsonObject, content: ElicitAnswer['content']): JsonObject {
  const { properties } = schema as { readonly properties?: unknown }; // checked on the next line
  if (!isObject(properties)) return content ?? {};
  const defaults = Object.entries(properties).flatMap(([name, field]) =>
    isObject(field) && field['default'] !== undefined ? [[name, field['default']] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...content };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
