/**
 * Most agents describe a server with the same few concepts in different words. A shape is one agent's table of
 * these words. `read-shape.ts` reads entries with it, and `editing/entries/spell-entry.ts` writes them.
 */

import type { JsonMap } from '../kernel/json.ts';
import type { DialectId, OAuthTextField, ServerDefinition, Transport } from '../kernel/servers.ts';

/** Everything in a definition except its place, which discovery fills in. */
export type EntryReading = Omit<ServerDefinition, 'name' | 'origin' | 'guarded' | 'alsoIn' | 'parts'>;

/** What a URL without a type means: a transport, or the reason why the agent does not accept it. */
export type Untyped = Exclude<Transport, 'stdio'> | { readonly refusedAs: string };

export interface UrlField {
  readonly key: string;
  readonly untyped: Untyped;
  /** The key itself names the transport, whatever the type is. */
  readonly always?: true;
}

/** What a limit applies to. `start` is the whole start, `phases` each of its phases, `lists` each listing. */
export type TimeoutMeaning = 'start' | 'phases' | 'lists' | 'idle' | 'total';

export interface TimeoutField {
  readonly key: string;
  readonly unit: 'ms' | 's' | 'min';
  readonly means: TimeoutMeaning;
  /** The agent ignores smaller values. */
  readonly least?: number;
  /** Another key for a limit: it is read, and not written. */
  readonly alias?: true;
}

/** The key of each login setting. */
export interface OAuthKeys extends Readonly<
  Partial<Record<OAuthTextField | 'scopes' | 'callbackPort', string>>
> {
  /** The object that contains the other keys; `false` in its place disables the login. */
  readonly key?: string;
  /** Scopes beside the object instead of inside it. */
  readonly outerScopes?: string;
  /** Other keys for the same settings, read if the first is missing. */
  readonly also?: Readonly<Partial<Record<OAuthTextField | 'scopes', readonly string[]>>>;
  /** Scopes are written as one string with spaces; a list by default. Both are read. */
  readonly scopesAs?: 'text';
  /** A disabled login is written as `false`. It is always read. */
  readonly writesFalse?: true;
}

/** A field, and the value in it that means off. */
export interface OffSwitch {
  readonly key: string;
  readonly value: boolean;
}

/**
 * An agent's table of keys: the words in which it describes a server. `readShape` reads an entry with it and
 * `spellEntry` writes one. Where there are several keys for one thing, the first is written.
 */
export interface ServerShape {
  readonly dialect: DialectId;
  /** In the agent's order of preference. For a transport, the first that means it is written. */
  readonly urls?: readonly UrlField[];
  /** Fields that may name the transport. Default: `type`. */
  readonly types?: readonly string[];
  /**
   * The agent's own names for transports. It refuses others; holt reads those that it knows, with a warning.
   */
  readonly typeNames?: Readonly<Record<string, Transport>>;
  /** What to do if an entry has both `command` and a URL. Default: `refuse`. */
  readonly both?: 'type-decides' | 'url-wins' | 'refuse';
  /** `list`: the program and its arguments are one array. */
  readonly commandAs?: 'list';
  readonly command?: string;
  readonly env?: readonly string[];
  readonly headers?: readonly string[];
  readonly cwd?: readonly string[];
  /** The field that switches a server off. Without it, the agent's files have no switch. */
  readonly off?: OffSwitch;
  /** Other fields that switch it off. They are read, and changed where they exist. */
  readonly alsoOff?: readonly OffSwitch[];
  readonly timeouts?: readonly TimeoutField[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly autoApprove?: readonly string[];
  /** A field that approves every tool of the server. */
  readonly approveAll?: string;
  readonly oauth?: OAuthKeys;
  /** A field that names the variable with the bearer token. */
  readonly bearerEnv?: string;
  /** Fields that refer to variables, for agents without placeholders: a list of names, and a map. */
  readonly references?: { readonly env: string; readonly headers: string };
  /** A field with a command that prints headers. */
  readonly headersHelper?: string;
  readonly writes?: EntryWriting;
}

/** What a table of keys says about writing alone. */
export interface EntryWriting {
  /** The type of each transport; null when none is written. A missing transport cannot be expressed. */
  readonly types: Readonly<Partial<Record<Transport, string | null>>>;
  /** The agent does not have this field, although holt reads it. */
  readonly noCwd?: true;
  /** Fields that only holt and similar agents have. */
  readonly own?: readonly ('auth' | 'tls' | 'inheritEnv' | 'startIn' | 'tools' | 'timeouts')[];
  /** Completes an entry with what the table cannot describe. */
  readonly finish?: (entry: JsonMap, content: EntryReading, name: string) => JsonMap;
}

/** The transport names that most agents share. */
export const commonTypes: Readonly<Record<string, Transport>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  sse: 'sse',
};

/** The keys for a login that most agents share. */
export const commonOAuth = {
  key: 'oauth',
  clientId: 'clientId',
  clientSecret: 'clientSecret',
  scopes: 'scopes',
} as const satisfies OAuthKeys;

/** For agents that write no type: a URL alone says what is needed. */
export const noTypes: EntryWriting['types'] = { stdio: null, http: null, sse: null };

/** All fields that switch a server off, the one that holt writes first. */
export function switchesOf({ off, alsoOff = [] }: ServerShape): readonly OffSwitch[] {
  return off === undefined ? alsoOff : [off, ...alsoOff];
}
