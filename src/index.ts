/** The library's public door. What is exported here is pinned by a test. */

export { HoltError, type ErrorCode, type ErrorDetails } from './kernel/errors.ts';
export type { AgentId } from './kernel/agent-ids.ts';
export type { ServerDefinitionView as ServerDefinition } from './kernel/definition-view.ts';
export type { Phase, Timeouts } from './kernel/phases.ts';
export type { Problem, ProblemCode, Severity } from './kernel/problems.ts';
export type {
  OAuthSettings,
  Origin,
  Scope,
  StoredLogin,
  TlsSettings,
  ToolFilter,
  Transport,
} from './kernel/servers.ts';
export {
  loadServers,
  type LoadedServer,
  type LoadedServers,
  type LoadServersOptions,
  type ShadowedServer,
} from './roster/load-servers.ts';
export { validateServerConfig, type ConfigVerdict } from './roster/validate-server-config.ts';
export { watchServers, type ServerWatch, type WatchOptions } from './roster/watch-servers.ts';
export { openHost } from './host/open-host.ts';
export type { Host, HostOptions, Logger, ServersChange } from './host/host.ts';
export type { HostEventName, HostEvents } from './kernel/events.ts';
export type { Interaction, TrustAnswer, TrustQuestion } from './kernel/interaction.ts';
export type { Era, Status } from './kernel/status.ts';
export type { TrustRecord } from './trust/trust-record.ts';
export type { TrustStore } from './trust/trust-store.ts';
