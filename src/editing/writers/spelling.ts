/** Describes an agent's format for writing: which fields express what, and what cannot be expressed. */

import type { JsonMap } from '../../kernel/json.ts';
import type { OAuthSpelling } from '../../agents/oauth-fields.ts';
import type { TimeoutField } from '../../agents/timeout-fields.ts';
import type { EntryReading } from '../../agents/agent-format.ts';
import type { DialectId, Transport } from '../../kernel/servers.ts';

/** A field, and the value in it that means off. */
export interface Switch {
  readonly key: string;
  readonly value: boolean;
}

export interface Spelling {
  readonly dialect: DialectId;
  /** The type of each transport; null when none is written. A missing transport cannot be expressed. */
  readonly types: Readonly<Partial<Record<Transport, string | null>>>;
  readonly typeKey?: string;
  /** `list` writes the program and its arguments as one array. */
  readonly command?: 'list';
  /** Names of fields that differ from the common ones; null for a field that the agent does not have. */
  readonly words?: Readonly<Partial<Record<CommonWord, string | null>>>;
  /** The name of the URL field, where it depends on the transport. */
  readonly urls?: Readonly<Partial<Record<Transport, string>>>;
  readonly timeouts?: readonly TimeoutField[];
  readonly include?: string;
  readonly exclude?: string;
  readonly autoApprove?: string;
  readonly oauth?: OAuthWriting;
  /** Fields that only holt and similar agents have. */
  readonly own?: readonly ('auth' | 'tls' | 'inheritEnv' | 'startIn' | 'tools' | 'timeouts')[];
  readonly headersHelper?: string;
  /** The agent refers to variables in separate fields; their values come from `envFrom` and `headersFrom`. */
  readonly references?: true;
  /**
   * The switches: the first is written, all of them are read. Without any, the agent's files have no switch.
   */
  readonly off?: readonly Switch[];
  /** Completes an entry with what the other fields here cannot describe. */
  readonly finish?: (entry: JsonMap, content: EntryReading, name: string) => JsonMap;
}

export type CommonWord = 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers';

export interface OAuthWriting extends OAuthSpelling {
  /** How scopes are written; an array by default. */
  readonly scopesAs?: 'text';
  /** `false` in place of the settings disables the login. */
  readonly off?: true;
}
