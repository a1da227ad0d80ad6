/** Stored logins: the data of one login, and the interface of the stores that hold them. */

export interface StoredTokens {
  readonly access: string;
  readonly refresh?: string;
  /** In unix seconds. */
  readonly expiresAt?: number;
  /**
   * In unix seconds. Together with `expiresAt` it gives the token's lifetime. Older records do not have it.
   */
  readonly issuedAt?: number;
  readonly scope?: string;
  /**
   * The provider's error code when it refused to refresh these tokens. They are no longer sent after that.
   */
  readonly refused?: string;
}

/** The client that an authorization server registered for holt. */
export interface RegisteredClient {
  readonly id: string;
  readonly secret?: string;
  readonly issuedAt?: number;
  readonly secretExpiresAt?: number;
  /** The client authentication method for the token endpoint, as registered. */
  readonly authMethod?: string;
  /** The grant types it was registered for. Older records do not have them. */
  readonly grants?: readonly string[];
}

/** A login that is waiting for the browser's callback. */
export interface PendingLogin {
  readonly codeVerifier: string;
  readonly state: string;
  readonly redirectUri?: string;
  readonly scope?: string;
}

/** A login bound to one server URL and, once known, to one issuer. It is never used for another. */
export interface CredentialRecord {
  readonly serverUrl: string;
  readonly issuer?: string;
  readonly resource?: string;
  readonly tokens?: StoredTokens;
  readonly client?: RegisteredClient;
  /** Incremented with every new set of tokens. */
  readonly generation?: number;
  /** Scopes that the server asked for beyond the granted ones. The next login requests them too. */
  readonly wantedScope?: string;
  /** Project entries that the user allowed to use this login. */
  readonly sharedWith?: readonly string[];
  /** Set only while a login is in progress. */
  readonly pending?: PendingLogin;
}

/** Ids are data (`mcp:github`), never paths. */
export interface CredentialStore {
  get(id: string): Promise<CredentialRecord | undefined>;
  set(id: string, record: CredentialRecord): Promise<void>;
  delete(id: string): Promise<void>;
  list(): Promise<readonly { readonly id: string; readonly record: CredentialRecord }[]>;
}
