/** How an agent spells a server, seen from the writer's side: which words say what, and what cannot be said at all. */

import type { OAuthSpelling } from '../../agents/oauth-fields.ts';
import type { TimeoutField } from '../../agents/timeout-fields.ts';
import type { JsonValue } from '../../documents/tree.ts';
import type { EntryReading } from '../../agents/agent-format.ts';
import type { DialectId, Transport } from '../../kernel/servers.ts';

export type JsonObject = { [key: string]: JsonValue };

/** A field and the value in it that means off. */
export interface Switch {
  readonly key: string;
  readonly value: boolean;
}

export interface Spelling {
  readonly dialect: DialectId;
  /** The word for each transport; null when none is written. A transport that is missing cannot be said. */
  readonly types: Readonly<Partial<Record<Transport, string | null>>>;
  readonly typeKey?: string;
  /** `list` writes the program and its arguments as one list. */
  readonly command?: 'list';
  /** Words that are not the common ones; null for an idea the agent does not have. */
  readonly words?: Readonly<Partial<Record<CommonWord, string | null>>>;
  /** The URL's word where it depends on the transport. */
  readonly urls?: Readonly<Partial<Record<Transport, string>>>;
  readonly timeouts?: readonly TimeoutField[];
  readonly include?: string;
  readonly exclude?: string;
  readonly autoApprove?: string;
  readonly oauth?: OAuthWriting;
  /** Fields that only holt and its kin have. */
  readonly own?: readonly ('auth' | 'tls' | 'inheritEnv' | 'startIn' | 'tools' | 'timeouts')[];
  readonly headersHelper?: string;
  /** The agent names variables in fields of their own; these come in `envFrom` and `headersFrom`. */
  readonly references?: true;
  /** The one to write first; all of them are looked at. None: the agent's files have no switch. */
  readonly off?: readonly Switch[];
  /** The last touch for what fits no table. */
  readonly finish?: (entry: JsonObject, content: EntryReading, name: string) => JsonObject;
}

export type CommonWord = 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers';

export interface OAuthWriting extends OAuthSpelling {
  /** How scopes are written; a list when left out. */
  readonly scopesAs?: 'text';
  /** `false` in the place of the settings switches the login off. */
  readonly off?: true;
}
