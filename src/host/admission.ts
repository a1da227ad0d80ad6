/** Decides whether a server may start, and resolves its definition to a launch plan. */

import type { Auth } from '../auth/create-auth.ts';
import type { HookSets } from '../calls/hooks.ts';
import { withConnectHooks } from '../calls/run-hooks.ts';
import type { AdmitOptions, ConnectionParts } from '../connection/connection-parts.ts';
import type { Connection } from '../connection/connection.ts';
import type { ServerEntry } from '../connection/supervisor.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { findProgram } from '../platform/processes/find-program.ts';
import { runCommand } from '../platform/processes/run-command.ts';
import { orAborted } from '../platform/waits.ts';
import type { LaunchPlan } from '../secrets/launch-plan.ts';
import { resolveLaunch } from '../secrets/resolve-launch.ts';
import { createSecretCache } from '../secrets/secret-sources.ts';
import { type Settings, startChoiceOf } from '../settings/settings.ts';
import { askAboutFolder } from '../trust/folder-trust.ts';
import { plainStart, type StartIn } from '../trust/start-folder.ts';
import { passTrustGate, type TrustedServer } from '../trust/trust-gate.ts';
import { type Approvals, isAllowed } from '../trust/trust-state.ts';
import type { HostEnvironment } from './environment.ts';

export type PlanServer = (entry: ServerEntry, options: { readonly ask: boolean }) => Promise<LaunchPlan>;

export interface AdmissionParts {
  readonly settings: () => Settings;
  readonly hooks: () => HookSets;
  readonly auth: Auth;
  readonly askAbout: AskAbout;
  readonly connectionOf: (ref: string) => Connection | undefined;
}

export function createAdmission(
  interaction: Interaction,
  environment: HostEnvironment,
  parts: AdmissionParts,
): Pick<ConnectionParts, 'admit' | 'resolve'> & { readonly plan: PlanServer } {
  const { machine, files, wallNow, store } = environment;
  const { settings, hooks, askAbout, connectionOf } = parts;
  const hookReports = { ...environment, emit: environment.bus.emit };
  const loadApprovals = (): Approvals => environment.loadApprovals(files);
  /** The names that the host uses for admitted servers. */
  const refs = new WeakMap<TrustedServer, string>();
  const refOf = (server: TrustedServer): string => refs.get(server) ?? server.name;
  const resolve = createResolver(interaction, environment, { ...parts, loadApprovals, refOf });
  const offerFolder = createFolderOffer(interaction, environment, { askAbout, loadApprovals });
  const startOf = (definition: ServerDefinition): StartIn | undefined =>
    plainStart(definition, {
      machine,
      folderTrust: () => loadApprovals().folderTrust(),
      choice: startChoiceOf(settings(), definition),
    });
  const admit = async (
    entry: ServerEntry,
    { ask, urgent }: AdmitOptions,
    scope: QuestionScope,
  ): Promise<TrustedServer> => {
    const { ref, definition } = entry;
    const server = await passTrustGate(definition, {
      machine,
      files,
      loadApprovals,
      store,
      confirmTrust: ask ? askAbout(ref, scope, interaction.confirmTrust) : undefined,
      resolveProgram: (command, cwd) => findProgram(command, { os: machine.os, env: machine.env, cwd }),
      now: () => new Date(wallNow()),
    });
    if (ask || urgent) await offerFolder(entry, scope);
    refs.set(server, ref);
    return server;
  };
  return {
    admit: async (entry, options) => {
      const server = await admit(entry, options, 'start');
      // Update the entry now, because otherwise the next reload would see the decision as a change and
      // restart the server.
      const connection = connectionOf(entry.ref);
      if (connection?.entry === entry && mayHaveDecided(entry)) {
        const trust = isAllowed(entry.trust) ? entry.trust : 'approved';
        connection.update({ ...entry, trust, start: startOf(entry.definition) });
      }
      return server;
    },
    resolve: async (server) => withConnectHooks(await resolve(server, 'start'), server, hooks(), hookReports),
    plan: async (entry, { ask }) => ({
      ...(await resolve(await admit(entry, { ask, urgent: false }, 'server'), 'server')),
      server: entry.ref,
    }),
  };
}

