/** The library's public door. What is exported here is pinned by a test. */

export { HoltError, ToolAborted, type ErrorCode, type ErrorDetails } from './kernel/errors.ts';
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
export { discoverAndLoadTools, type LoadedTools } from './host/discover-and-load-tools.ts';
export { openHost } from './host/open-host.ts';
export type {
  ChangeOptions,
  Host,
  HostCallOptions,
  HostOptions,
  HostStores,
  Logger,
  LoginFlow,
  LoginInfo,
  LoginOptions,
  LoginState,
  Plugin,
  PolicyExplanation,
  SaveTarget,
  ServersChange,
} from './host/host.ts';
export type {
  Decision,
  PromptInfo,
  ResourceInfo,
  ResourceTemplateInfo,
  ToolInfo,
  ToolMatch,
  WithheldTool,
} from './catalog/tool-info.ts';
export type {
  AfterHook,
  BeforeAnswer,
  BeforeHook,
  ConnectAnswer,
  ConnectHook,
  HookCall,
  Hooks,
} from './calls/hooks.ts';
export type { CacheStore } from './catalog/catalog-cache.ts';
export type { PinStore } from './catalog/pins.ts';
export type { CredentialStore } from './kernel/credentials.ts';
export type { PolicyRules } from './policy/policy.ts';
export type { NamingProfile } from './settings/settings.ts';
export type { Attachment, ToolResult } from './results/tool-result.ts';
export type { HostEventName, HostEvents } from './kernel/events.ts';
export type {
  DeviceCode,
  ElicitAnswer,
  ElicitRequest,
  Interaction,
  PermissionAnswer,
  PermissionQuestion,
  SampleRequest,
  SamplingResult,
  TrustAnswer,
  TrustQuestion,
} from './kernel/interaction.ts';
export type { Era, Status } from './kernel/status.ts';
export type { TrustRecord } from './trust/trust-record.ts';
export type { TrustStore } from './trust/trust-store.ts';
