/** The library's public entry point. A test pins what is exported here. */

export type { ContentBlock, GetPromptResult, ReadResourceResult } from './kernel/protocol-types.ts';

export {
  HoltError,
  ToolAborted,
  type ErrorCode,
  type ErrorDetails,
  type HoltErrorOptions,
  type ToolAbortedOptions,
} from './kernel/errors.ts';
export type { AgentId, AgentName } from './kernel/agent-ids.ts';
export type { ServerDefinitionView as ServerDefinition } from './kernel/definition-view.ts';
export type { Phase, Timeouts } from './kernel/phases.ts';
export type { Problem, ProblemCode, Severity } from './kernel/problems.ts';
export type {
  InheritEnv,
  OAuthSettings,
  Origin,
  Scope,
  PinMode,
  StartChoice,
  StoredLogin,
  StringMap,
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
export type { MachineOptions } from './platform/machine-facts.ts';
export { validateServerConfig, type ConfigVerdict } from './roster/validate-server-config.ts';
export type {
  ConfigValues,
  OAuthConfig,
  OpencodeLocalConfig,
  OpencodeRemoteConfig,
  RemoteServerConfig,
  ServerConfig,
  ServerConfigBase,
  StdioServerConfig,
} from './roster/server-config.ts';
export { watchServers, type ServerWatch, type WatchOptions } from './roster/load-servers.ts';
export { discoverAndLoadTools, type LoadedTools } from './host/discover-and-load-tools.ts';
export { openHost } from './host/library-host.ts';
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
  ToolArguments,
} from './host/host.ts';
export type { HostEvent, HostListener } from './kernel/events.ts';
export type { Lists as ServerLists, ServerReport } from './connection/server-report.ts';
export type {
  Decision,
  PromptInfo,
  ResourceInfo,
  ResourceTemplateInfo,
  ToolInfo,
  ToolMatch,
  WithheldTool,
} from './catalog/tool-info.ts';
export type { JsonObject } from './kernel/json.ts';
export type {
  AfterHook,
  BeforeAnswer,
  BeforeHook,
  ConnectAnswer,
  ConnectHook,
  HookCall,
  HookEntry,
  HookList,
  Hooks,
  Refusal,
} from './calls/hooks.ts';
export type { CachedCatalog, CachedTool, ToolPart } from './catalog/cached-catalog.ts';
export type { CacheStore } from './catalog/catalog-cache.ts';
export type { Pin, PinChange, PinnedServer, Pins, PinsFound, PinStore, PinTexts } from './catalog/pins.ts';
export type {
  CredentialRecord,
  CredentialStore,
  PendingLogin,
  RegisteredClient,
  StoredTokens,
} from './kernel/credentials.ts';
export type { PolicyRules } from './policy/policy.ts';
export type { NamingProfile } from './settings/settings.ts';
export type { Attachment, ToolResult } from './results/tool-result.ts';
export type { HostEventName, HostEvents } from './kernel/events.ts';
export type {
  ConfirmFolder,
  ConfirmTrust,
  DeviceCode,
  ElicitAnswer,
  ElicitRequest,
  FolderAnswer,
  FolderQuestion,
  Interaction,
  PermissionAnswer,
  PermissionQuestion,
  SampleRequest,
  SamplingResult,
  TrustAnswer,
  TrustQuestion,
} from './kernel/interaction.ts';
export type { Era, Status } from './kernel/phases.ts';
export type { FingerprintField } from './trust/fingerprint.ts';
export type { StartIn, StartReason } from './trust/start-folder.ts';
export type { FolderRecord, TrustRecord } from './trust/trust-record.ts';
export type { TrustStore } from './trust/trust-store.ts';
