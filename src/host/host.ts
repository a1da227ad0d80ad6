/** The host: one running holt for one project folder. What users of the library hold in their hands. */

import type { Client } from '@modelcontextprotocol/client';

import type { GetPromptResult, ReadResourceResult } from '../kernel/protocol-types.ts';
import type { LoginInfo, LoginOptions } from '../auth/logins.ts';
import type { LoginState } from '../auth/records.ts';
import type {
  Decision,
  JsonObject,
  PromptInfo,
  ResourceInfo,
  ResourceTemplateInfo,
  ToolInfo,
  ToolMatch,
  WithheldTool,
} from '../catalog/tool-info.ts';
import type { CacheStore } from '../catalog/catalog-cache.ts';
import type { PinStore } from '../catalog/pins.ts';
import type { Hooks } from '../calls/hooks.ts';
import type { ServerReport } from '../connection/supervisor.ts';
import type { AgentName } from '../kernel/agent-ids.ts';
import type { CredentialStore } from '../kernel/credentials.ts';
import type { HostEventName } from '../kernel/events.ts';
import type { ElicitAnswer, ElicitRequest, Interaction } from '../kernel/interaction.ts';
import type { Timeouts } from '../kernel/phases.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Status } from '../kernel/status.ts';
import type { PolicyRules } from '../policy/policy.ts';
import type { ToolResult } from '../results/tool-result.ts';
import type { LoadedServer } from '../roster/load-servers.ts';
import type { ServerConfig } from '../roster/server-config.ts';
import type { NamingProfile } from '../settings/settings.ts';
import type { TrustStore } from '../trust/trust-store.ts';
import type { HostListener } from './event-bus.ts';

export type { LoginFlow, LoginInfo, LoginOptions } from '../auth/logins.ts';
export type { LoginState } from '../auth/records.ts';

/** Where words for developers go. Secrets are taken out before. */
export interface Logger {
  debug(message: string): void;
  warn(message: string): void;
}

export interface HostStores {
  readonly credentials?: CredentialStore | undefined;
  readonly trust?: TrustStore | undefined;
  readonly pins?: PinStore | undefined;
  readonly cache?: CacheStore | undefined;
}

/** What an extension of the program brings. Its servers count less than any file's. */
export interface Plugin {
  readonly name: string;
  readonly servers?: Readonly<Record<string, ServerConfig>> | undefined;
  readonly hooks?: Hooks | undefined;
}

/** All optional; nothing global is touched. */
export interface HostOptions {
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Which agents' files are read, in which order; `*` is all the rest, `!id` leaves one out. */
  readonly agents?: readonly AgentName[] | undefined;
  /** Servers that no file names, in Claude's or opencode's shape. They win over all that files say. */
  readonly servers?: Readonly<Record<string, ServerConfig>> | undefined;
  /**
   * What happens when a tool of one of these servers, or of one that was added, changes: nothing, an event, or the tool is
   * withheld until `acceptPins`. An entry's own `pinning` decides before this. Default: `warn`.
   */
  readonly pinning?: 'off' | 'warn' | 'withhold' | undefined;
  /** What a program's own extensions bring: servers, hooks. */
  readonly plugins?: readonly Plugin[] | undefined;
  /** How public names are made; wins over the setting. */
  readonly naming?: NamingProfile | undefined;
  /** Rules beside those of the files. */
  readonly policy?: PolicyRules | undefined;
  readonly hooks?: Hooks | undefined;
  readonly timeouts?: Timeouts | undefined;
  /**
   * The agent that this program works for. If the user told that agent to trust the project's folder, the user's own
   * servers start there; nothing else is trusted because of it.
   */
  readonly client?: AgentName | undefined;
  /**
   * The program that embeds holt, as MCP servers (`clientInfo`), login servers (`client_name`, `client_uri`) and the page after
   * a login name it. Without a version, holt's own is given.
   */
  readonly app?:
    | { readonly name: string; readonly version?: string | undefined; readonly url?: string | undefined }
    | undefined;
  /** Follows changes of the files. */
  readonly watch?: boolean | undefined;
  readonly trust?: { readonly digests?: readonly string[] | undefined } | undefined;
  /** How to ask a person; what is left out means no. */
  readonly interaction?: Interaction | undefined;
  /** In place of files below the home folder. */
  readonly stores?: HostStores | undefined;
  readonly logger?: Logger | undefined;
}

