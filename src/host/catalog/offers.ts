/**
 * Lists and reads what servers offer apart from tools: resources, templates, prompts, completions. Each item
 * names its server.
 */

import type { JsonObject } from '../../kernel/json.ts';
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo } from '../../catalog/tool-info.ts';
import { readFailure } from '../../calls/call-failure.ts';
import { withLogLevel } from '../../calls/log-level.ts';
import type { Connection } from '../../connection/connection.ts';
import type { Work } from '../../connection/run-call.ts';
import type { Session } from '../../connection/session.ts';
import type { HostCatalog, ListedKind, ListOptions } from '../host.ts';
import { meantBy } from './shown-tools.ts';

export interface OffersParts {
  /**
   * The sessions of connected servers after a list has waited. With a server only its session; rejects if it
   * cannot be used.
   */
  readonly sessions: (kind: ListedKind, options: ListOptions) => Promise<readonly ServerSession[]>;
  readonly connectionOf: (server: string) => Connection;
  readonly redact: (text: string) => string;
  /** Returns a copy with secrets redacted. */
  readonly shown: <Value>(value: Value) => Value;
  readonly requireOpen: () => void;
  /** The log level to request from servers. Undefined while there is no listener. */
  readonly logLevel: () => string | undefined;
}

export interface ServerSession {
  readonly server: string;
  readonly session: Session;
}

type Offers = Pick<
  HostCatalog,
  'resources' | 'resourceTemplates' | 'readResource' | 'prompts' | 'prompt' | 'complete'
>;

export function createOffers(parts: OffersParts): Offers {
  const gather = async <Item, Info>(
    kind: ListedKind,
    options: ListOptions,
    items: (session: Session) => readonly Item[],
    toInfo: (server: string, item: Item) => Info,
  ): Promise<readonly Info[]> => {
    parts.requireOpen();
    const all = await parts.sessions(kind, options);
    parts.requireOpen();
    return all.flatMap(({ server: whose, session }) =>
      items(session).map((item) => parts.shown(toInfo(whose, item))),
    );
  };
  return {
    resources: (options = {}) => gather('resources', options, listed.resources, resourceInfo),
    resourceTemplates: (options = {}) => gather('resources', options, listed.templates, templateInfo),
    prompts: (options = {}) => gather('prompts', options, listed.prompts, promptInfo),
    ...createReaders(parts),
  };
}

const listed = {
  resources: ({ lists }: Session) => lists.resources,
  templates: ({ lists }: Session) => lists.resourceTemplates,
  prompts: ({ lists }: Session) => lists.prompts,
} as const;

function createReaders(parts: OffersParts): Pick<Offers, 'readResource' | 'prompt' | 'complete'> {
  const ask = <Result>(
    server: string,
    about: About,
    work: Work<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => askServer({ ...parts, ...about, server, signal }, work);
  const meta = (session: Session): Meta => metaFor(session, parts.logLevel());
  return {
    readResource: async (server, uri, { signal } = {}) => ({
      ...(await ask(
        server,
        { tool: uri, what: `Reading ${uri}` },
        async (session, request) => {
          const meant = meantBy(
            uri,
            session.lists.resources.map((resource) => resource.uri),
            parts.redact,
          );
          return (await session.client()).readResource({ uri: meant, ...meta(session) }, request);
        },
        signal,
      )),
    }),
    prompt: async (server, name, args = {}, { signal } = {}) => ({
      ...(await ask(
        server,
        { tool: name, what: `Getting the prompt ${name}` },
        async (session, request) => {
          const meant = meantBy(
            name,
            session.lists.prompts.map((prompt) => prompt.name),
            parts.redact,
          );
          const asked = { name: meant, arguments: { ...args }, ...meta(session) };
          return (await session.client()).getPrompt(asked, request);
        },
        signal,
      )),
    }),
    complete: async (server, reference, argument, context) => {
      const { completion } = await ask(server, completing(argument), async (session, request) => {
        const asked = { ref: { ...reference }, argument: { ...argument }, ...filledIn(context) };
        return (await session.client()).complete(asked, request);
      });
      return completed(completion);
    },
  };
}

type Completed = Awaited<ReturnType<Offers['complete']>>;

interface Completion {
  readonly values: readonly string[];
  readonly total?: number | undefined;
  readonly hasMore?: boolean | undefined;
}

function completed({ values, total, hasMore }: Completion): Completed {
  return {
    values,
    ...(total === undefined ? {} : { total }),
    ...(hasMore === undefined ? {} : { hasMore }),
  };
}

function filledIn(context: Parameters<Offers['complete']>[3]): {
  readonly context?: { readonly arguments: Record<string, string> };
} {
  const filled = context?.arguments;
  return filled === undefined ? {} : { context: { arguments: { ...filled } } };
}

interface Meta {
  readonly _meta?: Record<string, unknown>;
}

function metaFor(session: Session, logLevel: string | undefined): Meta {
  const asked = withLogLevel(undefined, session, logLevel);
  return asked === undefined ? {} : { _meta: { ...asked } };
}

/** Describes the request in errors. */
interface About {
  readonly tool: string;
  readonly what: string;
}

function completing({ name }: { readonly name: string }): About {
  return { tool: name, what: `Completing ${name}` };
}

interface Asking extends About {
  readonly server: string;
  readonly signal: AbortSignal | undefined;
  readonly connectionOf: (server: string) => Connection;
  readonly redact: (text: string) => string;
  readonly requireOpen: () => void;
}

/** Sends a request that is safe to repeat after a lost connection. Rejects with a `HoltError`. */
export async function askServer<Result>(asking: Asking, work: Work<Result>): Promise<Result> {
  const { server, tool, what, signal, redact } = asking;
  asking.requireOpen();
  const connection = asking.connectionOf(server);
  try {
    return await connection.use(work, { signal, isSafe: true });
  } catch (error) {
    throw readFailure(error, { server, tool, what, connection, signal, redact });
  }
}

type Listed = Session['lists'];

function resourceInfo(server: string, resource: Listed['resources'][number]): ResourceInfo {
  const { uri, name, size } = resource;
  return { server, uri, name, ...described(resource), ...(size === undefined ? {} : { size }) };
}

function templateInfo(server: string, template: Listed['resourceTemplates'][number]): ResourceTemplateInfo {
  const { uriTemplate, name } = template;
  return { server, uriTemplate, name, ...described(template) };
}

interface Described {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly annotations?: object | undefined;
}

function described({ title, description, mimeType, annotations }: Described): {
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: JsonObject;
} {
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
  };
}

function promptInfo(server: string, prompt: Listed['prompts'][number]): PromptInfo {
  const { name, title, description, arguments: given = [] } = prompt;
  return {
    server,
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    arguments: given.map((argument) => ({
      name: argument.name,
      ...(argument.description === undefined ? {} : { description: argument.description }),
      required: argument.required === true,
    })),
  };
}
