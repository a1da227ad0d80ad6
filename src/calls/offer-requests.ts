/** Requests about what servers offer apart from tools: reads, subscriptions, prompts, completions. */

import type { Subscribe } from '../catalog-state/subscriptions.ts';
import { originalName } from '../catalog-state/tool-views.ts';
import type { Connection } from '../connection/connection.ts';
import type { Work } from '../connection/run-call.ts';
import type { Session } from '../connection/session.ts';
import { HoltError } from '../kernel/errors.ts';
import type { EventBus } from '../kernel/events.ts';
import { isList, isObject, type JsonObject } from '../kernel/json.ts';
import type { GetPromptResult, ReadResourceResult } from '../kernel/protocol-types.ts';
import { readFailure } from './call-failure.ts';
import { withLogLevel } from './send-call.ts';

export interface OfferRequestsParts {
  /** Throws for an unknown or ambiguous name. */
  readonly connectionOf: (server: string) => Connection;
  readonly redact: (text: string) => string;
  /** Throws if the host is closed. */
  readonly requireOpen: () => void;
  readonly bus: Pick<EventBus, 'isHeard'>;
  readonly subscribe: Subscribe;
}

type Reference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** These methods of `Host`, which documents them. */
export interface OfferRequests {
  readResource(
    server: string,
    uri: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ReadResourceResult>;
  subscribe(server: string, uri: string): Promise<() => Promise<void>>;
  prompt(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<GetPromptResult>;
  complete(
    server: string,
    reference: Reference,
    argument: { readonly name: string; readonly value: string },
    context?: { readonly arguments?: Readonly<Record<string, string>> | undefined },
  ): Promise<Completion>;
}

export function createOfferRequests(parts: OfferRequestsParts): OfferRequests {
  const { redact } = parts;
  const meta = (session: Session): { readonly _meta?: Record<string, unknown> } => {
    const asked = withLogLevel(undefined, session, parts.bus);
    return asked === undefined ? {} : { _meta: { ...asked } };
  };
  return {
    readResource: async (server, uri, { signal } = {}) => {
      const about = { server, tool: uri, what: `Reading ${uri}`, signal };
      const result = await request(about, parts, async (session, options) => {
        const uris = session.lists.resources.map((resource) => resource.uri);
        const asked = { uri: originalName(uri, uris, redact), ...meta(session) };
        return readContents(await session.request('resources/read', asked, options), server);
      });
      return { ...result };
    },
    subscribe: async (server, uri) => {
      parts.requireOpen();
      const connection = parts.connectionOf(server);
      return parts.subscribe(connection, uri).catch((error: unknown) => {
        throw readFailure(error, { server, tool: uri, connection, signal: undefined, redact });
      });
    },
    prompt: async (server, name, args = {}, { signal } = {}) => {
      const about = { server, tool: name, what: `Getting the prompt ${name}`, signal };
      const result = await request(about, parts, async (session, options) => {
        const names = session.lists.prompts.map((prompt) => prompt.name);
        const asked = { name: originalName(name, names, redact), arguments: { ...args }, ...meta(session) };
        return readPrompt(await session.request('prompts/get', asked, options), server);
      });
      return { ...result };
    },
    complete: async (server, reference, argument, context) => {
      const { name } = argument;
      const about = { server, tool: name, what: `Completing ${name}`, signal: undefined };
      const filled = context?.arguments;
      return request(about, parts, async (session, options) => {
        const known = filled === undefined ? {} : { context: { arguments: { ...filled } } };
        const asked = { ref: { ...reference }, argument: { ...argument }, ...known };
        return readCompletion(await session.request('completion/complete', asked, options), server);
      });
    },
  };
}

/** The server, and how errors describe the request. */
interface About {
  readonly server: string;
  readonly tool: string;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
}

/** Sends a request that is safe to repeat after a lost connection. Rejects with a `HoltError`. */
async function request<Result>(
  about: About,
  { requireOpen, connectionOf, redact }: OfferRequestsParts,
  work: Work<Result>,
): Promise<Result> {
  requireOpen();
  const connection = connectionOf(about.server);
  try {
    return await connection.use(work, { signal: about.signal, isSafe: true });
  } catch (error) {
    throw readFailure(error, { ...about, connection, redact });
  }
}

/** Without `resultType`, which is for the protocol and missing in the older one. */
function withoutType(result: JsonObject): JsonObject {
  const { resultType, ...rest } = result;
  return resultType === undefined ? result : rest;
}

function readContents(result: JsonObject, server: string): ReadResourceResult {
  const { contents } = result;
  if (!isList(contents) || !contents.every(isContents))
    throw unreadable(server, 'resources/read', 'it has no valid contents');
  return { ...withoutType(result), contents: [...contents] };
}

function isContents(one: unknown): one is ReadResourceResult['contents'][number] {
  if (!isObject(one) || typeof one['uri'] !== 'string') return false;
  const { text, blob, mimeType } = one;
  if (mimeType !== undefined && typeof mimeType !== 'string') return false;
  return typeof text === 'string' || typeof blob === 'string';
}

function readPrompt(result: JsonObject, server: string): GetPromptResult {
  const { messages } = result;
  if (!Array.isArray(messages)) throw unreadable(server, 'prompts/get', 'it has no messages');
  return { ...withoutType(result), messages: messages as GetPromptResult['messages'] }; // the transport has checked each
}

function readCompletion({ completion }: JsonObject, server: string): Completion {
  const { values, total, hasMore } = isObject(completion) ? completion : {};
  if (!isList(values) || !values.every((value) => typeof value === 'string'))
    throw unreadable(server, 'completion/complete', 'it has no values');
  return {
    values,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof hasMore === 'boolean' ? { hasMore } : {}),
  };
}

function unreadable(server: string, method: string, reason: string): HoltError {
  const message = `The answer to ${method} cannot be read: ${reason}`;
  return new HoltError('protocol-violation', message, { server, reason });
}