/** Names of servers whose definitions are not what they were. */
export interface ServersChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface HostCallOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * For the whole call, in place of the server's own limits: a start of its server, the wait for its turn, the answer.
   * Time in which a person is asked is not counted. 0 is as good as nothing: only the server's own limits hold.
   */
  readonly timeoutMs?: number | undefined;
  readonly onProgress?:
    | ((progress: { progress: number; total?: number | undefined; message?: string | undefined }) => void)
    | undefined;
  /** Wins over the host's own, where the request can be told to belong to this call. */
  readonly onElicit?: ((request: ElicitRequest, signal?: AbortSignal) => Promise<ElicitAnswer>) | undefined;
  readonly meta?: JsonObject | undefined;
  /** The person decided already: `ask` counts as yes, this once. */
  readonly asked?: boolean | undefined;
  /** Who waits, where many share one host: when a server is busy, each gets its turn. */
  readonly caller?: string | undefined;
}

/** What JSON can hold as an object: of a type with or without an index signature, but no list. */
export type ToolArguments = JsonObject | (object & { readonly [Symbol.iterator]?: never });

/** Why a call may be made, or not. */
export interface PolicyExplanation {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly decision: Decision;
  /** The rule that decided; none when it was the default. */
  readonly rule?: { readonly text: string; readonly file?: string; readonly line?: number };
  readonly reason: string;
}

/** The lists that servers have. */
export type ListedKind = 'tools' | 'resources' | 'prompts';

export interface ListOptions {
  /**
   * Without it a list waits for the servers that nothing is known of: until all have settled, or until 2 s have passed and
   * at least one server has entries. `fresh` gives the same time to servers whose entries are known from an earlier run,
   * `settled` waits for all, and `cached` for none and starts none before it answers. A late server arrives as an event.
   */
  readonly wait?: 'cached' | 'fresh' | 'settled' | undefined;
  /** Only this server; without cached entries it is waited for until it has settled. */
  readonly server?: string | undefined;
}

