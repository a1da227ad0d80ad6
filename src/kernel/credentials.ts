/** Stored logins: what is kept for one, and the port to whatever keeps them. */

export interface StoredTokens {
  readonly access: string;
  readonly refresh?: string;
  /** In unix seconds. */
  readonly expiresAt?: number;
  /** In unix seconds; with `expiresAt` it gives the token's life. Records of older versions do not have it. */
  readonly issuedAt?: number;
  readonly scope?: string;
  /** Set when the provider refused to renew them: its error code. Such tokens are no longer sent. */
  readonly refused?: string;
}

/** How holt is known to an authorization server. */
export interface RegisteredClient {
  readonly id: string;
  readonly secret?: string;
  readonly issuedAt?: number;
  readonly secretExpiresAt?: number;
  /** How it proves itself at the token endpoint, as the registration said. */
  readonly authMethod?: string;
  /** What it was registered for. Records of older versions do not say. */
  readonly grants?: readonly string[];
}

/** A login that waits for the browser to come back. */
export interface PendingLogin {
  readonly codeVerifier: string;
  readonly state: string;
  readonly redirectUri?: string;
  readonly scope?: string;
}

/** Bound to a server's URL and, once it is known, to the issuer: used for no other. */
export interface CredentialRecord {
  readonly serverUrl: string;
  readonly issuer?: string;
  readonly resource?: string;
  readonly tokens?: StoredTokens;
  readonly client?: RegisteredClient;
  /** Goes up with every new set of tokens. */
  readonly generation?: number;
  /** Scopes that the server asked for beyond those it got; the next login asks for them too. */
  readonly wantedScope?: string;
  /** Entries of projects that may use this login because somebody said so. */
  readonly sharedWith?: readonly string[];
  /** Only while a login runs. */
  readonly pending?: PendingLogin;
}

/** Ids are data (`mcp:github`), never paths. */
export interface CredentialStore {
  get(id: string): Promise<CredentialRecord | undefined>;
  set(id: string, record: CredentialRecord): Promise<void>;
  delete(id: string): Promise<void>;
  list(): Promise<readonly { readonly id: string; readonly record: CredentialRecord }[]>;
}
