/**
 * One MCP server as holt understands it, whichever agent's file it came from.
 * Text fields are templates: placeholders stay as written until the server is allowed to run.
 */

import type { AgentId } from './agent-ids.ts';
import type { Timeouts } from './phases.ts';

/** Where a definition comes from, strongest first. */
export const scopes = ['managed', 'runtime', 'local', 'project', 'user', 'plugin'] as const;
export type Scope = (typeof scopes)[number];

export const transports = ['stdio', 'http', 'sse', 'ws'] as const;
export type Transport = (typeof transports)[number];

/** The place in a file that says so. Lines and columns count from 1. */
export interface Origin {
  readonly agent: AgentId;
  readonly scope: Scope;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Another entry for the same name in another file or scope, with its own state. */
export interface CopyOrigin extends Origin {
  readonly enabled: boolean;
}

/** What switches a copy off: its own entry, a list of the agent's, or holt's override. Lines count from 1. */
export interface SwitchedOff {
  readonly kind: 'entry' | 'switch' | 'override';
  readonly file: string;
  readonly line: number;
  /** For a switch: the agent that keeps it. */
  readonly agent?: AgentId;
  /** The user refused this server of the project when that agent asked. */
  readonly rejected?: true;
}

export type StringMap = Readonly<Record<string, string>>;

/** A value that is taken from a variable of the environment by name, set in front of it what `prefix` says. */
export interface VariableReference {
  readonly variable: string;
  readonly prefix: string;
  readonly suffix: string;
}
export type VariableReferences = Readonly<Record<string, VariableReference>>;

export interface OAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scopes?: readonly string[];
  readonly callbackPort?: number;
  readonly redirectUri?: string;
  readonly issuer?: string;
  readonly metadataUrl?: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
  readonly deviceAuthorizationEndpoint?: string;
  /** `auto`, `omit`, or what is sent in its place. */
  readonly resource?: string;
  /** Where a document about this client lies, for providers that take its address as the client's id. */
  readonly clientMetadataUrl?: string;
  /** `client_credentials` needs no person. */
  readonly grant?: string;
  /** In PEM, for clients that prove themselves by signing. */
  readonly privateKey?: string;
  readonly signingAlgorithm?: string;
  /** `client_secret_basic`, `client_secret_post`, `private_key_jwt` or `none`; found out when left out. */
  readonly tokenEndpointAuthMethod?: string;
  /** `unadvertised` for a provider that has S256 and does not say so. */
  readonly pkce?: string;
}

export interface TlsSettings {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** A stored login that the definition names by id. */
export interface StoredLogin {
  readonly type: 'oauth';
  readonly credentialId: string;
}

export interface ToolFilter {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly autoApprove?: readonly string[];
}

export type InheritEnv = 'all' | 'safe' | readonly string[];

/** A program on this machine that speaks over its standard streams. */
export interface StdioLaunch {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: StringMap;
  /** Variables of the child that come from variables of ours. */
  readonly envFrom: VariableReferences;
  readonly cwd?: string;
  readonly inheritEnv?: InheritEnv;
}

/** A server somewhere else, reached by URL. */
export interface RemoteLaunch {
  readonly kind: 'http' | 'sse' | 'ws';
  readonly url: string;
  readonly headers: StringMap;
  /** Headers whose values come from variables of ours. */
  readonly headersFrom: VariableReferences;
  /** A command whose output is more headers. Never run while reading. */
  readonly headersHelper?: string;
  readonly oauth?: false | OAuthSettings;
  readonly tls?: TlsSettings;
}

export type Launch = StdioLaunch | RemoteLaunch;

/** What happens when a tool of the server changes: nothing, a warning, or it is withheld; `strict` also withholds new tools. */
export const pinModes = ['off', 'warn', 'withhold', 'strict'] as const;
export type PinMode = (typeof pinModes)[number];

/** Where the user wants a program to start that has no absolute `cwd`. */
export const startChoices = ['home', 'project'] as const;
export type StartChoice = (typeof startChoices)[number];

/** Whose rules for placeholders the texts of a definition follow. */
export type DialectId =
  | 'holt'
  | 'claude'
  | 'claude-plugin'
  | 'otter'
  | 'omp'
  | 'opencode'
  | 'vscode'
  | 'cursor'
  | 'windsurf'
  | 'env-prefix'
  | 'roo'
  | 'amazon-q'
  | 'copilot'
  | 'gemini'
  | 'gemini-extension'
  | 'qwen'
  | 'crush'
  | 'goose'
  | 'continue'
  | 'continue-json'
  | 'kiro'
  | 'factory'
  | 'grok'
  | 'pi'
  | 'mcporter'
  | '1mcp'
  | 'warp'
  | 'amp'
  | 'none';

/** A question that a definition may ask before it can start (VS Code's `inputs`). */
export interface InputQuestion {
  readonly id: string;
  readonly description: string;
  readonly password: boolean;
  readonly fallback?: string;
  readonly options?: readonly string[];
}

export interface ServerDefinition {
  readonly name: string;
  readonly launch: Launch;
  readonly enabled: boolean;
  /** Everything that says off, weakest first; the last one decides while `enabled` is false. */
  readonly offBy?: readonly SwitchedOff[];
  readonly timeouts: Timeouts;
  readonly tools?: ToolFilter;
  /** What happens when one of its tools is not what it was. */
  readonly pinning?: PinMode;
  /** The user believes what its tools say about themselves: what only reads, or may be done twice, may be repeated. */
  readonly trustAnnotations?: true;
  readonly auth?: StoredLogin;
  /** Counts only in the user's own files. */
  readonly startIn?: StartChoice;
  readonly inputs?: readonly InputQuestion[];
  readonly dialect: DialectId;
  readonly origin: Origin;
  /** True when the file lies where a repository could have put it: it runs only after approval. */
  readonly guarded: boolean;
  /** For a definition built from several files, every file that had a part in it; otherwise just its own. */
  readonly parts: readonly Origin[];
  readonly alsoIn: readonly CopyOrigin[];
}