/** What servers offer, and how it is used. */
export interface HostCatalog {
  /** Never starts a server that failed. Throws `server-not-found`. */
  tools(options?: ListOptions): Promise<readonly ToolInfo[]>;
  /**
   * Why servers are missing in a list, or their part of it may be incomplete: those that failed or cannot run, those that
   * the last list did not wait for, and those whose own list could not be read. Never waits. Throws `server-not-found`.
   */
  listErrors(
    kind: ListedKind,
    options?: { readonly server?: string | undefined },
  ): Readonly<Record<string, string>>;
  /** Tools that were changed and wait to be accepted. */
  withheld(): readonly WithheldTool[];
  /** Takes changed tools as they are now: one, or all of a server. Gives what was accepted. */
  acceptPins(server: string, tool?: string): Promise<readonly WithheldTool[]>;
  /** One tool by any of its spellings: `mcp__s__t`, `s.t`, `s/t`, `s:t`, `s t`. Connects what is needed to tell. */
  findTool(selector: string, options?: Pick<HostCallOptions, 'timeoutMs'>): Promise<ToolInfo>;
  searchTools(
    query: string,
    options?: { readonly limit?: number | undefined; readonly server?: string | undefined },
  ): Promise<readonly ToolMatch[]>;
  /** `name` is a public name or any selector that `findTool` takes. Throws `tool-ambiguous` when it can mean two tools. */
  call(name: string, args?: ToolArguments, options?: HostCallOptions): Promise<ToolResult>;
  /** The server's own answer, for `--output raw`, unless a hook changes it; policy, pins, hooks and checks as for `call`. */
  callRaw(name: string, args?: ToolArguments, options?: HostCallOptions): Promise<JsonObject>;
  explain(name: string): Promise<PolicyExplanation>;
  /** As `tools` waits. With a server, what keeps it from being used is thrown. */
  resources(options?: ListOptions): Promise<readonly ResourceInfo[]>;
  resourceTemplates(options?: ListOptions): Promise<readonly ResourceTemplateInfo[]>;
  readResource(
    server: string,
    uri: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ReadResourceResult>;
  /** Tells of changes by `mcp.resource.updated` until the answer is called. */
  subscribe(server: string, uri: string): Promise<() => Promise<void>>;
  prompts(options?: ListOptions): Promise<readonly PromptInfo[]>;
  prompt(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<GetPromptResult>;
  /**
   * What could stand for an argument of a prompt or of a resource template. With the arguments that are filled in already a
   * server can narrow it down.
   */
  complete(
    server: string,
    reference:
      | { readonly type: 'ref/prompt'; readonly name: string }
      | { readonly type: 'ref/resource'; readonly uri: string },
    argument: { readonly name: string; readonly value: string },
    context?: { readonly arguments?: Readonly<Record<string, string>> | undefined },
  ): Promise<{ readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean }>;
}

/** Logging in to remote servers. */
export interface HostLogins {
  startAuth(
    name: string,
    options?: Pick<LoginOptions, 'scope'>,
  ): Promise<{ readonly authorizationUrl: string; readonly state: string }>;
  finishAuth(
    name: string,
    answer: string | { readonly code: string; readonly state?: string; readonly iss?: string },
  ): Promise<Status>;
  authenticate(name: string, options?: LoginOptions): Promise<Status>;
  /** Forgets the login, and revokes it at the provider where that can be done. */
  removeAuth(name: string): Promise<{ readonly removed: boolean; readonly revoked: boolean }>;
  supportsOAuth(name: string): boolean;
  hasStoredTokens(name: string): Promise<boolean>;
  getAuthStatus(name: string): Promise<LoginState>;
  logins(): Promise<readonly LoginInfo[]>;
}

/** Which file a change is written to; the user's own of holt when left out. */
export interface SaveTarget {
  readonly agent?: AgentName | undefined;
  readonly scope?: 'user' | 'project' | 'local' | undefined;
}

export interface ChangeOptions {
  /**
   * The change is written to a file as well. Removing and switching change the file that the server came from: for one that
   * was added, the file that `add` wrote.
   */
  readonly save?: SaveTarget | undefined;
}

/** The servers themselves: what was found, and how each is doing. */
export interface HostServers {
  /** What was found, each name once. */
  definitions(): readonly LoadedServer[];
  /** What was wrong with what was found. */
  problems(): readonly Problem[];
  /** Never waits. */
  status(): Record<string, Status>;
  /** The same in full: phases, protocol, what is offered. Never waits. */
  report(): Record<string, ServerReport>;
  /** Connects every server; settles when all have, and never rejects. */
  connect(): Promise<Record<string, Status>>;
  /**
   * Connects one, asking a person where that is needed. A disabled server is connected too, until it is disconnected or the
   * host closes; `ifEnabled` leaves it as it is. Rejects only for an unknown name.
   */
  connect(name: string, options?: { readonly ifEnabled?: boolean | undefined }): Promise<Status>;
  disconnect(name?: string): Promise<void>;
  /** Reads all files again. What did not change keeps running. */
  reload(): Promise<ServersChange>;
  /** The SDK's clients of connected servers, by name. */
  clients(): Record<string, Client>;
  /**
   * Calls the listener after each event of this name and never waits for it. The returned function removes it. Throws
   * `usage-invalid` for an unknown event.
   */
  on<Name extends HostEventName>(name: Name, listener: HostListener<Name>): () => void;
  off<Name extends HostEventName>(name: Name, listener: HostListener<Name>): void;
  /**
   * Adds a server to the running host, or replaces one that was added, and connects it. Resolves to its status; a failed
   * start is one. Throws `config-invalid`.
   */
  add(name: string, config: ServerConfig, options?: ChangeOptions): Promise<Status>;
  remove(name: string, options?: ChangeOptions): Promise<void>;
  enable(name: string, options?: ChangeOptions): Promise<Status>;
  disable(name: string, options?: ChangeOptions): Promise<Status>;
  /** Closes all servers at once. Never rejects. */
  close(): Promise<void>;
}

export interface Host extends HostServers, HostCatalog, HostLogins, AsyncDisposable {
  /**
   * Whether the program passed in a way to ask a person: for the permission to call a tool, or in a login. Bridges offer a
   * tool whose decision is `ask` only if somebody can be asked.
   */
  canAsk(about: 'permission' | 'login'): boolean;
}
