/**
 * The public interface of a host: one running instance of holt for one project folder. `openHost` returns it.
 */

import type { JsonObject } from '../kernel/json.ts';
import type { GetPromptResult, ReadResourceResult } from '../kernel/protocol-types.ts';
import type { LoginOptions } from '../auth/logins.ts';
import type { LoginInfo, LoginState } from '../auth/login-records.ts';
import type {
  Decision,
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
import type { HostCallOptions, ToolArguments } from '../calls/tool-calls.ts';
import type { ServerReport } from '../connection/supervisor.ts';
import type { AgentName } from '../kernel/agent-ids.ts';
import type { CredentialStore } from '../kernel/credentials.ts';
import type { HostEventName, HostListener } from '../kernel/events.ts';
import type { Interaction } from '../kernel/interaction.ts';
import type { Status, Timeouts } from '../kernel/phases.ts';
import type { Problem } from '../kernel/problems.ts';
import type { PolicyRules } from '../policy/policy.ts';
import type { ListedKind, ListOptions } from '../catalog-state/list-wait.ts';
import type { ToolResult } from '../results/tool-result.ts';
import type { LoadedServer } from '../roster/load-servers.ts';
import type { ServerConfig } from '../roster/server-config.ts';
import type { NamingProfile } from '../settings/settings.ts';
import type { TrustStore } from '../trust/trust-store.ts';

export type { LoginFlow, LoginOptions } from '../auth/logins.ts';
export type { LoginInfo, LoginState } from '../auth/login-records.ts';
export type { HostCallOptions, ToolArguments } from '../calls/tool-calls.ts';
export type { ListedKind, ListOptions } from '../catalog-state/list-wait.ts';

/** Receives diagnostic messages for developers. Secrets are redacted before a message is logged. */
export interface Logger {
  debug(message: string): void;
  warn(message: string): void;
}

/** Replacements for holt's own stores. A store that is left out is holt's own. */
export interface HostStores {
  readonly credentials?: CredentialStore | undefined;
  readonly trust?: TrustStore | undefined;
  readonly pins?: PinStore | undefined;
  readonly cache?: CacheStore | undefined;
}

/** An extension of the embedding program. Its servers rank below those of every config file. */
export interface Plugin {
  readonly name: string;
  readonly servers?: Readonly<Record<string, ServerConfig>> | undefined;
  readonly hooks?: Hooks | undefined;
}

/** Options of `openHost`. All are optional, and none changes global state. */
export interface HostOptions {
  /** The folder whose project is opened. Default: the working directory of the process. */
  readonly cwd?: string | undefined;
  /** Default: the user's home folder. */
  readonly home?: string | undefined;
  /** Used in place of `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Agents whose config files are read, in this order. `*` stands for all others, `!id` excludes one. */
  readonly agents?: readonly AgentName[] | undefined;
  /** Servers of the program, in Claude's or opencode's format. They override servers from files. */
  readonly servers?: Readonly<Record<string, ServerConfig>> | undefined;
  /**
   * What the host does when a tool changes whose server comes from `servers` or `add`: nothing, emit an
   * event, or withhold the tool until `acceptPins` is called. `pinning` in a server's config overrides this.
   * Default: `warn`.
   */
  readonly pinning?: 'off' | 'warn' | 'withhold' | undefined;
  /** Servers and hooks of the program's own extensions. */
  readonly plugins?: readonly Plugin[] | undefined;
  /** How public tool names are built. Overrides the setting of the same name. */
  readonly naming?: NamingProfile | undefined;
  /** Permission rules that apply in addition to those from files. */
  readonly policy?: PolicyRules | undefined;
  readonly hooks?: Hooks | undefined;
  readonly timeouts?: Timeouts | undefined;
  /**
   * The agent that this program works for. If the user trusts the project's folder in that agent, the user's
   * own servers start there. This option makes nothing else trusted.
   */
  readonly client?: AgentName | undefined;
  /**
   * Identifies the embedding program to MCP servers (`clientInfo`), to login servers (`client_name`,
   * `client_uri`) and on the page shown after a login. Without `version`, holt's version is sent.
   */
  readonly app?:
    | { readonly name: string; readonly version?: string | undefined; readonly url?: string | undefined }
    | undefined;
  /** Reloads when a config file changes. Default: false. */
  readonly watch?: boolean | undefined;
  /** Digests of project entries that the program approves. */
  readonly trust?: { readonly digests?: readonly string[] | undefined } | undefined;
  /** Callbacks that ask a person. A missing callback counts as "no". */
  readonly interaction?: Interaction | undefined;
  readonly stores?: HostStores | undefined;
  readonly logger?: Logger | undefined;
}

/** The names of servers whose definitions were added, removed or changed. */
export interface ServersChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Whether a tool may be called, and why. */
export interface PolicyExplanation {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly decision: Decision;
  /** The rule that decided. Undefined if the default applied. */
  readonly rule?: { readonly text: string; readonly file?: string; readonly line?: number };
  readonly reason: string;
}

/**
 * Tools, resources and prompts of servers. A server name that does not identify one server fails with
 * `server-not-found` or `server-ambiguous`. After `close()` all but `listErrors` and `withheld` reject with
 * `host-closed`.
 */
export interface HostCatalog {
  /**
   * Lists the tools of all servers, or of one. Never restarts a server that failed; see `listErrors`.
   * Example: `const tools = await host.tools({ wait: 'settled' });`
   */
  tools(options?: ListOptions): Promise<readonly ToolInfo[]>;
  /**
   * Returns, by server, why the last list lacks its entries or may be incomplete: the server failed or cannot
   * start, the list did not wait for it, or its own list could not be read. Never waits.
   */
  listErrors(
    kind: ListedKind,
    options?: { readonly server?: string | undefined },
  ): Readonly<Record<string, string>>;
  /** Returns the changed tools that are not offered until they are accepted. Never waits. */
  withheld(): readonly WithheldTool[];
  /**
   * Accepts changed tools as they are now: one, or all of the server and its instructions. Connects the
   * server, or rejects with the reason. Resolves to the tools that were not accepted before.
   */
  acceptPins(server: string, tool?: string): Promise<readonly WithheldTool[]>;
  /**
   * Finds one tool by `mcp__s__t`, `s.t`, `s/t`, `s:t` or `s t`. Starts only the servers that may have it.
   * Rejects with `tool-not-found`, `tool-ambiguous`, `tool-changed` (withheld), `call-timeout`,
   * `usage-invalid` (bad `timeoutMs`), or with the reason why its server cannot be used.
   * Example: `const { inputSchema } = await host.findTool('github.create_issue');`
   */
  findTool(selector: string, options?: Pick<HostCallOptions, 'timeoutMs'>): Promise<ToolInfo>;
  /**
   * Finds tools by words in their names and descriptions, best match first. `limit` defaults to 10.
   * Example: `const [best] = await host.searchTools('create issue', { limit: 3 });`
   */
  searchTools(
    query: string,
    options?: { readonly limit?: number | undefined; readonly server?: string | undefined },
  ): Promise<readonly ToolMatch[]>;
  /**
   * Calls a tool by public name or by any selector that `findTool` takes. Starts its server if necessary.
   * A failure of the server, a lost connection or a timeout resolves to a result with `ok: false`. Rejects if
   * the caller or a person has to act: `tool-not-found`, `tool-ambiguous`, `tool-changed`,
   * `arguments-invalid`, `call-denied`, `trust-required`, `auth-required`, `client-registration-needed`,
   * `server-disabled`, `usage-invalid` (bad `timeoutMs`), `call-aborted` (a `ToolAborted`).
   * Example: `const { text } = await host.call('fs.read_file', { path: 'a.txt' }, { timeoutMs: 30_000 });`
   */
  call(name: string, args?: ToolArguments, options?: HostCallOptions): Promise<ToolResult>;
  /**
   * Like `call`, but resolves to the server's answer unchanged, except by hooks (`--output raw`). Policy,
   * pins, hooks and argument checks apply. Also rejects where `call` resolves to `ok: false`, for example
   * with `call-timeout`, `connection-lost`, `request-failed` or `protocol-violation`.
   */
  callRaw(name: string, args?: ToolArguments, options?: HostCallOptions): Promise<JsonObject>;
  /** Explains whether policy allows a call. May start the tool's server; rejects as `findTool` does. */
  explain(name: string): Promise<PolicyExplanation>;
  /**
   * Lists resources; waits as `tools` does. With `server` (and without `wait: 'cached'`) it rejects if that
   * server cannot be used, for example with `server-disabled`, `trust-required` or `auth-required`.
   */
  resources(options?: ListOptions): Promise<readonly ResourceInfo[]>;
  /** Lists resource templates. Waits and rejects as `resources` does. */
  resourceTemplates(options?: ListOptions): Promise<readonly ResourceTemplateInfo[]>;
  /**
   * Reads one resource; starts the server if necessary. Rejects with `request-failed` (the server refused),
   * `protocol-violation`, `call-timeout`, `connection-lost`, `call-aborted`, or with the reason why the
   * server cannot be used, for example `server-disabled`, `trust-required` or `auth-required`.
   */
  readResource(
    server: string,
    uri: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ReadResourceResult>;
  /**
   * Subscribes to a resource: `mcp.resource.updated` is emitted when it changes. Survives reconnects.
   * Resolves to a function that ends the subscription; rejects as `readResource` does.
   * Example: `const unsubscribe = await host.subscribe('fs', 'file:///notes.md');`
   */
  subscribe(server: string, uri: string): Promise<() => Promise<void>>;
  /** Lists prompts. Waits and rejects as `resources` does. */
  prompts(options?: ListOptions): Promise<readonly PromptInfo[]>;
  /** Gets one prompt with its arguments filled in. Rejects as `readResource` does. */
  prompt(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<GetPromptResult>;
  /**
   * Suggests values for an argument of a prompt or resource template. `context` has the arguments filled in
   * so far, which may narrow the suggestions. Rejects as `readResource` does.
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

/** Logins to remote servers. Reading them rejects with `credentials-unavailable` if the store fails. */
export interface HostLogins {
  /**
   * Starts a login in the browser and returns the address to open. `finishAuth` completes it, as does the
   * redirect to this machine. Rejects with `server-not-found`, `server-ambiguous`, `auth-unsupported` (a
   * stdio server, or no login needed), `client-registration-needed`, `auth-failed`, `trust-required`,
   * `host-closed`.
   */
  startAuth(
    name: string,
    options?: Pick<LoginOptions, 'scope'>,
  ): Promise<{ readonly authorizationUrl: string; readonly state: string }>;
  /**
   * Completes a login with the callback address or code from the browser, then reconnects the server and
   * resolves to its status. Rejects with `auth-failed` for a wrong answer, and as `startAuth` does.
   */
  finishAuth(
    name: string,
    answer: string | { readonly code: string; readonly state?: string; readonly iss?: string },
  ): Promise<Status>;
  /**
   * Runs a whole login, then reconnects the server and resolves to its status. Callers that ask for the same
   * login at the same time share one flow; aborting `signal` cancels it once no other caller waits. Rejects
   * as `startAuth` does, and with `auth-timeout`.
   * Example: `await host.authenticate('github', { flow: 'device' });`
   */
  authenticate(name: string, options?: LoginOptions): Promise<Status>;
  /** Deletes the login, even of a removed server; revokes it if possible and disconnects the server. */
  removeAuth(name: string): Promise<{ readonly removed: boolean; readonly revoked: boolean }>;
  /** True for a remote server whose definition does not set `oauth: false`. False for an unknown name. */
  supportsOAuth(name: string): boolean;
  /** True if tokens are stored, even expired ones. Does not contact the server. */
  hasStoredTokens(name: string): Promise<boolean>;
  /** Returns the state of the stored login. Does not contact the server. */
  getAuthStatus(name: string): Promise<LoginState>;
  /** Lists all stored logins, without tokens. */
  logins(): Promise<readonly LoginInfo[]>;
}

/** The file that a change is written to. Default: holt's own file for the user (`holt`, `user`). */
export interface SaveTarget {
  readonly agent?: AgentName | undefined;
  readonly scope?: 'user' | 'project' | 'local' | undefined;
}

export interface ChangeOptions {
  /**
   * Also writes the change to a file. `remove`, `enable` and `disable` change the file that the server came
   * from; for a server from `add`, the file that `add` wrote.
   */
  readonly save?: SaveTarget | undefined;
}

/** The servers of a host. An unknown name fails with `server-not-found` or `server-ambiguous`. */
export interface HostServers {
  /** Returns the effective definition of each server, one per name. */
  definitions(): readonly LoadedServer[];
  /** Returns the problems found in config files, in rules, and in what servers offer. */
  problems(): readonly Problem[];
  /** Returns the status of each server by name. Never waits. */
  status(): Record<string, Status>;
  /** Returns the details of each server: status, phases, protocol and lists. Never waits. */
  report(): Record<string, ServerReport>;
  /**
   * Connects every server. Resolves to all statuses when every attempt has ended; never rejects.
   * Example: `const statuses = await host.connect();`
   */
  connect(): Promise<Record<string, Status>>;
  /**
   * Connects one server, and asks a person for approval if necessary. Also connects a disabled server, until
   * it is disconnected or the host closes; `ifEnabled` leaves it disabled. A failure to connect is a status,
   * not a rejection. Rejects with `host-closed`.
   */
  connect(name: string, options?: { readonly ifEnabled?: boolean | undefined }): Promise<Status>;
  /** Disconnects one server, or all. A later call connects a server again. */
  disconnect(name?: string): Promise<void>;
  /**
   * Reads all files again, and restarts only servers whose definitions changed. Resolves when the old ones
   * have stopped. Rejects with `host-closed`.
   */
  reload(): Promise<ServersChange>;
  /**
   * Returns the official SDK's `Client` of each connected server, by name. Needs
   * `@modelcontextprotocol/client` in your installation. A client uses the open connection of its server and
   * ends with it; closing a client leaves the server connected. Policy and pins do not apply to what is done
   * with a client, and the host still answers requests from the server. Rejects with `usage-invalid` if the
   * package is not installed.
   * Example: `const { github } = await host.clients<Client>();`
   */
  clients<Client = unknown>(): Promise<Record<string, Client>>;
  /**
   * Calls the listener after each event of this name, and never waits for it. Returns a function that removes
   * the listener. Throws `usage-invalid` for an unknown event, or a listener that is not a function.
   * Example: `host.on('mcp.status.changed', ({ server, status }) => console.log(server, status.status));`
   */
  on<Name extends HostEventName>(name: Name, listener: HostListener<Name>): () => void;
  /** Removes a listener. Does nothing if it was not added. */
  off<Name extends HostEventName>(name: Name, listener: HostListener<Name>): void;
  /**
   * Adds a server, or replaces one that was added, and connects it. Resolves to its status; a failure to
   * connect is a status, not a rejection. Rejects with `config-invalid` or `host-closed`; with `save` also
   * with `server-exists` (an entry that this host did not write), `agent-unknown`, `agent-not-writable`,
   * `scope-unavailable`, `config-unwritable`.
   * Example: `await host.add('fs', { command: 'npx', args: ['-y', 'fs-server'] });`
   */
  add(name: string, config: ServerConfig, options?: ChangeOptions): Promise<Status>;
  /**
   * Stops and removes a server. Without `save` no file changes: a server from a file is hidden until the host
   * closes. Rejects with `host-closed`; with `save` also with `config-not-ours` (holt does not edit that
   * file, or the file has no such entry), `agent-unknown`, `agent-not-writable`, `scope-unavailable`,
   * `config-unwritable`.
   */
  remove(name: string, options?: ChangeOptions): Promise<void>;
  /**
   * Enables a server. It connects now if `connect()` connected all servers, otherwise when it is needed.
   * Resolves to its status; rejects as `remove` does.
   */
  enable(name: string, options?: ChangeOptions): Promise<Status>;
  /** Stops and disables a server; calls then reject with `server-disabled`. Rejects as `remove` does. */
  disable(name: string, options?: ChangeOptions): Promise<Status>;
  /** Closes all servers immediately. Later calls return the same promise. Never rejects. */
  close(): Promise<void>;
}

/** A running host. `await using` closes it. */
export interface Host extends HostServers, HostCatalog, HostLogins, AsyncDisposable {
  /**
   * Whether the program passed a callback that can ask for permission to call a tool, or for a step of a
   * login. Bridges offer a tool whose decision is `ask` only if this is true for `permission`.
   */
  canAsk(about: 'permission' | 'login'): boolean;
}
