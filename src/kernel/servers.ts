/**
 * One MCP server as holt understands it, independent of the agent whose file defines it. String fields are
 * templates: their placeholders are not resolved until the server is allowed to run.
 */

import type { AgentId } from './agent-ids.ts';
import type { Timeouts } from './phases.ts';

/** Where a definition comes from, strongest first. */
export const scopes = ['managed', 'runtime', 'local', 'project', 'user', 'plugin'] as const;
export type Scope = (typeof scopes)[number];

export const transports = ['stdio', 'http', 'sse', 'ws'] as const;
export type Transport = (typeof transports)[number];

/** The position of a definition in a file. Lines and columns count from 1. */
export interface Origin {
  readonly agent: AgentId;
  readonly scope: Scope;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Another entry for the same name, in another file or scope, with its own enabled state. */
export interface CopyOrigin extends Origin {
  readonly enabled: boolean;
}

/**
 * What disables a copy: its own entry, a list in one of the agent's files, or holt's override. Lines count
 * from 1.
 */
export interface SwitchedOff {
  readonly kind: 'entry' | 'switch' | 'override';
  readonly file: string;
  readonly line: number;
  /** For a switch: the agent that stores it. */
  readonly agent?: AgentId;
  /** The user rejected this server of the project when the agent asked. */
  readonly rejected?: true;
}

export type StringMap = Readonly<Record<string, string>>;

/** A value taken from an environment variable, with `prefix` before it and `suffix` after it. */
export interface VariableReference {
  readonly variable: string;
  readonly prefix: string;
  readonly suffix: string;
}
export type VariableReferences = Readonly<Record<string, VariableReference>>;

/** The login settings that are one string each, and what each string is. */
export const oauthTextFields = {
  clientId: 'word',
  clientSecret: 'secret',
  redirectUri: 'url',
  issuer: 'url',
  metadataUrl: 'url',
  authorizationEndpoint: 'url',
  tokenEndpoint: 'url',
  deviceAuthorizationEndpoint: 'url',
  /** `auto`, `omit`, or the value to send instead. */
  resource: 'url',
  /** The URL of a document about this client, for providers that accept such a URL as the client id. */
  clientMetadataUrl: 'url',
  /** `client_credentials` needs no user interaction. */
  grant: 'word',
  /** In PEM format, for clients that authenticate with a signature. */
  privateKey: 'secret',
  signingAlgorithm: 'word',
  /** `client_secret_basic`, `client_secret_post`, `private_key_jwt` or `none`. Detected when missing. */
  tokenEndpointAuthMethod: 'word',
  /** `unadvertised` for a provider that supports S256 but does not advertise it. */
  pkce: 'word',
} as const satisfies Readonly<Record<string, 'word' | 'secret' | 'url'>>;

export type OAuthTextField = keyof typeof oauthTextFields;
export const oauthTextNames = Object.keys(oauthTextFields) as readonly OAuthTextField[]; // no key is added later

export interface OAuthSettings extends Readonly<Partial<Record<OAuthTextField, string>>> {
  readonly scopes?: readonly string[];
  readonly callbackPort?: number;
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

/** A local program that communicates over its standard streams. */
export interface StdioLaunch {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: StringMap;
  /** Variables of the child whose values come from holt's own environment. */
  readonly envFrom: VariableReferences;
  readonly cwd?: string;
  readonly inheritEnv?: InheritEnv;
}

/** A remote server, reached by URL. */
export interface RemoteLaunch {
  readonly kind: 'http' | 'sse' | 'ws';
  readonly url: string;
  readonly headers: StringMap;
  /** Headers whose values come from holt's own environment. */
  readonly headersFrom: VariableReferences;
  /** A command that prints additional headers. It never runs while files are read. */
  readonly headersHelper?: string;
  readonly oauth?: false | OAuthSettings;
  readonly tls?: TlsSettings;
}

export type Launch = StdioLaunch | RemoteLaunch;

/**
 * What happens when a tool of the server changes: nothing, a warning, or holt withholds the tool. `strict`
 * also withholds new tools.
 */
export const pinModes = ['off', 'warn', 'withhold', 'strict'] as const;
export type PinMode = (typeof pinModes)[number];

/** Where a program without an absolute `cwd` starts. */
export const startChoices = ['home', 'project'] as const;
export type StartChoice = (typeof startChoices)[number];

/** The placeholder syntax that the strings of a definition use. */
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

/** A value that a definition may ask the user for before it can start (VS Code's `inputs`). */
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
  /** Everything that disables this server, weakest first. While `enabled` is false, the last one decides. */
  readonly offBy?: readonly SwitchedOff[];
  readonly timeouts: Timeouts;
  readonly tools?: ToolFilter;
  /** What happens when one of its tools changes. */
  readonly pinning?: PinMode;
  /**
   * The user trusts its tools' annotations: calls of tools that claim to be read-only or idempotent may be
   * retried.
   */
  readonly trustAnnotations?: true;
  readonly auth?: StoredLogin;
  /** Only has an effect in the user's own files. */
  readonly startIn?: StartChoice;
  readonly inputs?: readonly InputQuestion[];
  readonly dialect: DialectId;
  readonly origin: Origin;
  /** True when a repository could have put the file where it is. Such a server runs only after approval. */
  readonly guarded: boolean;
  /** Every file that contributed to the definition; for a definition from a single file, just that one. */
  readonly parts: readonly Origin[];
  readonly alsoIn: readonly CopyOrigin[];
}
