/** What servers offer beside tools: resources, templates, prompts, completions. Each item says whose it is. */

import type { JsonObject, PromptInfo, ResourceInfo, ResourceTemplateInfo } from '../../catalog/tool-info.ts';
import { readFailure } from '../../calls/call-failure.ts';
import { withLogLevel } from '../../calls/log-level.ts';
import type { Connection } from '../../connection/connection.ts';
import type { Work } from '../../connection/run-call.ts';
import type { Session } from '../../connection/session.ts';
import type { HostCatalog } from '../host.ts';

export interface OffersParts {
  /** Connects what may run; with a name just that one, whose failure is thrown. */
  readonly sessions: (server: string | undefined) => Promise<readonly ServerSession[]>;
  readonly connectionOf: (server: string) => Connection;
  readonly redact: (text: string) => string;
  readonly requireOpen: () => void;
  /** How much servers are to tell of their work; nothing while nobody listens. */
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
    server: string | undefined,
    items: (session: Session) => readonly Item[],
    toInfo: (server: string, item: Item) => Info,
  ): Promise<readonly Info[]> => {
    parts.requireOpen();
    const all = await parts.sessions(server);
    return all.flatMap(({ server: whose, session }) => items(session).map((item) => toInfo(whose, item)));
  };
  const ask = <Result>(
    server: string,
    what: string,
    work: Work<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => askServer({ ...parts, server, what, signal }, work);
  const meta = (session: Session): { readonly _meta?: Record<string, unknown> } => {
    const asked = withLogLevel(undefined, session, parts.logLevel());
    return asked === undefined ? {} : { _meta: { ...asked } };
  };
  return {
    resources: ({ server } = {}) => gather(server, ({ lists }) => lists.resources, resourceInfo),
    resourceTemplates: ({ server } = {}) =>
      gather(server, ({ lists }) => lists.resourceTemplates, templateInfo),
    prompts: ({ server } = {}) => gather(server, ({ lists }) => lists.prompts, promptInfo),
    readResource: async (server, uri, { signal } = {}) => ({
      ...(await ask(
        server,
        uri,
        async (session, request) => (await session.client()).readResource({ uri, ...meta(session) }, request),
        signal,
      )),
    }),
    prompt: async (server, name, args = {}, { signal } = {}) => ({
      ...(await ask(
        server,
        name,
        async (session, request) =>
          (await session.client()).getPrompt({ name, arguments: { ...args }, ...meta(session) }, request),
        signal,
      )),
    }),
    complete: async (server, reference, argument) => {
      const { completion } = await ask(server, argument.name, async (session, request) =>
        (await session.client()).complete({ ref: { ...reference }, argument: { ...argument } }, request),
      );
      const { values, total, hasMore } = completion;
      return {
        values,
        ...(total === undefined ? {} : { total }),
        ...(hasMore === undefined ? {} : { hasMore }),
      };
    },
  };
}

interface Asking {
  readonly server: string;
  /** For the error, when it is called off. */
  readonly what: string;
  readonly signal: AbortSignal | undefined;
  readonly connectionOf: (server: string) => Connection;
  readonly redact: (text: string) => string;
  readonly requireOpen: () => void;
}

/** Reading twice does no harm. */
export async function askServer<Result>(asking: Asking, work: Work<Result>): Promise<Result> {
  const { server, what, signal, redact } = asking;
  asking.requireOpen();
  const connection = asking.connectionOf(server);
  try {
    return await connection.use(work, { signal, isSafe: true });
  } catch (error) {
    throw readFailure(error, { server, tool: what, connection, signal, redact });
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
