/**
 * Answers a server that asks the person for something during a call. The request is checked first: a form may not ask for
 * secrets, and a page must be one that a browser opens; other requests are declined. A request that no person answered is
 * answered with `cancel`, so that `decline` from a handler always means that somebody declined.
 */

import { checkArguments } from '../catalog/check-arguments.ts';
import type { ElicitAnswer, ElicitRequest, Interaction } from '../kernel/interaction.ts';
import { nextTurn } from '../platform/next-turn.ts';
import { asksForSecret } from './secret-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ElicitParts {
  readonly server: string;
  readonly elicit: Interaction['elicit'];
  /** Reports why a request was answered without the person. */
  readonly refused: (reason: string) => void;
  /** For developers only: what a handler throws may hold anything. */
  readonly debug: (message: string) => void;
  /** Aborted once nobody waits for the answer. */
  readonly signal?: AbortSignal;
}

const declined: ElicitAnswer = { action: 'decline' };
const cancelled: ElicitAnswer = { action: 'cancel' };

/** `params` are the server's own words. */
export async function answerElicit(params: Fields, parts: ElicitParts): Promise<ElicitAnswer> {
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
  if (checked.kind === 'valid') return { action, content: checked.value as NonNullable<typeof content> }; // what the form allows
  const [first] = checked.errors;
  refused(
    `the answer does not fit the form: ${first?.path ?? ''} should be ${first?.expected ?? 'otherwise'}`,
  );
  return cancelled;
}

/** A handler's answer is checked as well. Undefined: it gave no usable answer. */
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

/** Whether the values are what the form wants is looked at later. */
function isAnswer(value: unknown): value is ElicitAnswer {
  if (!isFields(value) || !actions.includes(value['action'])) return false;
  const { content } = value;
  return content === undefined || content === null || isFields(content);
}

/** A text says why nobody is asked. */
function requestOf(server: string, params: Fields): ElicitRequest | string {
  const message = textOf(params['message']);
  if (params['mode'] === 'url') {
    const url = browserUrl(textOf(params['url']));
    return url === undefined
      ? 'it names a page that no browser opens'
      : { server, mode: 'url', message, url };
  }
  const { requestedSchema } = params as { readonly requestedSchema?: unknown }; // looked at in the next line
  if (!isFields(requestedSchema)) return 'its form has no fields';
  const field = asksForSecret(requestedSchema);
  if (field !== undefined) return `its form asks for a secret ("${field.slice(0, 50)}")`;
  return { server, mode: 'form', message, requestedSchema };
}

/** In the spelling that is really dialled: letters of other alphabets in a host show as what they are. */
function browserUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
}

/** A field that was left as it was shown has the value it was shown with. */
function withDefaults(schema: Fields, content: ElicitAnswer['content']): Fields {
  const { properties } = schema as { readonly properties?: unknown }; // looked at in the next line
  if (!isFields(properties)) return content ?? {};
  const defaults = Object.entries(properties).flatMap(([name, field]) =>
    isFields(field) && field['default'] !== undefined ? [[name, field['default']] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...content };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
