/**
 * The types of a server config that a program may pass in: holt's own shape (Claude's with additions) or
 * opencode's. Strings may contain placeholders such as `${TOKEN}`. `settings/values/server-fields.ts` lists
 * the same fields as JSON Schema, for files.
 */

import type { Phase, Timeouts } from '../kernel/phases.ts';
import type {
  InheritEnv,
  PinMode,
  StartChoice,
  StoredLogin,
  TlsSettings,
  ToolFilter,
} from '../kernel/servers.ts';

/** Numbers and booleans become strings; a name with null or undefined is left out. */
export type ConfigValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Fields of every server in holt's own shape. */
export interface ServerConfigBase {
  /** `false` reserves the name and starts nothing. */
  readonly enabled?: boolean | undefined;
  /** The opposite of `enabled`. */
  readonly disabled?: boolean | undefined;
  /** The same as `timeouts.idleMs`. */
  readonly timeout?: number | undefined;
  readonly timeouts?: Timeouts | undefined;
  /** Limits of phases in seconds. */
  readonly phase_timeouts?: Readonly<Partial<Record<Phase, number>>> | undefined;
  /** Which tools are offered, and which run without a question. */
  readonly tools?: ToolFilter | undefined;
  /** What happens when a tool changes; `review` means `withhold`. */
  readonly pinning?: PinMode | 'review' | undefined;
  /** Whether to trust what tools declare about themselves, such as being read-only. */
  readonly trustAnnotations?: boolean | undefined;
  /** Where the program starts when it has no absolute `cwd`. */
  readonly startIn?: StartChoice | undefined;
  /** A stored login to use. */
  readonly auth?: (Pick<StoredLogin, 'credentialId'> & Partial<StoredLogin>) | undefined;
  /** Whether several agents may use one process through the daemon. */
  readonly sharing?: 'shared' | 'private' | undefined;
}

/** A program on this machine that communicates over its standard streams. */
export interface StdioServerConfig extends ServerConfigBase {
  readonly type?: 'stdio' | undefined;
  readonly transport?: 'stdio' | undefined;
  readonly command: string;
  readonly args?: readonly (string | number | boolean)[] | undefined;
  /** Variables that the program gets in addition to those it inherits. */
  readonly env?: ConfigValues | undefined;
  readonly cwd?: string | undefined;
  /** Which of the host's variables the program inherits: all, a safe subset, or the listed ones. */
  readonly inheritEnv?: InheritEnv | undefined;
}

type RemoteType = 'http' | 'streamable-http' | 'sse' | 'ws' | 'websocket';

/** A server that is reached by URL. */
export interface RemoteServerConfig extends ServerConfigBase {
  readonly type?: RemoteType | undefined;
  readonly transport?: RemoteType | undefined;
  readonly url: string;
  /** Headers that are sent with every request. */
  readonly headers?: ConfigValues | undefined;
  /** Login settings; `false` forbids logging in. */
  readonly oauth?: boolean | OAuthConfig | undefined;
  /** The resource that a token is requested for; `omit` sends none. */
  readonly resource?: string | undefined;
  readonly tls?: TlsSettings | undefined;
}

/** Accepts holt's field names and those of the OAuth specifications (`client_id`, `token_endpoint`, …). */
export interface OAuthConfig {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly clientMetadataUrl?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly grant?: 'authorization_code' | 'client_credentials' | undefined;
  readonly pkce?: 'unadvertised' | undefined;
  readonly signingAlgorithm?: string | undefined;
  readonly tokenEndpointAuthMethod?: string | undefined;
  readonly scopes?: string | readonly string[] | undefined;
  readonly callbackPort?: number | undefined;
  readonly redirectUri?: string | undefined;
  readonly issuer?: string | undefined;
  readonly authServerMetadataUrl?: string | undefined;
  readonly authorizationEndpoint?: string | undefined;
  readonly tokenEndpoint?: string | undefined;
  readonly deviceAuthorizationEndpoint?: string | undefined;
  readonly resource?: string | undefined;
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  readonly scope?: string | readonly string[] | undefined;
  readonly authorization_endpoint?: string | undefined;
  readonly token_endpoint?: string | undefined;
  readonly token_url?: string | undefined;
  readonly device_authorization_endpoint?: string | undefined;
  readonly device_auth_url?: string | undefined;
  readonly token_endpoint_auth_method?: string | undefined;
}

/** A program in opencode's shape. */
export interface OpencodeLocalConfig {
  readonly type: 'local';
  readonly command: readonly string[];
  readonly environment?: ConfigValues | undefined;
  readonly cwd?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** Limits each phase of the start, in milliseconds. */
  readonly timeout?: number | undefined;
  /** Limits of single phases, in seconds. */
  readonly phase_timeouts?: Readonly<Partial<Record<Phase, number>>> | undefined;
}

/** A remote server in opencode's shape. */
export interface OpencodeRemoteConfig {
  readonly type: 'remote';
  readonly url: string;
  readonly headers?: ConfigValues | undefined;
  readonly oauth?: false | OAuthConfig | undefined;
  readonly enabled?: boolean | undefined;
  /** Limits each phase of the start, in milliseconds. */
  readonly timeout?: number | undefined;
  /** Limits of single phases, in seconds. */
  readonly phase_timeouts?: Readonly<Partial<Record<Phase, number>>> | undefined;
}

export type ServerConfig =
  | StdioServerConfig
  | RemoteServerConfig
  | OpencodeLocalConfig
  | OpencodeRemoteConfig;
