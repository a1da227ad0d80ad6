/** Routes for servers: their status, everything that can be done with them at run time, and logins. */

import type { ServerEntry, ServerReport } from '../../connection/supervisor.ts';
import type { Host } from '../../host/host.ts';
import { viewOf } from '../../kernel/definition-view.ts';
import { HoltError } from '../../kernel/errors.ts';
import type { TrustQuestion } from '../../kernel/interaction.ts';
import type { ServerDefinition } from '../../kernel/servers.ts';
import type { Status } from '../../kernel/phases.ts';
import { connectText, maskDefinition } from '../../masking/mask-secrets.ts';
import { requireServerConfig } from '../../roster/validate-server-config.ts';
import type { AnswerOf, Routes } from '../contract.ts';
import type { TrustDecisions } from '../trust-decisions.ts';
import type { Handlers } from './handler.ts';

export interface ServerHandlerParts {
  readonly host: Host;
  /** Finds a server by any of its names. Rejects with `server-not-found` or `server-ambiguous`. */
  readonly entryOf: (name: string) => Promise<ServerEntry>;
  readonly trust: TrustDecisions;
  readonly readLog: (definition: ServerDefinition, lines: number) => Promise<readonly string[]>;
}

type ServerKey = Extract<
  keyof Handlers,
  `${string} /mcp` | `${string} /mcp/:name` | `${string} /mcp/:name/${string}`
>;
type Mine = Exclude<ServerKey, `${string}/auth` | `${string}/auth/${string}`>;

const fewLines = 20;
const usualLines = 200;

export function serverHandlers({ host, entryOf, trust, readLog }: ServerHandlerParts): Pick<Handlers, Mine> {
  const statusOf = (ref: string): Status => host.status()[ref] ?? { status: 'idle' };
  return {
    'GET /mcp': () => host.status(),
    'POST /mcp': async ({ body: { name, config, save } }) => {
      await requireFree(name, entryOf);
      await host.add(name, requireServerConfig(config, name), { save });
      return host.status();
    },
    'GET /mcp/:name': async ({ params }) => {
      const entry = await entryOf(params.name);
      const lines = await readLog(entry.definition, fewLines);
      return serverView(entry, host.report()[entry.ref], { lines, trust });
    },
    'DELETE /mcp/:name': async ({ params, body }) => {
      await host.remove(params.name, body);
      return host.status();
    },
    'GET /mcp/:name/logs': async ({ params, query }) => {
      const { ref, definition } = await entryOf(params.name);
      return { server: ref, lines: await readLog(definition, query.lines ?? usualLines) };
    },
    'POST /mcp/:name/connect': ({ params }) => host.connect(params.name),
    'POST /mcp/:name/disconnect': async ({ params }) => {
      const { ref } = await entryOf(params.name);
      await host.disconnect(ref);
      return statusOf(ref);
    },
    'POST /mcp/:name/enable': ({ params, body }) => host.enable(params.name, body),
    'POST /mcp/:name/disable': ({ params, body }) => host.disable(params.name, body),
    'POST /mcp/:name/reload': async ({ params }) => {
      const { ref } = await entryOf(params.name);
      await host.disconnect(ref);
      return host.connect(ref, { ifEnabled: true });
    },
  };
}

/**
 * Throws `server-exists` for a server that an administrator has set: it takes precedence, so adding would
 * have no effect.
 */
async function requireFree(name: string, entryOf: ServerHandlerParts['entryOf']): Promise<void> {
  const entry = await entryOf(name).catch((error: unknown) => {
    if (HoltError.is(error, 'server-not-found') || HoltError.is(error, 'server-ambiguous')) return undefined;
    throw error;
  });
  if (entry?.definition.origin.scope !== 'managed') return;
  const { file } = entry.definition.origin;
  throw new HoltError('server-exists', `"${name}" is set by an administrator`, { server: name, file });
}

interface ViewParts {
  readonly lines: readonly string[];
  readonly trust: TrustDecisions;
}

type ServerView = AnswerOf<Routes['GET /mcp/:name']>;

function serverView(
  { ref, definition }: ServerEntry,
  report: ServerReport | undefined,
  parts: ViewParts,
): ServerView {
  const question = parts.trust.questionOf(definition);
  return {
    name: ref,
    definition: definitionView(viewOf(maskDefinition(definition))),
    connect: connectText(definition),
    trust: parts.trust.stateOf(definition),
    ...(question === undefined ? {} : { question: questionView(question) }),
    ...reportView(report ?? { status: { status: 'idle' }, ms: 0, phases: {} }),
    lines: parts.lines,
  };
}

function definitionView(view: ReturnType<typeof viewOf>): ServerView['definition'] {
  return { ...view, timeouts: { ...view.timeouts } };
}

function questionView(question: TrustQuestion): NonNullable<ServerView['question']> {
  const { changes, destination, definition, ...rest } = question;
  return {
    ...rest,
    definition: definitionView(definition),
    changes: changes.map(({ path, before, after }) => ({
      path,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    })),
    ...(destination === undefined ? {} : { destination }),
  };
}

type ReportPart = Omit<ServerView, 'name' | 'definition' | 'connect' | 'trust' | 'question' | 'lines'>;

function reportView(report: ServerReport): ReportPart {
  const { lists, serverInfo, pid: _pid, ...rest } = report;
  return {
    ...rest,
    ...(serverInfo === undefined ? {} : { serverInfo: { ...serverInfo } }),
    ...(lists === undefined
      ? {}
      : {
          counts: {
            tools: lists.tools.length,
            resources: lists.resources.length,
            prompts: lists.prompts.length,
          },
        }),
    phases: { ...report.phases },
  };
}

export type LoginHandlerParts = Pick<ServerHandlerParts, 'host' | 'entryOf'>;

type LoginKey = Extract<keyof Handlers, `${string}/auth` | `${string}/auth/${string}`>;

/** They never return a server's tokens, only where to log in and the outcome. */
export function loginHandlers({ host, entryOf }: LoginHandlerParts): Pick<Handlers, LoginKey> {
  return {
    'POST /mcp/:name/auth': async ({ params, body: { scope } }) => {
      const { authorizationUrl, state } = await host.startAuth(params.name, { scope });
      return { authorizationUrl, oauthState: state };
    },
    'POST /mcp/:name/auth/callback': ({ params, body }) => host.finishAuth(params.name, body),
    'POST /mcp/:name/auth/authenticate': ({ params, body: { flow, scope }, signal }) =>
      host.authenticate(params.name, { flow, scope, signal }),
    'DELETE /mcp/:name/auth': async ({ params }) => {
      const outcome = await host.removeAuth(params.name);
      // A login may outlive its server. If neither exists, this rejects with `server-not-found`.
      if (!outcome.removed) await entryOf(params.name);
      return { success: true, ...outcome };
    },
  };
}
