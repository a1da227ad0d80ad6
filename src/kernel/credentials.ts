/** Stored logins: what is kept for one, and the port to whatever keeps them. */

interface StoredTokens {
  readonly access: string;
  readonly refresh?: string;
  /** In unix seconds. */
  readonly expiresAt?: number;
  readonly scope?: string;
}

/** How holt is known to an authorization server. */
interface RegisteredClient {
  readonly id: string;
  readonly secret?: string;
  readonly issuedAt?: number;
  readonly secretExpiresAt?: number;
}

/** Bound to a server's URL and, once it is known, to the issuer: used for no other. */
export interface CredentialRecord {
  readonly serverUrl: string;
  readonly issuer?: string;
  readonly resource?: string;
  readonly tokens?: StoredTokens;
  readonly client?: RegisteredClient;
  /** Only while a login runs. */
  readonly pending?: { readonly codeVerifier: string; readonly state: string };
}

/** Ids are data (`mcp:github`), never paths. */
export interface CredentialStore {
  get(id: string): Promise<CredentialRecord | undefined>;
  set(id: string, record: CredentialRecord): Promise<void>;
  delete(id: string): Promise<void>;
  list(): Promise<readonly { readonly id: string; readonly record: CredentialRecord }[]>;
}