/** True if the user may have been asked before the start, about the entry or about the folder. */
function mayHaveDecided({ trust, start }: ServerEntry): boolean {
  return !isAllowed(trust) || start?.why === 'untrusted';
}

interface ResolverParts extends Pick<AdmissionParts, 'settings' | 'auth' | 'askAbout'> {
  readonly loadApprovals: () => Approvals;
  readonly refOf: (server: TrustedServer) => string;
}

/** Creates the function that resolves the values of admitted servers. */
function createResolver(
  interaction: Interaction,
  { machine, files, clock, redactor, bus }: HostEnvironment,
  { settings, auth, askAbout, loadApprovals, refOf }: ResolverParts,
): (server: TrustedServer, scope: QuestionScope) => Promise<LaunchPlan> {
  const cache = createSecretCache(() => clock.now());
  // The rejected credential may come from a command whose output is cached.
  bus.on('mcp.status.changed', ({ status }) => {
    if (status.status === 'needs_auth') cache.drop();
  });
  return (server, scope) =>
    resolveLaunch(server, {
      machine,
      files,
      runCommand,
      cache,
      redactor,
      askSecret: askAbout(refOf(server), scope, interaction.askSecret),
      loadApprovals,
      startChoice: (definition) => startChoiceOf(settings(), definition),
      accessToken: (id) => auth.accessToken(id, server.name),
    });
}

interface FolderOfferParts extends Pick<AdmissionParts, 'askAbout'> {
  readonly loadApprovals: () => Approvals;
}

/**
 * Asks about the folder before the first of the user's own servers starts in it. All servers share that
 * answer.
 */
function createFolderOffer(
  interaction: Interaction,
  { machine, store, wallNow, debug }: HostEnvironment,
  { askAbout, loadApprovals }: FolderOfferParts,
): (entry: ServerEntry, scope: QuestionScope) => Promise<void> {
  const saving = { machine, store, now: (): Date => new Date(wallNow()) };
  let asked: Promise<void> | undefined;
  return async ({ ref, start }, scope) => {
    if (start?.why !== 'untrusted' || interaction.confirmFolder === undefined) return;
    if (loadApprovals().folderTrust() !== 'unknown') return;
    const confirmFolder = askAbout(ref, scope, interaction.confirmFolder);
    if (confirmFolder === undefined) return;
    asked ??= askAboutFolder(ref, confirmFolder, saving).catch((error: unknown) => {
      // The server that asked is gone, or the answer could not be stored, so the next start asks again.
      asked = undefined;
      debug(`asking about the folder failed: ${String(error)}`);
    });
    await asked;
  };
}

type Ask<Question, Answer> = (question: Question, signal?: AbortSignal) => Promise<Answer>;

/**
 * What ends a question: `start` the end of that start; `server` a change of the server's definition, or the
 * host closing.
 */
export type QuestionScope = 'start' | 'server';

/** Wraps a question so that it is cancelled when it no longer matters. Undefined if `ask` is undefined. */
export type AskAbout = <Question, Answer>(
  server: string,
  scope: QuestionScope,
  ask: Ask<Question, Answer> | undefined,
) => ((question: Question) => Promise<Answer>) | undefined;

export function createAskAbout(
  { bus, startQuestions }: Pick<HostEnvironment, 'bus' | 'startQuestions'>,
  connectionOf: (server: string) => Connection | undefined,
): AskAbout {
  return (server, scope, ask) => {
    if (ask === undefined) return undefined;
    return startQuestions.watch(async (question) => {
      const over = new AbortController();
      const end = (): void => over.abort();
      const connection = connectionOf(server);
      // A server has this status from before its start until the start has succeeded or failed.
      const endUnlessStarting = (status = connection?.status()): void => {
        if (scope === 'start' && status?.status !== 'connecting') end();
      };
      endUnlessStarting();
      // The question waited in the queue until its start had ended.
      over.signal.throwIfAborted();
      const forget = bus.on('mcp.status.changed', ({ server: whose, status }) => {
        if (whose === server) endUnlessStarting(status);
      });
      try {
        const asking = ask(question, over.signal);
        connection?.retirement.unlessOver(asking).catch(end);
        // The callback may ignore the signal, so do not wait for it.
        return await orAborted(asking, over.signal);
      } finally {
        forget();
      }
    });
  };
}
