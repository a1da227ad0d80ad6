/** Builds what servers need to run: trust, secrets, transports, protocol memory and clocks. */

import { clientInfoOf } from '../auth/app-identity.ts';
import { createCatalogBudget } from '../connection/catalog-budget.ts';
import type { Connection } from '../connection/connection.ts';
import type { ConnectionParts } from '../connection/connection-parts.ts';
import { createEraFile, createEraMemory } from '../connection/era-memory.ts';
import { limitsFor, type Limits } from '../connection/limits.ts';
import {
  createStartSlots,
  createSupervisor,
  usualTuning,
  type ServerEntry,
  type Supervisor,
} from '../connection/supervisor.ts';
import { createWakeWatch, type WakeWatch } from '../connection/wake-watch.ts';
import type { CredentialStore } from '../kernel/credentials.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { Timeouts } from '../kernel/phases.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { contentKey } from '../roster/same-server.ts';
import { settingsFor } from '../settings/load-settings.ts';
import type { Settings } from '../settings/settings.ts';
import type { HookSets } from '../calls/hooks.ts';
import type { HostRoster } from './host-roster.ts';
import { createAdmission, createAskAbout, type PlanServer } from './admission.ts';
import type { SdkClientOf } from './sdk-clients.ts';
import { createAuth, type Auth } from '../auth/create-auth.ts';
import { wireTransports, type WiredTransports } from './wire-transports.ts';
import type { HostEnvironment, HostParts } from './environment.ts';

export interface WireOptions extends HostParts {
  readonly interaction?: Interaction | undefined;
  readonly timeouts?: Timeouts | undefined;
  readonly stores?: { readonly credentials?: CredentialStore | undefined } | undefined;
}

export interface SupervisorWiring {
  readonly roster: HostRoster;
  readonly hooks: () => HookSets;
  readonly onListChanged: ConnectionParts['onListChanged'];
}

export interface WiredSupervisor {
  readonly supervisor: Supervisor;
  readonly wake: WakeWatch;
  readonly auth: Auth;
  readonly plan: PlanServer;
  readonly sdkClientOf: SdkClientOf | undefined;
  readonly close: () => Promise<void>;
}

export function wireSupervisor(
  options: WireOptions,
  environment: HostEnvironment,
  { roster, hooks, onListChanged }: SupervisorWiring,
): WiredSupervisor {
  const { machine, files, clock, wallNow, redactor } = environment;
  const settingsOf = lookUpSettings(roster);
  const settings = (): Settings => settingsOf(undefined);
  const wake = wakeOf(options, environment);
  const eras = createEraMemory({ store: createEraFile(machine, files), wallNow });
  const debug = (server: string, message: string): void => environment.debug(`${server}: ${message}`);
  const interaction = options.interaction ?? {};
  const connectionOf = (ref: string): Connection | undefined => supervisor.connections.get(ref);
  const definitionOf = (ref = ''): ServerDefinition | undefined => connectionOf(ref)?.entry.definition;
  const askAbout = createAskAbout(environment, connectionOf);
  const auth: Auth = createAuth({
    ...environment,
    cancelWithServer: (server, ask) => askAbout(server, 'server', ask),
    interaction,
    settings,
    network: () => transports.network(),
    credentials: options.stores?.credentials,
    connectionOf,
  });
  const transports: WiredTransports = wireTransports({
    ...environment,
    settingsOf,
    login: (plan) => auth.login(plan),
    definitionOf,
    debug,
  });
  const admissionParts = { settings, hooks, auth, askAbout, connectionOf };
  const { plan, ...admission } = createAdmission(interaction, environment, admissionParts);
  const supervisor: Supervisor = createSupervisor({
    ...admission,
    hasNewLogin: (server) => auth.hasNewLogin(server),
    open: transports.open,
    slots: createStartSlots(settings().concurrency),
    catalog: createCatalogBudget((ref) => settingsOf(definitionOf(ref)).limits),
    clock,
    wallNow,
    wake,
    eras,
    ...tuningOf(options),
    emit: environment.bus.emit,
    onListChanged,
    redact: (text) => redactor.redact(text),
    ...messagesOf(environment),
    limitsOf: rememberLimits(settingsOf, options.timeouts ?? {}),
    eraKeyOf: ({ definition }) => contentKey(definition),
    debug,
  });
  const close = async (): Promise<void> => {
    await Promise.allSettled([auth.close(), transports.close(), eras.flush()]);
    wake.close();
  };
  const sdkClientOf = options.sdkClients?.(environment);
  return { supervisor, wake, auth, plan, sdkClientOf, close };
}

/** What holt says about itself to servers, and what it does with their messages. */
function messagesOf({
  app,
  requests,
}: HostEnvironment): Pick<ConnectionParts, 'sender' | 'answer' | 'onNotification'> {
  return {
    sender: { info: clientInfoOf(app), capabilities: { ...requests.capabilities } },
    answer: (server, asked) => requests.answer(server, asked),
    onNotification: (server, method, params) => requests.notice(server, method, params),
  };
}

/** Returns the settings for a server, or the general ones for `undefined`. */
function lookUpSettings(roster: HostRoster): (definition: ServerDefinition | undefined) => Settings {
  return (definition) => settingsFor(roster.current.settings, definition);
}

function tuningOf({
  tuning,
  backoff,
  livenessMs,
}: HostParts): Pick<ConnectionParts, 'tuning' | 'backoff' | 'livenessMs'> {
  return {
    tuning: { ...usualTuning, ...tuning },
    ...(backoff === undefined ? {} : { backoff }),
    ...(livenessMs === undefined ? {} : { livenessMs }),
  };
}

function wakeOf({ tickMs }: HostParts, { clock, wallNow }: HostEnvironment): WakeWatch {
  return createWakeWatch({ clock, wallNow, ...(tickMs === undefined ? {} : { tickMs }) });
}

/** Caches the limits of each entry, because every call reads them. */
function rememberLimits(
  settingsOf: (definition: ServerDefinition) => Settings,
  given: Timeouts,
): ConnectionParts['limitsOf'] {
  const known = new WeakMap<ServerEntry, { readonly from: Timeouts; readonly limits: Limits }>();
  return (entry) => {
    const from = settingsOf(entry.definition).timeouts;
    const found = known.get(entry);
    if (found?.from === from) return found.limits;
    const limits = limitsFor(entry.definition, { settings: from, program: given });
    known.set(entry, { from, limits });
    return limits;
  };
}
